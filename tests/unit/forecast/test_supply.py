"""When room comes free, from the ages of the pods that hold it."""

from elasticquota.forecast import log_buckets, supply
from elasticquota.forecast.supply import Holding
from elasticquota.forecast.survival import Survival


HOUR = 3600
ABOUT_AN_HOUR = Survival({log_buckets.index(HOUR): 1000}, {})


def young(amount: int, ends_in: int | None = None) -> Holding:
    return Holding(log_buckets.index(1), amount, ends_in)


def test_nothing_is_waited_for_where_room_is_left() -> None:
    assert supply.time_to(supply.freed([], ABOUT_AN_HOUR), 0) == 0


def test_no_room_comes_free_where_no_pod_holds_any() -> None:
    assert supply.time_to(supply.freed([], ABOUT_AN_HOUR), 1) is None


def test_pods_that_run_for_an_hour_return_their_room_within_about_an_hour() -> None:
    found = supply.time_to(supply.freed([young(8000)], ABOUT_AN_HOUR), 4000)
    assert found is not None
    assert HOUR * 8 // 10 <= found <= HOUR * 14 // 10


def test_more_room_takes_longer() -> None:
    freed = supply.freed([young(8000)], ABOUT_AN_HOUR)
    times = [supply.time_to(freed, need) or 0 for need in (1, 100, 7000, 8000, 30_000)]
    assert times == sorted(times)


def test_what_comes_free_is_held_again_and_comes_free_again() -> None:
    found = supply.time_to(supply.freed([young(1000)], ABOUT_AN_HOUR), 3500)
    assert found is not None
    assert 3 * HOUR <= found <= 6 * HOUR


def test_a_deadline_ends_a_pod_that_would_run_for_long() -> None:
    forever = Survival({}, {log_buckets.index(30 * 86_400): 1000})
    assert supply.time_to(supply.freed([young(1000)], forever), 900) is None
    found = supply.time_to(supply.freed([young(1000, ends_in=600)], forever), 900)
    assert found is not None
    assert found <= 1024


def test_a_deadline_in_a_hundred_years_changes_nothing() -> None:
    usual = supply.freed([young(1000)], ABOUT_AN_HOUR)
    assert supply.freed([young(1000, ends_in=10**10)], ABOUT_AN_HOUR) == usual
