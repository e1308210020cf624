"""Every row of a file of vectors, through the product's own functions.

The adapters in ``groups`` turn a row's fields into the product's values and say which figures come
out; here they are judged. ``deviations`` are where the product answers otherwise on purpose,
``not_yet`` what it cannot answer yet, ``prose`` the rows that have a test by hand.
"""

import pytest

from tests.vectors import deviations, not_yet, prose, runner
from tests.vectors.deviations import DEVIATIONS, Deviation
from tests.vectors.figures import NotBuiltError
from tests.vectors.reading import Document, Row


def test_nothing_in_the_file_is_passed_over(document: Document) -> None:
    assert [*document.faults, *runner.unknown_tables(document)] == []


def test_a_row_comes_out_as_expected(row: Row, own_document: Document) -> None:
    if row.id in prose.PROSE:
        said = prose.said(row)
        assert said == prose.PROSE[row.id], f"{row.id} has a test by hand, for other words"
        return
    missing = not_yet.NOT_YET.get(row.id)
    try:
        differing = runner.differing(row)
    except NotBuiltError as error:
        if missing is None:
            pytest.fail(f"{row.id}: the product has no answer: it lacks {error}")
        pytest.xfail(f"{error}; comes with {missing.comes_with}")
    deviation = deviations.of(row)
    may_differ = (deviation.figures if deviation else ()) + (missing.figures if missing else ())
    wrong = [str(each) for each in differing if not each.what.startswith(may_differ)]
    assert not wrong, f"{row.id}: {'; '.join(wrong)}"
    if missing is not None and row in own_document.rows:
        assert differing, f"{row.id} comes out as expected: take it off the list of not_yet"
        pytest.xfail(f"comes with {missing.comes_with}")


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda each: each.groups[0])
def test_a_listed_deviation_is_one(deviation: Deviation, own_document: Document) -> None:
    covered = [row for row in own_document.rows if deviations.of(row) is deviation]
    assert {row.id for row in covered} == deviation.ids
    for row in covered:
        differing = runner.differing(row)
        assert any(each.what.startswith(deviation.figures) for each in differing), row.id


def test_runtimes_of_our_file_come_out_to_the_unit(own_document: Document) -> None:
    """The room for another rounding is for files of other numbers."""
    exempt = not_yet.NOT_YET.keys() | prose.PROSE.keys()
    inexact = [
        f"{row.id}: {figure}"
        for row in own_document.rows
        if row.id not in exempt and deviations.of(row) is None
        for figure in runner.figures(row)
        if figure.rounded and figure.found != figure.expected
    ]
    assert inexact == []


def test_every_list_names_rows_of_our_file_once(own_document: Document) -> None:
    ids = [row.id for row in own_document.rows]
    assert len(ids) == len(set(ids)) == 149
    assert sum(row.table == "vectors" for row in own_document.rows) == 138
    listed = [*not_yet.NOT_YET, *prose.PROSE, *(id_ for each in DEVIATIONS for id_ in each.ids)]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) <= set(ids)
