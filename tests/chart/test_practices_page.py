"""docs/webhook-practices.md tells of all 32 practices, and every test that it names is there."""

import pytest

import tests_in_pages


ROWS = tests_in_pages.rows("webhook-practices.md")


def test_every_practice_has_a_row() -> None:
    assert list(ROWS) == list(range(1, 33))


@pytest.mark.parametrize("number", ROWS)
def test_it_says_what_we_do_and_names_tests_that_exist(number: int) -> None:
    _, recommendation, ours, tests = ROWS[number]
    assert recommendation
    assert ours
    tests_in_pages.named(tests)


def test_every_check_of_the_practices_is_named() -> None:
    told = {name for row in ROWS.values() for name in tests_in_pages.named(row[3])}
    for path in ("chart/test_practices.py", "component/webhook/test_practices.py"):
        assert tests_in_pages.of(path) <= told
