"""How room came free: in the last hour and in the last day, whatever the order of the events."""

from random import Random

from elasticquota.forecast.turnover import Freed, QuotaTurnover
from elasticquota.model.wait_estimate import Turnover


MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_790_000_000_000 - 1_790_000_000_000 % HOUR
POD = {"cpu": 1000, "pods": 1}


def published(found: QuotaTurnover) -> Turnover:
    seen = found.published()
    assert seen is not None
    return seen


def test_a_quota_without_an_end_publishes_nothing() -> None:
    assert QuotaTurnover(START).published() is None


def test_what_ended_counts_for_the_hour_and_for_the_day() -> None:
    found = QuotaTurnover(START)
    found.ended(START + HOUR, POD)
    found.ended(START + 5 * HOUR, POD)
    found.ended(START + 5 * HOUR + 20 * MINUTE, {"cpu": 500, "memory": 7, "pods": 1})
    assert published(found) == Turnover(
        since=START,
        at=START + 5 * HOUR + 20 * MINUTE,
        pods_last_hour=2,
        pods_last_day=3,
        freed_last_hour={"cpu": 1500, "memory": 7, "pods": 2},
        freed_last_day={"cpu": 2500, "memory": 7, "pods": 3},
    )


def test_after_a_day_an_end_no_longer_counts() -> None:
    found = QuotaTurnover(START)
    found.ended(START, POD)
    assert found.last_day(START + 23 * HOUR).pods == 1
    assert found.last_day(START + 28 * HOUR).pods == 0


def test_what_is_published_does_not_change_because_time_passes() -> None:
    found = QuotaTurnover(START)
    found.ended(START, POD)
    before = published(found)
    found.last_day(START + 28 * HOUR)
    assert published(found) == before


def test_a_rate_counts_from_the_moment_since_when_the_quota_is_observed() -> None:
    found = QuotaTurnover(START)
    for _ in range(6):
        found.ended(START + HOUR, POD)
    assert found.last_day(START + 2 * HOUR).seconds({"cpu": 3000}) == HOUR // 1000
    assert found.last_day(START + 4 * HOUR).seconds({"cpu": 3000}) == 2 * HOUR // 1000


def test_a_rate_is_that_of_a_day_and_not_of_the_time_since_the_first_end() -> None:
    found = QuotaTurnover(START - 48 * HOUR)
    for _ in range(24):
        found.ended(START, POD)
    assert found.last_day(START + 3 * HOUR).seconds({"cpu": 1000}) == HOUR // 1000


def test_of_several_resources_the_slowest_counts() -> None:
    freed = Freed({"cpu": 1000, "memory": 10}, 100_000)
    assert freed.seconds({"cpu": 2000}) == 200
    assert freed.seconds({"cpu": 2000, "memory": 30}) == 300


def test_what_is_free_already_takes_a_second() -> None:
    assert Freed({"cpu": 1000}, 100_000).seconds({"cpu": -5}) == 1


def test_the_order_of_events_does_not_matter() -> None:
    events = [START + step * 7 * MINUTE for step in range(400)]
    one, other = QuotaTurnover(START), QuotaTurnover(START)
    for at in events:
        one.ended(at, POD)
    shuffled = events[:]
    Random(3).shuffle(shuffled)
    for at in shuffled:
        other.ended(at, POD)
    assert published(one) == published(other)


def test_the_size_does_not_grow_with_the_number_of_pods() -> None:
    found = QuotaTurnover(START)
    for step in range(20_000):
        found.ended(START + step * MINUTE // 4, POD)
    assert len(found._hour._slots) + len(found._day._slots) <= 16


def test_a_new_process_goes_on_with_what_was_published() -> None:
    found = QuotaTurnover(START)
    for step in range(50):
        found.ended(START + step * 20 * MINUTE, POD)
    before = published(found)
    restored = QuotaTurnover(before.at + MINUTE)
    restored.restore(before)
    assert published(restored) == before
    assert restored.last_day(before.at + MINUTE) == found.last_day(before.at + MINUTE)


def test_what_was_published_is_forgotten_bit_by_bit_and_not_a_day_later_at_once() -> None:
    found = QuotaTurnover(START)
    for step in range(240):
        found.ended(START + step * 6 * MINUTE, POD)
    restored = QuotaTurnover(START + 24 * HOUR)
    restored.restore(published(found))
    assert 100 <= restored.last_day(START + 36 * HOUR).pods <= 150
