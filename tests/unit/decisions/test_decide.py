"""A decision ends with its cycle: what it needed is freed at once, and not by the collector."""

import gc
from collections.abc import Callable, Iterator

import pytest

from elasticquota.model.group import Group
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


def _usual(_: World) -> None:
    """Nothing more."""


def _gangs(world: World) -> None:
    world.pods("team-b", 4, waiting=True, group=Group("g", 4))
    world.pods("team-a", 2, group=Group("running", 2))


def _grows(world: World) -> None:
    world.elastic(60, largest=8)


def _observed(world: World) -> None:
    world.observe()


def _jobs(world: World) -> None:
    world.job("team-b", "waits", 3)
    world.job("team-a", "runs", 2, admitted=True)
    world.pods("team-a", 2, job="runs")


@pytest.fixture
def collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("more", [_usual, _gangs, _grows, _observed, _jobs])
def test_a_decision_leaves_no_cycle_of_references_behind(more: Callable[[World], None]) -> None:
    """The controller collects rarely: cycles of some megabytes each would add up meanwhile."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=20)
    world.pods("team-a", 33)
    world.pods("team-a", 2, bound=False)
    world.pods("team-a", 2, waiting=True, priority=9)
    world.pods("team-b", 10, waiting=True)
    world.pods("team-b", 3, cpu=100, waiting=True)
    more(world)
    world.decide()
    gc.collect()
    decisions = world.decide(Policy().grace)
    assert decisions.waits or decisions.would_wait
    del decisions
    assert gc.collect() == 0
