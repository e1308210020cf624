"""docs/odd-input.md says what each case means, and the tests that it names are there."""

import pytest

import tests_in_pages


ROWS = tests_in_pages.rows("odd-input.md")


@pytest.mark.parametrize("number", ROWS)
def test_each_case_has_a_meaning_and_names_tests_that_exist(number: int) -> None:
    _, case, meaning, tests = ROWS[number]
    assert case
    assert meaning
    tests_in_pages.named(tests)


def test_what_was_written_for_the_page_is_on_it() -> None:
    told = {name for row in ROWS.values() for name in tests_in_pages.named(row[3])}
    assert tests_in_pages.of("e2e/test_odd_input.py") <= told
