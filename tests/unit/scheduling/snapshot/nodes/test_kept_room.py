"""A victim is spared where another node can keep the room."""

from elasticquota.ledger.accounting import Accounting
from elasticquota.model.pod import Pod
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from worlds import TREE, World


def crowded(idle_nodes: int) -> tuple[NodeCapacity, Pod]:
    """Room for 8 cpu is kept on node-0, where a victim of 8 cpu runs; the others are idle."""
    world = World(nodes=1 + idle_nodes, cpu=8)
    world.quota("team-a")
    (victim,) = world.pods("team-a", cpu=8)
    (waiting,) = world.pods("team-a", cpu=8, waiting=True)
    nodes = NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods())
    nodes.reservations.keep(victim.node_name, nodes.kind("team-a", waiting))
    return nodes, victim


def test_a_victim_on_the_only_node_takes_the_kept_room() -> None:
    nodes, victim = crowded(idle_nodes=0)
    assert nodes.needs_node_of(victim)
    assert nodes.reservations.kept_for(victim.node_name)


def test_room_moves_to_an_idle_node_and_the_victim_takes_none() -> None:
    nodes, victim = crowded(idle_nodes=1)
    assert not nodes.needs_node_of(victim)
    assert not nodes.reservations.kept_for(victim.node_name)
    assert nodes.reservations.kept_for("node-1")
