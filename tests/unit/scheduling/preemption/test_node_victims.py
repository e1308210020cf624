"""A node is cleared for a pod that has room in its quota and on no single node."""

import pytest

from elasticquota.model.decision import Decisions
from elasticquota.scheduling.policy import Policy
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)


def scattered(team_min: int, **facts: object) -> World:
    """Of two nodes of 4 cpu, team-a leaves 2 free on the first and 1 on the second.

    The owner's pod needs 3 on one node.
    """
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=3)
    world.quota("team-a", min=team_min)
    world.pods("team-a", 2, node="node-0", **facts)  # type: ignore[arg-type]
    world.pods("team-a", 3, node="node-1")
    world.pods("owner", cpu=3, waiting=True)
    return world


def cleared(world: World, decisions: Decisions) -> list[str]:
    return [world.ledger.pods[eviction.pod].node_name for eviction in decisions.evictions]


@pytest.mark.parametrize(("team_min", "nodes"), [(3, ["node-0"]), (4, ["node-0"]), (5, [])])
def test_a_quota_is_asked_for_pods_down_to_its_min_and_no_further(
    team_min: int, nodes: list[str]
) -> None:
    world = scattered(team_min)
    assert cleared(world, world.decide(policy=AT_ONCE)) == nodes


def test_the_message_of_the_victim_names_the_node_and_what_is_held_beyond_min() -> None:
    (eviction,) = scattered(4).decide(policy=AT_ONCE).evictions
    assert eviction.message == (
        "quota team-a (tree pool-root): holds 1 cpu beyond its min; quota owner waits for its min "
        "on node node-0"
    )


def test_a_node_with_less_important_victims_is_cleared_though_there_are_more_of_them() -> None:
    world = scattered(3, priority=1)
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-1"] * 2


def test_a_node_of_which_too_few_pods_may_go_is_not_cleared() -> None:
    world = scattered(4, priority=1)
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-0"]
