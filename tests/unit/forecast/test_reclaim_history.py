"""Both quotas of an eviction remember it: who took what from whom, for what, by what right."""

from elasticquota.forecast.reclaim_history import ReclaimHistories
from elasticquota.model.decision import Eviction
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import NO_HISTORY, HourTotals, ReclaimRecord
from elasticquota.structs import replace


SECOND = 1000
HOUR = 3600 * SECOND
NOON = 1_790_000_000_000 // HOUR * HOUR

EVICTION = Eviction(
    pod=Key("team-b", "worker"),
    uid="worker",
    quota="team-b",
    request={"cpu": 2000},
    message="",
    owner="team-a",
    preemptor="pod team-a/train",
    right="min",
)
RECORD = ReclaimRecord(NOON, NOON, "team-b", "team-a", "pod team-a/train", "min", 1, {"cpu": 2000})


def test_lender_and_borrower_keep_the_same_record() -> None:
    histories = ReclaimHistories()
    histories.note(EVICTION, NOON + 7)
    assert histories.of("team-a").records == histories.of("team-b").records == (RECORD,)
    assert histories.of("team-a").hours == (HourTotals(NOON, 0, 1),)
    assert histories.of("team-b").hours == (HourTotals(NOON, 1, 0),)
    assert histories.of("team-c") == NO_HISTORY


def test_many_victims_of_one_cause_are_one_record() -> None:
    histories = ReclaimHistories()
    for second in range(12):
        histories.note(EVICTION, NOON + second * SECOND)
    (record,) = histories.of("team-b").records
    assert (record.pods, record.amounts) == (12, {"cpu": 24_000})
    assert (record.first, record.last) == (NOON, NOON + 11 * SECOND)


def test_another_cause_is_another_record_and_the_newest_comes_first() -> None:
    histories = ReclaimHistories()
    histories.note(EVICTION, NOON)
    histories.note(replace(EVICTION, preemptor="pod team-a/other"), NOON + SECOND)
    histories.note(EVICTION, NOON + HOUR)
    found = histories.of("team-b").records
    assert [each.last for each in found] == [NOON + HOUR, NOON + SECOND, NOON]
    assert histories.of("team-b").hours == (HourTotals(NOON + HOUR, 1, 0), HourTotals(NOON, 2, 0))


def test_an_eviction_for_a_limit_has_no_lender() -> None:
    histories = ReclaimHistories()
    histories.note(replace(EVICTION, owner="", preemptor="", right="limit"), NOON)
    assert histories.quotas() == {"team-b"}


def test_a_preemption_within_a_quota_counts_once() -> None:
    histories = ReclaimHistories()
    histories.note(replace(EVICTION, owner="team-b", right="priority"), NOON)
    (record,) = histories.of("team-b").records
    assert record.pods == 1
    assert histories.of("team-b").hours == (HourTotals(NOON, 1, 1),)


def test_a_history_is_bounded_in_number_and_in_age() -> None:
    histories = ReclaimHistories()
    for number in range(1000):
        histories.note(replace(EVICTION, preemptor=f"pod team-a/{number}"), NOON + number * HOUR)
    found = histories.of("team-a")
    assert len(found.records) == 20
    assert len(found.hours) == 24
    histories.note(EVICTION, NOON + 2000 * HOUR)
    assert len(histories.of("team-a").records) == 1


def test_the_order_in_which_evictions_are_noted_does_not_matter() -> None:
    times = [NOON + second * 90 * SECOND for second in range(12)]
    one, other = ReclaimHistories(), ReclaimHistories()
    for at in times:
        one.note(EVICTION, at)
    for at in reversed(times):
        other.note(EVICTION, at)
    assert one.of("team-b") == other.of("team-b")


def test_a_restored_history_goes_on() -> None:
    before, after = ReclaimHistories(), ReclaimHistories()
    before.note(EVICTION, NOON)
    after.restore("team-b", before.of("team-b"))
    after.note(EVICTION, NOON + SECOND)
    (record,) = after.of("team-b").records
    assert record.pods == 2
    after.forget({"team-b"})
    assert after.of("team-b") == NO_HISTORY
