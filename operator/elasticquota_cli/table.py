"""Prints tables: columns as wide as needed, color only on a terminal.

There is no color unless standard output is a terminal and ``NO_COLOR`` is not set. Lines of trees
fall back to ASCII if the encoding has no others.
"""

import os
import sys
from collections.abc import Sequence
from typing import Literal, NamedTuple


FORK = "├─ "
END = "└─ "
TRUNK = "│  "

Mood = Literal["plain", "waiting", "bad", "head"]

_CODES: dict[Mood, str] = {"plain": "", "waiting": "33", "bad": "31", "head": "1"}
_ASCII = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-"})


class Line(NamedTuple):
    """One row and its mood, which gives its color."""

    cells: tuple[str, ...]
    mood: Mood = "plain"


def show(head: Sequence[str], lines: Sequence[Line]) -> None:
    """Print to standard output; columns without any content are left out."""
    kept = [i for i in range(len(head)) if any(line.cells[i] for line in lines)]
    rows = [Line(tuple(head), "head"), *lines]
    widths = {i: max(len(row.cells[i]) for row in rows) for i in kept}
    for row in rows:
        text = "   ".join(row.cells[i].ljust(widths[i]) for i in kept).rstrip()
        line(text, row.mood)


def section(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], most: int | None = None
) -> None:
    """Print a table below its title, cut after ``most`` rows; nothing without rows."""
    if rows:
        print(f"\n{title}")
        show(head, [Line(tuple(row)) for row in rows[:most]])
        if most is not None and len(rows) > most:
            print(f"({len(rows) - most} more)")


def line(text: str, mood: Mood = "plain") -> None:
    """Print one line that is not a row."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(_encodable(_painted(text, mood) if coloured else text))


def _painted(text: str, mood: Mood) -> str:
    code = _CODES[mood]
    return f"\033[{code}m{text}\033[0m" if code else text


def _encodable(text: str) -> str:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text
