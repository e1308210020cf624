"""Prints tables: columns as wide as needed, color only on a terminal.

There is no color unless standard output is a terminal and ``NO_COLOR`` is not set. Lines of trees
fall back to ASCII if the encoding has no others.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TextIO

from elasticquota import texts


FORK = "├─ "
END = "└─ "
TRUNK = "│  "

_BETWEEN: Final = "   "
_CUT: Final = "…"
_SENTENCES: Final = frozenset({"MESSAGE", "WHY"})
"""Titles of columns that have sentences; all others have names, figures and times."""
_NARROWEST: Final = 9
"""No column gets narrower: then the terminal wraps the lines."""

Style = Literal["plain", "waiting", "bad", "head"]

_CODES: dict[Style, str] = {"plain": "", "waiting": "33", "bad": "31", "head": "1"}
_ASCII = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "…": "~"})


class Line(NamedTuple):
    """One row and its style, which gives its color."""

    cells: tuple[str, ...]
    style: Style = "plain"


def show(
    head: Sequence[str],
    lines: Sequence[Line],
    *,
    headers: bool = True,
    spared: Sequence[str] = (),
) -> None:
    """Print to standard output; columns without any content are left out.

    Without ``headers`` only the rows are printed, in columns of the same width. Where a row does
    not fit the terminal, columns are left out, first the first of ``spared``, which are titles.
    Then the middle of long cells is cut. Sentences are never cut, and nothing is beside them.
    """
    kept = [i for i in range(len(head)) if any(line.cells[i] for line in lines)]
    rows = [Line(tuple(head), "head"), *lines]
    widths = {i: max(len(row.cells[i]) for row in rows) for i in kept}
    if not any(head[i] in _SENTENCES for i in kept):
        room = columns()
        widths = fitting(_without(widths, [head.index(each) for each in spared], room), room)
    for row in rows if headers else lines:
        cells = (cut(row.cells[i], width).ljust(width) for i, width in widths.items())
        line(_BETWEEN.join(cells).rstrip(), row.style)


def _without(
    widths: Mapping[int, int], spared: Sequence[int], room: int | None
) -> Mapping[int, int]:
    """The widths without as many of the columns ``spared`` as have no room."""
    for column in spared:
        if room is None or _together(widths) <= room:
            break
        widths = {i: width for i, width in widths.items() if i != column}
    return widths


def _together(widths: Mapping[int, int]) -> int:
    """How long a line is."""
    return sum(widths.values()) + len(_BETWEEN) * (len(widths) - 1)


def columns() -> int | None:
    """How many characters a line of the terminal has room for; None: standard output is none."""
    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def fitting(widths: Mapping[int, int], room: int | None) -> dict[int, int]:
    """The widths, with the largest made smaller until a line fits into ``room`` characters."""
    found = dict(widths)
    while room is not None and _together(found) > room:
        widest = max(found, key=lambda i: found[i], default=-1)
        if found.get(widest, 0) <= _NARROWEST:
            break
        found[widest] -= 1
    return found


def cut(text: str, most: int) -> str:
    """The text, with its middle replaced where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    ahead = most // 2
    return f"{text[:ahead]}{_CUT}{text[len(text) - (most - ahead - len(_CUT)) :]}"


def section(
    title: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    most: int | None = None,
    *,
    headers: bool = True,
) -> None:
    """Print a table below its title, cut after ``most`` rows; nothing without rows."""
    if rows:
        print(f"\n{title}")
        show(head, [Line(tuple(row)) for row in rows[:most]], headers=headers)
        if most is not None and len(rows) > most:
            print(f"({len(rows) - most} more)")


def line(text: str, style: Style = "plain", *, aside: bool = False) -> None:
    """Print one line that is not a row; ``aside``: to standard error."""
    stream = sys.stderr if aside else sys.stdout
    coloured = stream.isatty() and not os.environ.get("NO_COLOR")
    text = texts.printable(text)
    print(_encodable(_styled(text, style) if coloured else text, stream), file=stream)


def _styled(text: str, style: Style) -> str:
    code = _CODES[style]
    return f"\033[{code}m{text}\033[0m" if code else text


def _encodable(text: str, stream: TextIO) -> str:
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text
