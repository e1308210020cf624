"""Any position of a queue has a range, between or beyond those that the status lists."""

from elasticquota.forecast import positions
from elasticquota.model.wait_estimate import PositionRange, WaitEstimate, WaitRange


def estimate(*listed: PositionRange) -> WaitEstimate:
    return WaitEstimate(0, "", listed)


LISTED = estimate(PositionRange(1, 100, 200), PositionRange(4, 130, 500))


def test_a_listed_position_has_its_own_range() -> None:
    assert positions.of_position(LISTED, 1) == WaitRange(100, 200)
    assert positions.of_position(LISTED, 4) == WaitRange(130, 500)


def test_a_position_between_two_listed_ones_lies_between_their_ranges() -> None:
    assert positions.of_position(LISTED, 2) == WaitRange(110, 300)


def test_a_position_beyond_the_last_one_waits_in_proportion() -> None:
    assert positions.of_position(LISTED, 8) == WaitRange(260, 1000)


def test_without_an_upper_end_behind_there_is_none_between() -> None:
    found = estimate(PositionRange(1, 100, 200), PositionRange(3, 300, None))
    assert positions.of_position(found, 2) == WaitRange(200, None)
    assert positions.of_position(found, 6) == WaitRange(600, None)


def test_an_estimate_without_ranges_has_none_for_any_position() -> None:
    assert positions.of_position(estimate(), 1) is None


def test_what_passed_is_no_longer_ahead() -> None:
    assert positions.remaining(WaitRange(100, 200), 150) == WaitRange(0, 50)
    assert positions.remaining(WaitRange(100, 200), 250) == WaitRange(0, 0)
    assert positions.remaining(WaitRange(100, None), 50) == WaitRange(50, None)
