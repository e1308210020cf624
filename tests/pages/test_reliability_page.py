"""docs/reliability.md has a line for every fault, and the tests it names are there and say so."""

import re

import pytest

import tests_in_pages


TESTS = tests_in_pages.TESTS
PAGE = tests_in_pages.DOCS / "reliability.md"

ROWS = {
    cells[0]: cells
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| A-\d\d ", line)
    for cells in [[cell.strip() for cell in line.strip("|").split(" | ")]]
}
ALSO = [line for line in PAGE.read_text().splitlines() if line.startswith("| also ")]

NUMBERED = re.compile(r"::test_a_\d\d_")


def _named(text: str) -> list[str]:
    return re.findall(r"`([\w/]+\.py::\w+)`", text)


def test_all_faults_are_there_in_order() -> None:
    assert list(ROWS) == [f"A-{number:02}" for number in range(1, 26)]


@pytest.mark.parametrize("number", ROWS)
def test_each_says_what_breaks_what_must_hold_and_names_tests_of_its_number_or_none(
    number: str,
) -> None:
    _, breaks, holds, tests, heals = ROWS[number]
    assert breaks
    assert holds
    assert heals
    named = _named(tests)
    assert bool(named) != tests.startswith("**not tried**")
    for name in named:
        test = name.partition("::")[2]
        assert test.startswith(f"test_{number.lower().replace('-', '_')}_"), name


@pytest.mark.parametrize("line", [*ALSO, *(" | ".join(cells) for cells in ROWS.values())])
def test_the_tests_that_are_named_exist(line: str) -> None:
    for name in _named(line):
        path, _, test = name.partition("::")
        assert test in tests_in_pages.functions(path), name


def test_every_test_of_a_fault_is_on_the_page() -> None:
    told = {name for cells in ROWS.values() for name in _named(cells[3])}
    there = {
        name
        for path in TESTS.rglob("test_*.py")
        if "def test_a_" in path.read_text()
        for name in tests_in_pages.of(str(path.relative_to(TESTS)))
        if NUMBERED.search(name)
    }
    assert there == told
