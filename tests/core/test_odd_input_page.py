"""docs/odd-input.md says what each case means, and the tests that it names are there."""

import pytest

import told_tests


ROWS = told_tests.rows("odd-input.md")


@pytest.mark.parametrize("number", ROWS)
def test_each_case_has_a_meaning_and_names_tests_that_exist(number: int) -> None:
    _, case, meaning, tests = ROWS[number]
    assert case
    assert meaning
    told_tests.named(tests)


def test_what_was_written_for_the_page_is_on_it() -> None:
    told = {name for row in ROWS.values() for name in told_tests.named(row[3])}
    assert told_tests.of("cluster/test_odd_input.py") <= told
