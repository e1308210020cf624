"""Ranges follow the errors of the last estimates, so that most starts lie within them."""

from random import Random

from elasticquota.forecast import accuracy
from elasticquota.forecast.accuracy import Accuracy, Kind, Prediction, Promises
from elasticquota.model.wait_estimate import WaitRange


def prediction(
    point: int = 600,
    position: int = 1,
    kind: Kind = "own",
    said: WaitRange | None = None,
    made_at: int = 0,
) -> Prediction:
    return Prediction(made_at, kind, position, point, said)


def test_before_anything_is_known_a_range_is_a_sixth_to_three_times_of_the_estimate() -> None:
    low, high = accuracy.of_point(Accuracy(), Accuracy(), "own", 1, 600)
    assert 90 <= low <= 110
    assert high is not None
    assert 1750 <= high <= 1900


def test_a_quota_whose_pods_start_as_estimated_gets_a_narrow_range() -> None:
    own = Accuracy()
    for _ in range(30):
        own.note(prediction(), 600)
    low, high = accuracy.of_point(own, Accuracy(), "own", 1, 1000)
    assert high is not None
    assert low > 900
    assert high < 1100


def test_a_quota_whose_pods_start_late_gets_a_later_range() -> None:
    own = Accuracy()
    for _ in range(30):
        own.note(prediction(), 2400)
    assert accuracy.of_point(own, Accuracy(), "own", 1, 600).low > 2000


def test_errors_of_other_positions_and_quotas_count_until_there_are_enough() -> None:
    own, every = Accuracy(), Accuracy()
    for _ in range(30):
        every.note(prediction(), 2400)
    assert accuracy.of_point(own, every, "own", 1, 600).low > 2000
    for _ in range(30):
        own.note(prediction(position=8), 600)
    assert accuracy.of_point(own, every, "own", 1, 600).low < 610
    assert accuracy.of_point(own, every, "nodes", 1, 600).low < 110


def test_four_of_five_starts_lie_in_the_range_whatever_the_errors_are() -> None:
    dice, own, kept = Random(1), Accuracy(), 0
    for turn in range(600):
        low, high = accuracy.of_point(own, Accuracy(), "own", 1, 600)
        waited = int(600 * dice.paretovariate(0.9) * dice.random())
        if turn >= 100:
            kept += high is not None and low <= waited <= high
        own.note(prediction(), waited)
    assert kept >= 0.8 * 500


def test_starts_are_counted_only_where_a_range_was_published() -> None:
    own = Accuracy()
    own.note(prediction(said=WaitRange(100, 200)), 150)
    own.note(prediction(said=WaitRange(100, 200)), 201)
    own.note(prediction(said=WaitRange(100, None)), 10**6)
    own.note(prediction(), 150)
    assert (own.starts, own.in_range) == (3, 2)


def test_counts_of_an_earlier_process_go_on() -> None:
    own = Accuracy()
    own.restore(starts=10, in_range=99)
    assert (own.starts, own.in_range) == (10, 10)
    own.restore(starts=10**6, in_range=3)
    assert (own.starts, own.in_range) == (200, 3)


def test_promises_are_kept_apart_in_time_and_end_with_the_start() -> None:
    kept = Promises()
    kept.make("a", prediction(made_at=0), 300_000)
    kept.make("a", prediction(made_at=299_999), 300_000)
    kept.make("a", prediction(made_at=300_000), 300_000)
    assert [each.made_at for each in kept.end("a")] == [0, 300_000]
    assert kept.end("a") == []


def test_a_queue_of_any_length_keeps_a_bounded_number_of_promises() -> None:
    kept = Promises()
    for number in range(1000):
        kept.make(f"pod-{number}", prediction(), 300_000)
    assert sum(len(kept.end(f"pod-{number}")) for number in range(1000)) == 64
    kept.make("new", prediction(), 300_000)
    assert len(kept.end("new")) == 1
