"""How room came free: in the last hour and in the last day, whatever the order of the events."""

from random import Random

from elasticquota.forecast import log_buckets
from elasticquota.forecast.turnover import QuotaTurnover
from elasticquota.model.wait_estimate import Turnover


MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_790_000_000_000
CPU = {"cpu": 1000}


def published(found: QuotaTurnover) -> Turnover:
    seen = found.published(0, 0)
    assert seen is not None
    return seen


def test_a_quota_without_an_end_publishes_nothing() -> None:
    assert QuotaTurnover(START).published(0, 0) is None


def test_what_ended_counts_for_the_hour_and_for_the_day() -> None:
    found = QuotaTurnover(START)
    found.ended(START + HOUR, 600, CPU)
    found.ended(START + 5 * HOUR, 600, CPU)
    found.ended(START + 5 * HOUR + 20 * MINUTE, 6000, {"cpu": 500, "memory": 7})
    assert published(found) == Turnover(
        since=START,
        at=START + 5 * HOUR + 20 * MINUTE,
        pods_last_hour=2,
        pods_last_day=3,
        freed_last_hour={"cpu": 1500, "memory": 7},
        freed_last_day={"cpu": 2500, "memory": 7},
        run_times=((640, 2), (6144, 1)),
    )


def test_after_a_day_an_end_no_longer_counts() -> None:
    found = QuotaTurnover(START)
    found.ended(START, 600, CPU)
    ended, _ = found.run_times(START + 23 * HOUR)
    assert ended.total() == 1
    ended, _ = found.run_times(START + 28 * HOUR)
    assert ended.total() == 0


def test_an_evicted_pod_is_no_end() -> None:
    found = QuotaTurnover(START)
    found.evicted(START, 600)
    ended, evicted = found.run_times(START)
    assert (ended.total(), evicted.total()) == (0, 1)
    assert found.published(0, 0) is None


def test_the_order_of_events_does_not_matter() -> None:
    events = [(START + step * 7 * MINUTE, 10 + step * 13, CPU) for step in range(400)]
    one, other = QuotaTurnover(START), QuotaTurnover(START)
    for event in events:
        one.ended(*event)
    shuffled = events[:]
    Random(3).shuffle(shuffled)
    for event in shuffled:
        other.ended(*event)
    assert published(one) == published(other)


def test_the_size_does_not_grow_with_the_number_of_pods() -> None:
    found = QuotaTurnover(START)
    for step in range(20_000):
        found.ended(START + step * MINUTE // 4, 1 + step % 4000, CPU)
        found.run_times(START + step * MINUTE // 4)
    assert len(found._short) + len(found._long) <= 16
    assert len(published(found).run_times) <= log_buckets.COUNT


def test_a_new_process_goes_on_with_what_was_published() -> None:
    found = QuotaTurnover(START)
    for step in range(50):
        found.ended(START + step * 20 * MINUTE, 100 + step * 50, CPU)
    before = published(found)
    restored = QuotaTurnover(before.at + MINUTE)
    restored.restore(before)
    after = published(restored)
    assert after == before
    ended, _ = restored.run_times(before.at + 2 * MINUTE)
    assert ended.total() == before.pods_last_day
