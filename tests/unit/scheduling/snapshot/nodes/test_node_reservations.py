"""What a cycle books on a node counts now; what it keeps there counts beside what leaves."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.scheduling.snapshot.nodes.node_reservations import Kind
from worlds import TREE, World


NODE = "node-0"


def cpu(amount: int) -> Kind:
    """Pods of so much cpu that may run on the nodes of no tree."""
    return Kind(None, frozenset({("cpu", amount)}))


def victim(amount: int) -> Pod:
    """A pod of so much cpu."""
    return Pod(Key("teams", "victim"), "victim", "2026-01-01", request={"cpu": amount})


def nodes_of(*, held: int = 0, deleting: bool = False) -> NodeCapacity:
    """One node of 8 cpu."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", held, deleting=deleting)
    return NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods())


def test_what_is_booked_is_no_longer_free() -> None:
    reservations = nodes_of().reservations
    reservations.book(NODE, cpu(6_000))
    assert reservations.beside(NODE) == {"cpu": 6_000}
    assert reservations.missing(NODE, {"cpu": 3_000}) == {"cpu": 1_000}


def test_kept_room_is_first_taken_from_what_leaves() -> None:
    reservations = nodes_of(held=3, deleting=True).reservations
    reservations.keep(NODE, cpu(4_000))
    assert reservations.beside(NODE) == {"cpu": 1_000}


def test_a_victim_makes_room_and_without_it_the_room_is_gone_again() -> None:
    reservations = nodes_of(held=8).reservations
    assert reservations.missing(NODE, {"cpu": 2_000}) == {"cpu": 2_000}
    reservations.expect_removal(NODE, victim(2_000))
    assert reservations.missing(NODE, {"cpu": 2_000}) == {}
    reservations.expect_removal(NODE, victim(2_000), undo=True)
    assert reservations.missing(NODE, {"cpu": 2_000}) == {"cpu": 2_000}


def test_a_request_takes_kept_room_only_where_both_do_not_fit() -> None:
    reservations = nodes_of().reservations
    reservations.keep(NODE, cpu(4_000))
    assert not reservations.takes_kept_room(NODE, {"cpu": 4_000})
    assert reservations.takes_kept_room(NODE, {"cpu": 5_000})
    assert reservations.kept_for[NODE] == [cpu(4_000)]


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
    assert nodes.reservations.kept_for[victim.node_name]


def test_room_moves_to_an_idle_node_and_the_victim_takes_none() -> None:
    nodes, victim = crowded(idle_nodes=1)
    assert not nodes.needs_node_of(victim)
    assert not nodes.reservations.kept_for[victim.node_name]
    assert nodes.reservations.kept_for["node-1"]
