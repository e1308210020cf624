"""docs/evidence/seeds.md has a change for every row that is called done, and each can be tried."""

from pathlib import Path

import pytest

from evidence import breaks, cases, items
from evidence.breaks import Break
from evidence.items import Item


ROOT = Path(__file__).parents[2]
BREAKS = [each for rows in breaks.by_file(ROOT).values() for each in rows]


@pytest.fixture(scope="module")
def tests() -> cases.Cases:
    return cases.read(ROOT)


def test_the_page_is_the_one_that_would_be_written() -> None:
    page = (ROOT / breaks.PAGE).read_text(encoding="utf-8")
    assert page == breaks.page(ROOT), "run: make reference"


def test_every_row_that_is_called_done_has_a_change(tests: cases.Cases) -> None:
    assert breaks.missing(items.read(ROOT, tests), BREAKS, ROOT) == []


@pytest.mark.parametrize("change", BREAKS, ids=lambda change: change.item)
def test_a_change_can_be_made_and_its_test_exists(change: Break, tests: cases.Cases) -> None:
    source = (ROOT / change.file).read_text(encoding="utf-8")
    assert source.count(change.old) == 1
    assert change.old != change.new
    assert change.test in tests


def test_a_row_without_a_change_is_found_unless_it_is_left_out(tmp_path: Path) -> None:
    for rows in items.PAGES:
        page = tmp_path / "docs" / rows.page
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("| Q2 | what | **not**, because of this |\n", encoding="utf-8")
    found = [Item(name, "compat/ack.md", "", ()) for name in ("Q1", "Q2", "Q3")]
    fault = Item("A-01", "reliability.md", "", ())
    change = Break("Q1", "it holds", "a.py", "old", "new", "test.py::test_it")
    assert breaks.missing([*found, fault], [change], tmp_path) == ["Q3"]
