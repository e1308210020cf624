"""Which adapter reads a row, and what it finds; nothing of the row may be left over."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.vectors import reading
from tests.vectors.figures import Figure
from tests.vectors.groups import (
    creation,
    edits,
    enforcement,
    levels,
    pods,
    publishing,
    sequences,
    totals,
    trees,
)
from tests.vectors.reading import Document, Fields, Row


Adapter = Callable[[Row, Fields], Iterator[Figure]]

TABLES: Final[Mapping[tuple[str, str], Adapter]] = {
    **levels.TABLES,
    **trees.TABLES,
    **totals.TABLES,
    **edits.TABLES,
    **sequences.TABLES,
    **pods.TABLES,
    **enforcement.TABLES,
    **creation.TABLES,
    **publishing.TABLES,
}


def unknown_tables(document: Document) -> list[str]:
    """One sentence per table that no adapter reads."""
    tables = {(row.group, row.table): None for row in document.rows}
    return [_unknown(*table) for table in tables if table not in TABLES]


def figures(row: Row) -> list[Figure]:
    """What the row asserts.

    Raises ``ReadingError`` for what is not understood.
    """
    adapter = TABLES.get((row.group, row.table))
    if adapter is None:
        raise reading.ReadingError(f"{row.id}: {_unknown(row.group, row.table)}")
    fields = row.fields()
    found = list(adapter(row, fields))
    # Parts that were read twice left the same things over twice.
    unread = dict.fromkeys(fields.unread())
    if unread:
        raise reading.ReadingError(f"the runner does not understand {', '.join(unread)}")
    if not found:
        raise reading.ReadingError(f"{row.id} expects nothing that the runner understands")
    return found


def differing(row: Row) -> list[Figure]:
    """The figures that do not come out as expected."""
    return [figure for figure in figures(row) if not figure.agrees]


def _unknown(group: str, table: str) -> str:
    return f"the runner does not understand the table '{table}' of group '{group}'"
