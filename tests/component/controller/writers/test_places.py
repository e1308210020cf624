"""A place that external pods fill again and again costs few evictions."""

from itertools import pairwise

from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota_operator.writers import places
from elasticquota_operator.writers.places import Places


BEGAN = 1_800_000_000_000
"""Epoch milliseconds."""


def pod(name: str, started: int) -> Pod:
    """A pod that started so many seconds after the first eviction."""
    at = moments.text(BEGAN + started * 1000)
    return Pod(Key("others", name), name, at, started=at, node_name="n")


def evict(found: Places, name: str, started: int, now: float, node: str = "n") -> float:
    return found.evict(node, pod(name, started), int(BEGAN + now * 1000), now)


def test_pods_that_take_the_room_again_are_evicted_after_pauses_that_double() -> None:
    found, now, times = Places(), 0.0, list[float]()
    while now < 600:
        pause = evict(found, f"p-{now}", int(now), now)
        if not pause:
            times.append(now)
        now += pause or 0.05
    pauses = [round(later - earlier) for earlier, later in pairwise(times)]
    assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert len(times) < 20


def test_pods_that_were_there_before_go_without_a_pause() -> None:
    found = Places()
    assert [evict(found, f"p-{number}", -5, 0.0) for number in range(10)] == [0.0] * 10


def test_a_node_does_not_wait_for_another() -> None:
    found = Places()
    assert evict(found, "a", 0, 0.0) == 0.0
    assert evict(found, "b", 0, 0.1) > 0.0
    assert evict(found, "c", 0, 0.1, node="other") == 0.0


def test_a_place_is_forgotten_after_a_while() -> None:
    found = Places()
    evict(found, "a", 0, 0.0)
    later = places.FIRST + places.MEMORY + 1
    assert evict(found, "b", int(later), later) == 0.0
    assert evict(found, "c", int(later), later + 0.1) > 0.0
