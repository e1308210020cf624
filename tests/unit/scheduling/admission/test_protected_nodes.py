"""A released pod is kept off the nodes on which room for other pods is being freed."""

from collections.abc import Mapping

import pytest

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.clocks import Clocks, Nomination
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.scheduling.admission import protected_nodes
from elasticquota.scheduling.admission.protected_nodes import MOST_EXCLUDED, Protected
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.structs import replace
from worlds import TREE, World


HOSTNAME = "kubernetes.io/hostname"


def being_freed(*, hostname: str = "node-0.example") -> World:
    """Own waits for the whole of node-0, half of which is free; node-1 has six cpu free."""
    world = World(nodes=2, cpu=8)
    for name, host in (("node-0", hostname), ("node-1", "node-1.example")):
        node = world.ledger.nodes[name]
        without = {key: value for key, value in node.labels.items() if key != HOSTNAME}
        labels = {**without, HOSTNAME: host} if host else without
        world.ledger.upsert_node(replace(node, labels=labels))
    world.quota("own", min=8)
    world.quota("bor")
    world.pods("bor", 4, node="node-0", deleting=True)
    world.pods("bor", 2, node="node-1")
    world.pods("own", cpu=8, waiting=True)
    return world


def kept_off(decisions: Decisions) -> Mapping[str, tuple[str, ...]]:
    """By name of a released pod, the hosts that it must not start on."""
    return {
        release.pod.name: tuple(
            host
            for each in release.nodes.requirements
            if (each.key, each.operator) == (HOSTNAME, "NotIn")
            for host in each.values
        )
        for release in decisions.releases
    }


def test_a_pod_released_meanwhile_does_not_start_where_room_is_kept() -> None:
    world = being_freed()
    (small,) = world.pods("bor", waiting=True)
    assert kept_off(world.decide()) == {small.key.name: ("node-0.example",)}
    assert world.decide().clocks.booked == {small.uid: "node-1"}


def test_a_pod_that_can_start_on_no_such_node_gets_no_affinity() -> None:
    world = being_freed()
    (small,) = world.pods("bor", waiting=True)
    there = Constraints(((HOSTNAME, "node-1.example"),))
    world.ledger.upsert_pod(replace(small, constraints=there))
    assert kept_off(world.decide()) == {small.key.name: ()}


def test_a_node_that_has_no_hostname_cannot_be_named() -> None:
    world = being_freed(hostname="")
    (small,) = world.pods("bor", waiting=True)
    assert kept_off(world.decide()) == {small.key.name: ()}


def test_kept_room_on_a_node_with_room_for_both_is_not_taken() -> None:
    world = being_freed()
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": 10_000}))
    one, two = world.pods("bor", 2, waiting=True)
    assert kept_off(world.decide()) == {one.key.name: (), two.key.name: ()}


def test_of_two_pods_that_fit_beside_kept_room_one_by_one_the_second_is_kept_off() -> None:
    world = being_freed()
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": 9_000}))
    one, two = world.pods("bor", 2, waiting=True)
    assert kept_off(world.decide()) == {one.key.name: (), two.key.name: ("node-0.example",)}


def test_a_pod_is_kept_off_where_it_finds_no_pod_to_preempt_elsewhere() -> None:
    """Another pod may take its place on node-1, where it then waits: all there are as important."""
    world = World(nodes=2, cpu=8)
    world.quota("own", min=5)
    world.quota("bor")
    world.quota("other")
    world.pods("other", 4, node="node-0", deleting=True)
    world.pods("bor", node="node-0")
    world.pods("other", 6, node="node-1", priority=5)
    world.pods("own", cpu=5, waiting=True)
    one, two = world.pods("bor", 2, cpu=2, waiting=True, priority=5)
    decisions = world.decide()
    assert decisions.clocks.booked == {one.uid: "node-0", two.uid: "node-1"}
    assert kept_off(decisions) == {one.key.name: ("node-1",), two.key.name: ("node-0",)}


@pytest.mark.parametrize("refused", [False, True])
def test_a_pod_is_kept_off_room_that_one_without_a_node_takes_first(refused: bool) -> None:
    world = being_freed()
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": 10_000}))
    world.node("node-2", cpu=7)
    world.pods("bor", 6, node="node-0", deleting=True)
    if refused:
        (taker,) = world.pods("bor", cpu=2, bound=False, unplaced_since=0)
        there = Constraints(((HOSTNAME, "node-0.example"),))
        world.ledger.upsert_pod(replace(taker, refused=True, constraints=there))
    (small,) = world.pods("bor", waiting=True)
    assert kept_off(world.decide()) == {small.key.name: ("node-0.example",) if refused else ()}


