"""Tables of Markdown, and the place of one in a page that is written by hand."""

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Final


MARK: Final = "<!-- The table is written by tools/reference_pages: make reference -->"
"""The line above a table that is written below it, in most pages."""
_END: Final = "<!-- end of the table -->"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table and an empty line."""
    return "".join(_lines(heads, rows)) + "\n"


def code(text: str) -> str:
    """``text`` as code in a cell; empty where there is none.

    A bar ends the cell in one dialect of Markdown and keeps its backslash in another, and a pattern
    can look like a link, so such characters are written as entities.
    """
    if not text:
        return ""
    if "|" in text or "](" in text:
        shown = html.escape(text, quote=False).replace("|", "&#124;").replace("](", "]&#40;")
        return f"<code>{shown}</code>"
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def prose(text: str) -> str:
    """``text`` for a cell: one line, and nothing that reads as a tag or ends the cell."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = (each.replace("<", "&lt;").replace("*", "\\*") for each in parts[::2])
    return "`".join(parts)


def between(page: str, mark: str) -> str:
    """What stands in ``page`` between the line ``mark`` and the end of its table.

    Raises ``ValueError`` for a page without them.
    """
    _, begin, rest = page.partition(f"{mark}\n")
    inside, end, _ = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"a page lacks the line {mark!r} with {_END!r} below it")
    return inside


def inserted(page: str, mark: str, tables: str) -> str:
    """``page`` with ``tables``, which end with an empty line, there instead."""
    former = f"{mark}\n{between(page, mark)}{_END}"
    return page.replace(former, f"{mark}\n\n{tables}{_END}")


def _lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |\n"
    yield f"|{'---|' * len(heads)}\n"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n"
