"""The helpers of tests that wait: for what must come, and against what must not."""

import itertools

import pytest

from waiting import eventually, stays


def test_what_comes_late_is_waited_for() -> None:
    counted = itertools.count()
    assert eventually(lambda: next(counted), 2) == 2


def test_what_never_comes_is_reported_with_the_last_result() -> None:
    with pytest.raises(AssertionError, match=r"not 'b' within 0\.1 s, last seen: 'a'"):
        eventually(lambda: "a", "b", within=0.1)


def test_what_changes_after_a_moment_does_not_stay() -> None:
    counted = itertools.count()
    with pytest.raises(AssertionError, match="but became 1"):
        stays(lambda: next(counted), 0, seconds=5)


def test_what_holds_all_the_time_stays() -> None:
    stays(lambda: "a", "a", seconds=0.1)
