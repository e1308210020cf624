"""Tables of Markdown."""

import html
from collections.abc import Iterable, Iterator, Sequence


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


def _lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |\n"
    yield f"|{'---|' * len(heads)}\n"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n"
