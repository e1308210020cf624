"""A node that external pods fill again and again costs few evictions."""

from itertools import pairwise

from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota_operator.writers import node_backoff
from elasticquota_operator.writers.node_backoff import NodeBackoff


BEGAN = 1_800_000_000_000
"""Epoch milliseconds."""


def pod(name: str, started: int, node: str) -> Pod:
    """A pod that started so many seconds after the first eviction."""
    at = moments.text(BEGAN + started * 1000)
    return Pod(Key("others", name), name, at, started=at, node_name=node)


def evict(found: NodeBackoff, name: str, started: int, now: float, node: str = "n") -> float:
    return found.evict(pod(name, started, node), int(BEGAN + now * 1000), now)


def test_pods_that_take_the_room_again_are_evicted_after_pauses_that_double() -> None:
    found, now, times = NodeBackoff(), 0.0, list[float]()
    while now < 600:
        pause = evict(found, f"p-{now}", int(now), now)
        if not pause:
            times.append(now)
        now += pause or 0.05
    pauses = [round(later - earlier) for earlier, later in pairwise(times)]
    assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert len(times) < 20


def test_pods_that_were_there_before_go_without_a_pause() -> None:
    found = NodeBackoff()
    assert [evict(found, f"p-{number}", -5, 0.0) for number in range(10)] == [0.0] * 10


def test_a_node_does_not_wait_for_another() -> None:
    found = NodeBackoff()
    assert evict(found, "a", 0, 0.0) == 0.0
    assert evict(found, "b", 0, 0.1) > 0.0
    assert evict(found, "c", 0, 0.1, node="other") == 0.0


def test_a_node_is_forgotten_after_a_while() -> None:
    found = NodeBackoff()
    evict(found, "a", 0, 0.0)
    later = node_backoff.FIRST + node_backoff.MEMORY + 1
    assert evict(found, "b", int(later), later) == 0.0
    assert evict(found, "c", int(later), later + 0.1) > 0.0
