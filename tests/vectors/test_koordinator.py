"""Every row of a file of vectors, through the product's own functions.

The adapters in ``groups`` turn a row's fields into the product's values and say which figures come
out; here they are judged. ``deviations`` are where the product answers otherwise on purpose,
``prose`` the rows that have a test by hand.
"""

import pytest

from tests.vectors import deviations, prose, runner
from tests.vectors.deviations import DEVIATIONS, Deviation
from tests.vectors.reading import Document, Row


def test_nothing_in_the_file_is_passed_over(document: Document) -> None:
    assert [*document.faults, *runner.unknown_tables(document)] == []


def test_a_row_comes_out_as_expected(row: Row) -> None:
    if row.id in prose.PROSE:
        said = prose.said(row)
        assert said == prose.PROSE[row.id], f"{row.id} has a test by hand, for other words"
        return
    deviation = deviations.of(row)
    may_differ = deviation.figures if deviation else ()
    differing = runner.differing(row)
    wrong = [str(each) for each in differing if not each.what.startswith(may_differ)]
    assert not wrong, f"{row.id}: {'; '.join(wrong)}"


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda each: each.groups[0])
def test_a_listed_deviation_is_one(deviation: Deviation, own_document: Document) -> None:
    covered = [row for row in own_document.rows if deviations.of(row) is deviation]
    assert {row.id for row in covered} == deviation.ids
    for row in covered:
        differing = runner.differing(row)
        assert any(each.what.startswith(deviation.figures) for each in differing), row.id


def test_runtimes_of_our_file_come_out_to_the_unit(own_document: Document) -> None:
    """The room for another rounding is for files of other numbers."""
    inexact = [
        f"{row.id}: {figure}"
        for row in own_document.rows
        if row.id not in prose.PROSE and deviations.of(row) is None
        for figure in runner.figures(row)
        if figure.rounded and figure.found != figure.expected
    ]
    assert inexact == []


def test_every_list_names_rows_of_our_file_once(own_document: Document) -> None:
    ids = [row.id for row in own_document.rows]
    assert len(ids) == len(set(ids)) == 149
    assert sum(row.table == "vectors" for row in own_document.rows) == 138
    listed = [*prose.PROSE, *(id_ for each in DEVIATIONS for id_ in each.ids)]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) <= set(ids)
