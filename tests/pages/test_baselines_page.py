"""docs/baselines.md has every line of what was met elsewhere, and the tests it names are there."""

import pytest

import tests_in_pages


ROWS = tests_in_pages.rows("baselines.md")


def test_all_lines_are_there_in_order() -> None:
    assert list(ROWS) == list(range(1, 12))


@pytest.mark.parametrize("number", ROWS)
def test_each_says_what_was_met_and_what_we_do_and_names_tests_that_exist(number: int) -> None:
    _, met, ours, tests = ROWS[number]
    assert met
    assert ours
    tests_in_pages.named(tests)


def test_what_was_written_for_the_page_is_on_it() -> None:
    told = {name for row in ROWS.values() for name in tests_in_pages.named(row[3])}
    assert tests_in_pages.of("e2e/test_baselines.py") <= told
