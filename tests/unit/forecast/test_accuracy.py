"""Ranges follow the errors of the last estimates, so that most starts lie within them."""

from random import Random

from elasticquota.forecast import accuracy
from elasticquota.forecast.accuracy import Accuracy, Kind, Prediction
from elasticquota.model.wait_estimate import WaitRange


def prediction(point: int = 600, kind: Kind = "own", said: WaitRange | None = None) -> Prediction:
    return Prediction(0, kind, point, said)


def of_point(own: Accuracy, every: Accuracy, point: int, kind: Kind = "own") -> WaitRange:
    return accuracy.around(point, accuracy.bounds(own, every, kind))


def seen(waited: int, kind: Kind = "own") -> Accuracy:
    """Of estimates of 10 minutes for waits of ``waited`` seconds."""
    found = Accuracy()
    for _ in range(30):
        found.note(prediction(kind=kind), waited)
    return found


def test_before_anything_is_known_a_range_is_a_tenth_to_five_times_of_the_estimate() -> None:
    assert of_point(Accuracy(), Accuracy(), 600) == WaitRange(60, 3000)


def test_a_quota_whose_pods_start_as_estimated_gets_a_narrow_range() -> None:
    assert of_point(seen(600), Accuracy(), 1000) == WaitRange(1000, 1001)


def test_a_quota_whose_pods_start_late_gets_a_later_range() -> None:
    assert of_point(seen(2400), Accuracy(), 600).low == 2400


def test_errors_of_other_quotas_count_until_there_are_enough_of_the_own() -> None:
    assert of_point(Accuracy(), seen(2400), 600).low == 2400
    assert of_point(seen(600), seen(2400), 600).low == 600


def test_errors_count_only_where_the_same_is_short() -> None:
    assert of_point(seen(2400, "nodes"), Accuracy(), 600, "own").low == 60


def test_four_of_five_starts_lie_in_the_range_whatever_the_errors_are() -> None:
    dice, own, kept = Random(1), Accuracy(), 0
    for turn in range(600):
        low, high = of_point(own, Accuracy(), 600)
        waited = int(600 * dice.paretovariate(0.9) * dice.random())
        if turn >= 100:
            kept += high is not None and low <= waited <= high
        own.note(prediction(), waited)
    assert kept >= 0.8 * 500


def test_no_range_goes_beyond_64_days() -> None:
    assert of_point(Accuracy(), Accuracy(), 2**62) == WaitRange(64 * 86_400, 64 * 86_400)


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