def test_a_pod_is_kept_off_a_node_that_is_full_until_its_victims_are_gone() -> None:
    """They may be gone before the scheduler binds the pod."""
    world = being_freed()
    world.node("node-2", cpu=8)
    world.pods("bor", node="node-2")
    world.pods("bor", 4, node="node-0", deleting=True)
    (small,) = world.pods("bor", waiting=True)
    assert kept_off(world.decide()) == {small.key.name: ("node-0.example",)}


def test_a_pod_that_was_released_is_expected_where_it_was_to_start() -> None:
    """Else kept room would move from cycle to cycle, and victims with it."""
    world = World(nodes=2, cpu=8)
    world.quota("own")
    (started,) = world.pods("own", cpu=2, bound=False)
    world.ledger.remember(Clocks(booked={started.uid: "node-1"}))
    (waiting,) = world.pods("own", cpu=7, waiting=True)
    assert world.decide().clocks.booked == {started.uid: "node-1", waiting.uid: "node-0"}
    world.ledger.upsert_pod(replace(started, node_name="node-1"))
    assert world.decide().clocks.booked == {waiting.uid: "node-0"}


def test_a_pod_whose_node_is_full_is_expected_elsewhere() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own")
    (started,) = world.pods("own", cpu=4, bound=False)
    world.ledger.remember(Clocks(booked={started.uid: "node-0"}))
    world.pods("own", cpu=5, node="node-0")
    world.pods("own", cpu=5, waiting=True)
    assert world.decide().releases == ()


def test_a_pod_is_not_kept_off_the_node_on_which_it_is_expected() -> None:
    """Of node-0, 8 of 10 cpu are kept, and the small pod just fits beside them."""
    world = being_freed()
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": 10_000}))
    (small,) = world.pods("bor", cpu=2, waiting=True)
    there = Constraints(((HOSTNAME, "node-0.example"),))
    world.ledger.upsert_pod(replace(small, constraints=there))
    decisions = world.decide()
    assert kept_off(decisions) == {small.key.name: ()}
    assert decisions.clocks.booked == {small.uid: "node-0"}


def test_a_pod_leaves_the_node_where_room_is_kept_for_a_pod_of_another_kind() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    (large,) = world.pods("team-a", cpu=8, waiting=True)
    nodes = NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods())
    nodes.reservations.keep("node-1", nodes.kind("team-a", large))
    known = Protected(nodes)
    assert protected_nodes.with_kept_room(nodes, "team-a", small, known) == ["node-1"]
    assert protected_nodes.with_kept_room(nodes, "team-a", large, known) == []


@pytest.mark.parametrize("pools", [None, Pools((Pool("all"),), ("cpu",))], ids=["none", "one"])
def test_a_pod_may_take_the_room_that_is_kept_for_one_of_its_kind(pools: Pools | None) -> None:
    """That one may start where it does not. A kind says what is requested of a pool, too."""
    world = World(nodes=2, cpu=8)
    (profile,) = world.ledger.profiles.values()
    world.ledger.upsert_profile(replace(profile, pools=pools))
    world.quota("team-a")
    world.pods("team-a", cpu=8, node="node-0", deleting=True)
    first, _ = world.pods("team-a", 2, cpu=8, waiting=True)
    assert kept_off(world.decide()) == {first.key.name: ()}


def test_pods_for_which_room_was_made_on_two_nodes_do_not_take_that_of_each_other() -> None:
    """One may preempt the other: it has its own node for certain, as the other is kept off it."""
    world = World(nodes=2, cpu=3)
    world.quota("large")
    world.quota("small")
    (large,) = world.pods("large", cpu=3, priority=5, waiting=True)
    (small,) = world.pods("small", cpu=1, waiting=True)
    nominated = {
        large.uid: Nomination("large", ("node-1",)),
        small.uid: Nomination("small", ("node-0",)),
    }
    world.ledger.remember(Clocks(nominated=nominated))
    found = kept_off(world.decide())
    assert found == {large.key.name: ("node-0",), small.key.name: ("node-1",)}


