"""Every row of a file of vectors, through the product's own functions.

The adapters in ``groups`` turn a row's fields into the product's values and say which figures come
out; here they are judged. ``deviations`` are where the product answers otherwise on purpose,
``not_yet`` what it cannot answer yet, ``prose`` the rows that have a test by hand.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import pytest

from tests.vectors import deviations, not_yet, prose, reading
from tests.vectors.figures import Figure, NotBuiltError
from tests.vectors.groups import edits, enforcement, levels, pods, publishing, totals, trees
from tests.vectors.reading import Document, Fields, Row


Adapter = Callable[[Row, Fields], Iterator[Figure]]

TABLES: Final[Mapping[tuple[str, str], Adapter]] = {
    **levels.TABLES,
    **trees.TABLES,
    **totals.TABLES,
    **edits.TABLES,
    **pods.TABLES,
    **enforcement.TABLES,
    **publishing.TABLES,
}


def test_nothing_in_the_file_is_passed_over(document: Document) -> None:
    tables = {(row.group, row.table) for row in document.rows}
    unknown = [
        f"group '{group}', table '{table}' is none that the runner understands"
        for group, table in sorted(tables - TABLES.keys())
    ]
    assert [*document.faults, *unknown] == []


def test_a_row_comes_out_as_expected(row: Row) -> None:
    if row.id in prose.PROSE:
        assert spoken(row) == prose.PROSE[row.id], f"{row.id} has a test by hand for other words"
        return
    try:
        differing = [figure for figure in figures(row) if not figure.agrees]
    except NotBuiltError as missing:
        reason = not_yet.NOT_YET.get(row.id)
        if reason is None:
            pytest.fail(f"{row.id}: the product has no answer yet: it lacks {missing}")
        pytest.xfail(f"{missing}; comes with: {reason}")
    deviation = deviations.of(row)
    if row.id in not_yet.NOT_YET:
        assert differing, f"{row.id} comes out as expected now: take it off the list of not_yet"
        pytest.xfail(f"comes with: {not_yet.NOT_YET[row.id]}")
    allowed = deviation.figures if deviation else ()
    wrong = [str(figure) for figure in differing if not figure.what.startswith(allowed)]
    assert wrong == []


def figures(row: Row) -> list[Figure]:
    """What the row asserts; fails on whatever the adapter does not understand."""
    adapter = TABLES.get((row.group, row.table))
    if adapter is None:
        raise reading.ReadingError(f"{row.id}: no adapter for {row.group}.{row.table}")
    fields = row.fields()
    found = list(adapter(row, fields))
    unread = list(fields.unread())
    if unread:
        raise reading.ReadingError(f"not understood: {', '.join(unread)}")
    if not found:
        raise reading.ReadingError(f"{row.id} asserts nothing")
    return found


def spoken(row: Row) -> dict[str, object]:
    return {name: said for name, said in row.written.items() if name not in ("id", "source")}
