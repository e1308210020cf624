"""docs/evidence/behaviours.md has every numbered behavior, and each test that it cites exists."""

from pathlib import Path

import pytest

from evidence import behaviors, cases, items


ROOT = Path(__file__).parents[2]
BEFORE = behaviors.read_before((ROOT / behaviors.BEFORE).read_text(encoding="utf-8"))

Items = list[items.Item]


@pytest.fixture(scope="module")
def tests() -> cases.Cases:
    return cases.read(ROOT)


@pytest.fixture(scope="module")
def numbered(tests: cases.Cases) -> Items:
    """Every numbered behavior with its tests."""
    return items.read(ROOT, tests)


def test_the_page_is_the_one_that_would_be_written() -> None:
    page = (ROOT / behaviors.PAGE).read_text(encoding="utf-8")
    assert page == behaviors.page(ROOT), "run: make reference"


def test_every_test_that_is_cited_exists(numbered: Items, tests: cases.Cases) -> None:
    cited = {(item.id, test) for item in numbered for test in item.tests}
    assert {(item, test) for item, test in cited if test not in tests} == set()


def test_all_kinds_are_there_once(numbered: Items) -> None:
    ids = [item.id for item in numbered]
    assert len(set(ids)) == len(ids)
    assert {"A-25", "S-48", "K7a", "K39", "T17", "Q25", "C22", "Y27", "EQ1104", "PD1309"} <= {*ids}


def test_no_behavior_has_lost_its_tests(numbered: Items) -> None:
    assert [item.id for item in numbered if BEFORE.get(item.id) and not item.tests] == []


def test_only_what_the_threats_call_open_has_no_test(numbered: Items) -> None:
    page = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
    for item in numbered:
        if not item.tests:
            (row,) = [line for line in page.splitlines() if line.startswith(f"| {item.id} |")]
            assert "**open**" in row


def test_a_file_stands_for_its_tests_of_that_number() -> None:
    tests = {"e2e/test_a.py::test_s05_it": "", "e2e/test_a.py::test_s06_it": ""}
    assert cases.cited(tests, "`e2e/test_a.py`, `b.py::test_b`", "S-05") == [
        "e2e/test_a.py::test_s05_it",
        "b.py::test_b",
    ]


def test_the_tests_of_a_rule_are_those_whose_source_names_it() -> None:
    tests = {
        "e2e/test_a.py::test_a": "assert 'EQ1104' in said",
        "e2e/test_a.py::test_b": "assert 'EQ1105' in said",
        "pages/test_c.py::test_c": "assert 'EQ1104' in page",
    }
    assert cases.naming(tests, "EQ1104") == ["e2e/test_a.py::test_a"]