def released_for(world: World, rooms: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """What pods are kept off that all start now; ``rooms``: by uid, the node cleared for them."""
    nominated = {uid: Nomination("own", (node,)) for uid, node in rooms.items()}
    world.ledger.remember(Clocks(nominated=nominated))
    return kept_off(world.decide())


def test_two_pods_for_which_victims_went_do_not_take_each_others_room() -> None:
    """The large one goes to node-0 only, so the important one is sure of node-1."""
    world = World(nodes=2, cpu=2)
    world.quota("own")
    (large,) = world.pods("own", cpu=2, waiting=True)
    (important,) = world.pods("own", waiting=True, priority=9)
    found = released_for(world, {large.uid: "node-0", important.uid: "node-1"})
    assert found == {large.key.name: ("node-1",), important.key.name: ("node-0",)}


def test_a_pod_that_cannot_change_places_with_one_of_its_size_does_not_take_its_room() -> None:
    world = World(nodes=0)
    world.node("node-0", cpu=4)
    world.node("node-1", cpu=2)
    world.quota("own")
    one, two = world.pods("own", 2, cpu=2, waiting=True)
    (important,) = world.pods("own", waiting=True, priority=9)
    rooms = {one.uid: "node-0", two.uid: "node-1", important.uid: "node-0"}
    assert released_for(world, rooms) == {
        one.key.name: ("node-1",),
        two.key.name: ("node-0",),
        important.key.name: ("node-1",),
    }


def test_a_pod_does_not_take_the_room_of_those_that_are_kept_off_its_own() -> None:
    world = World(nodes=2, cpu=2)
    world.quota("own")
    (large,) = world.pods("own", cpu=2, waiting=True)
    one, two = world.pods("own", 2, waiting=True)
    assert released_for(world, {large.uid: "node-0"}) == {
        large.key.name: ("node-1",),
        one.key.name: ("node-0",),
        two.key.name: ("node-0",),
    }


def test_two_pods_do_not_take_together_the_room_of_one_for_which_victims_went() -> None:
    """Each alone has room beside it, and both are expected on node-1."""
    world = World(nodes=2, cpu=3)
    world.quota("own")
    world.pods("own")
    (due,) = world.pods("own", waiting=True)
    here = Constraints(((HOSTNAME, "node-0"),))
    world.ledger.upsert_pod(replace(due, constraints=here))
    gang = Group("train", 2)
    one, two = world.pods("own", 2, waiting=True, priority=5, group=gang)
    found = released_for(world, {due.uid: "node-0"})
    assert found == {due.key.name: (), one.key.name: (), two.key.name: ("node-0",)}


def test_two_pods_that_may_preempt_keep_to_their_nodes_where_one_of_them_would_take_kept_room() -> (
    None
):
    """One cpu of each node is left beside kept room. Either alone has to be free to go to both."""
    world = World(nodes=2, cpu=4)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    world.pods("team-a", cpu=3, node="node-0")
    world.pods("team-b", cpu=2, node="node-1")
    (one,) = world.pods("team-a", waiting=True, priority=5)
    (two,) = world.pods("team-b", waiting=True, priority=5)
    world.pods("team-b", cpu=3, waiting=True, priority=5)
    decisions = world.decide()
    assert len(decisions.evictions) == 1
    off = kept_off(decisions)
    assert sorted((off[one.key.name], off[two.key.name])) == [("node-0",), ("node-1",)]


@pytest.mark.parametrize("count", [1, MOST_EXCLUDED, MOST_EXCLUDED + 1])
def test_a_pod_keeps_off_all_nodes_with_less_important_pods_unless_they_are_too_many(
    count: int,
) -> None:
    nodes, important = with_pods_on(count)
    found = protected_nodes.with_less_important(nodes, "team-a", important)
    assert len(found) == (count if count <= MOST_EXCLUDED else 0)


def test_a_pod_that_may_not_preempt_keeps_off_no_node() -> None:
    nodes, important = with_pods_on(1)
    gentle = replace(important, may_preempt=False)
    assert protected_nodes.with_less_important(nodes, "team-a", gentle) == []


def with_pods_on(count: int) -> tuple[NodeCapacity, Pod]:
    """So many nodes full of pods of priority 0, and one of high priority that waits."""
    world = World(nodes=count, cpu=2)
    world.quota("team-a")
    for number in range(count):
        world.pods("team-a", cpu=2, node=f"node-{number}")
    (important,) = world.pods("team-a", cpu=2, priority=1000, waiting=True)
    return NodeCapacity(world.ledger.update(Accounting()), TREE, (), ExpectedPods()), important
