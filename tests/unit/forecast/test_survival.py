"""What part of the pods still runs: a life table with the pods that run, too."""

from elasticquota.forecast import log_buckets
from elasticquota.forecast.survival import ONE, Survival


def at(seconds: int, pods: int = 1) -> dict[int, int]:
    return {log_buckets.index(seconds): pods}


def percent(found: Survival, seconds: int) -> int:
    return round(100 * found.after(seconds) / ONE)


def test_half_of_the_pods_outlive_the_median_run_time() -> None:
    found = Survival({**at(600, 500), **at(6000, 500)}, {})
    assert 48 <= percent(found, 1200) <= 52


def test_pods_that_still_run_make_the_others_look_short() -> None:
    few = Survival(at(600, 100), {})
    many = Survival(at(600, 100), at(6000, 900))
    assert percent(few, 1000) < 5
    assert 88 <= percent(many, 1000) <= 92


def test_an_evicted_pod_counts_as_one_that_ran_for_longer() -> None:
    evicted = Survival(at(600, 100), at(300, 100))
    assert percent(evicted, 500) >= percent(Survival(at(600, 100), {}), 500)
    assert percent(evicted, 800) < 5


def test_beyond_all_that_was_seen_the_remaining_time_grows_with_age() -> None:
    found = Survival({}, {})
    hour, day = 3600, 86_400
    after_an_hour = found.after(2 * hour) * 100 // found.after(hour)
    after_a_day = found.after(2 * day) * 100 // found.after(day)
    assert 45 <= after_an_hour <= 55
    assert 45 <= after_a_day <= 55


def test_it_never_grows_with_time() -> None:
    found = Survival({**at(20, 3), **at(700, 9)}, at(90, 4)).by_level
    assert list(found) == sorted(found, reverse=True)
    assert 0 <= found[-1] <= found[0] == ONE
