"""A released pod is kept off nodes where it would take kept room or preempt a pod."""

import pytest

from elasticquota.ledger.accounting import Accounting
from elasticquota.model.pod import Pod
from elasticquota.scheduling.snapshot.nodes import excluded_nodes
from elasticquota.scheduling.snapshot.nodes.excluded_nodes import MOST_EXCLUDED
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.structs import replace
from worlds import TREE, World


def test_a_pod_leaves_the_node_where_room_is_kept_for_a_pod_of_another_kind() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    (large,) = world.pods("team-a", cpu=8, waiting=True)
    nodes = NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods())
    nodes.reservations.keep("node-1", nodes.kind("team-a", large))
    assert excluded_nodes.with_kept_room(nodes, "team-a", small) == ["node-1"]
    assert excluded_nodes.with_kept_room(nodes, "team-a", large) == []


@pytest.mark.parametrize("count", [1, MOST_EXCLUDED, MOST_EXCLUDED + 1])
def test_a_pod_keeps_off_all_nodes_with_less_important_pods_unless_they_are_too_many(
    count: int,
) -> None:
    nodes, important = with_pods_on(count)
    found = excluded_nodes.with_less_important(nodes, "team-a", important)
    assert len(found) == (count if count <= MOST_EXCLUDED else 0)


def test_a_pod_that_may_not_preempt_keeps_off_no_node() -> None:
    nodes, important = with_pods_on(1)
    gentle = replace(important, may_preempt=False)
    assert excluded_nodes.with_less_important(nodes, "team-a", gentle) == []


def with_pods_on(count: int) -> tuple[NodeCapacity, Pod]:
    """So many nodes full of pods of priority 0, and one of high priority that waits."""
    world = World(nodes=count, cpu=2)
    world.quota("team-a")
    for number in range(count):
        world.pods("team-a", cpu=2, node=f"node-{number}")
    (important,) = world.pods("team-a", cpu=2, priority=1000, waiting=True)
    return NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods()), important
