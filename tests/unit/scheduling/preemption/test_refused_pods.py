"""For an admitted pod that the scheduler refuses, a few nodes are cleared; then it makes way."""

import pytest

from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.node import Taint
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption import refused_pods
from elasticquota.scheduling.snapshot.nodes.expected_pods import EXPECTED_FOR, REFUSED_FOR
from elasticquota.structs import replace
from worlds import World


SOON = REFUSED_FOR
TIMEOUT = Policy().accounting.unschedulable_timeout


def refused(world: World, quota: str, cpu: int = 1, *, preemptible: bool = True) -> Pod:
    """A pod that was admitted at the epoch, and that no node takes for unknown reasons."""
    (pod,) = world.pods(quota, cpu=cpu, bound=False, unplaced_since=0, preemptible=preemptible)
    pod = replace(pod, refused=True)
    world.ledger.upsert_pod(pod)
    return pod


def full(nodes: int = 4) -> World:
    """Quota bor holds all nodes except 1 cpu of node-0; quota own has a min of 4 cpu."""
    world = World(nodes=nodes, cpu=8)
    world.quota("own", min=4)
    world.quota("bor")
    for number in range(nodes):
        world.pods("bor", 8 if number else 7, node=f"node-{number}")
    return world


def at(world: World, time: int) -> Decisions:
    """Decide with both clocks at ``time``."""
    world.ledger.set_time(time)
    return world.decide(time)


def nodes(world: World, decisions: Decisions) -> set[str]:
    return {world.ledger.pods[eviction.pod].node_name for eviction in decisions.evictions}


def test_within_min_a_node_is_cleared_for_it_after_some_seconds() -> None:
    world = full()
    refused(world, "own")
    early = at(world, SOON - 1)
    assert early.evictions == ()
    assert early.wake_at == SOON
    found = at(world, SOON)
    assert [(each.quota, each.owner) for each in found.evictions] == [("bor", "own")]
    assert "node-0" not in nodes(world, found), "that one has room"


def test_beyond_min_no_pod_is_evicted_for_it() -> None:
    world = full()
    refused(world, "own", cpu=5)
    assert at(world, SOON).evictions == ()


def test_the_next_node_is_cleared_when_the_scheduler_had_time_to_use_the_last() -> None:
    world = full(nodes=refused_pods.MAX_CLEARED_NODES + 2)
    refused(world, "own")
    time = SOON
    cleared: list[str] = []
    while (found := at(world, time)).evictions:
        for each in found.evictions:
            world.ledger.expect_eviction(each.uid)
        assert at(world, time + 1).evictions == (), "while they are on their way out"
        cleared += nodes(world, found)
        world.carry_out_evictions(found)
        assert at(world, time + 1).evictions == ()
        assert at(world, time + refused_pods.PAUSE).evictions == ()
        time += refused_pods.PAUSE + 1
    assert len(set(cleared)) == refused_pods.MAX_CLEARED_NODES == len(cleared)


def test_another_zone_is_tried_before_another_node_of_the_same() -> None:
    world = full()
    for name, zone in (("node-1", "a"), ("node-2", "a"), ("node-3", "b")):
        node = world.ledger.nodes[name]
        labels = {**node.labels, "topology.kubernetes.io/zone": zone}
        world.ledger.upsert_node(replace(node, labels=labels))
    refused(world, "own")
    first = at(world, SOON)
    zones = {
        world.ledger.nodes[name].labels["topology.kubernetes.io/zone"]
        for name in nodes(world, first)
    }
    world.carry_out_evictions(first)
    second = at(world, SOON + refused_pods.PAUSE)
    assert {
        world.ledger.nodes[name].labels["topology.kubernetes.io/zone"]
        for name in nodes(world, second)
    } == {"a", "b"} - zones


def test_it_holds_no_node_so_others_may_run_there() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("own", min=4)
    refused(world, "own", cpu=4)
    world.quota("other")
    world.pods("other", 4, waiting=True)
    assert len(at(world, SOON).releases) == 4


def test_after_the_timeout_it_takes_no_room_of_others_of_its_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("own", min=8, max=16)
    refused(world, "own", cpu=8)
    world.pods("own", cpu=8, waiting=True)
    assert at(world, TIMEOUT - 1).releases == ()
    found = at(world, TIMEOUT)
    assert (len(found.releases), found.evictions) == (1, ())


def test_where_max_is_reached_it_makes_way_for_a_more_important_one_of_its_quota_only() -> None:
    """One as important might be without a node next, and would make way in turn, without end."""
    world = World(nodes=1, cpu=8)
    world.quota("own", min=4, max=4)
    stuck = refused(world, "own", cpu=4)
    world.pods("own", cpu=4, waiting=True)
    assert at(world, TIMEOUT).evictions == ()
    world.pods("own", cpu=4, waiting=True, priority=1, may_preempt=False)
    assert at(world, TIMEOUT - 1).evictions == ()
    found = at(world, TIMEOUT)
    assert [each.uid for each in found.evictions] == [stuck.uid]
    assert "no node takes it" in found.evictions[0].message
    world.carry_out_evictions(found)
    assert len(at(world, TIMEOUT).releases) == 1


def test_where_it_goes_for_a_lowered_max_no_pod_starts_in_its_place_before_it_is_gone() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("own", max=6)
    stuck = refused(world, "own", cpu=4)
    world.pods("own", 2)
    world.quota("own", max=4)
    world.pods("own", waiting=True)
    at(world, TIMEOUT)
    found = at(world, TIMEOUT + Policy().delay)
    assert ([each.uid for each in found.evictions], found.releases) == ([stuck.uid], ())
    world.carry_out_evictions(found)
    assert len(at(world, TIMEOUT + Policy().delay).releases) == 1


def test_after_the_timeout_a_non_preemptible_pod_makes_way_too() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("own", min=4, max=4)
    stuck = refused(world, "own", cpu=4, preemptible=False)
    world.pods("own", cpu=4, waiting=True, priority=1)
    assert [each.uid for each in at(world, TIMEOUT).evictions] == [stuck.uid]


def test_it_stays_while_no_pod_needs_its_place() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("own", min=4, max=4)
    refused(world, "own", cpu=4)
    world.quota("other")
    world.pods("other", 4, waiting=True)
    assert at(world, TIMEOUT).evictions == ()


def in_the_way() -> World:
    """Quota bor, min 2, lent all but 1 cpu of node-0 and waits for 2 more; node-1 is half full."""
    world = World(nodes=2, cpu=3)
    world.quota("own", min=2)
    world.quota("bor", min=2)
    world.quota("other", min=2)
    world.pods("other", cpu=2, node="node-1")
    world.pods("bor", cpu=2, node="node-0")
    return world


def test_where_it_would_take_the_room_of_an_owner_it_makes_way_whatever_its_own_min() -> None:
    """It does not run. If it stayed the other one would go in vain."""
    world = in_the_way()
    stuck = refused(world, "bor", cpu=2)
    (waiting,) = world.pods("own", cpu=2, waiting=True)
    at(world, SOON)
    found = at(world, SOON + Policy().grace)
    assert {(each.quota, each.right) for each in found.evictions} == {
        ("bor", "min"),
        ("bor", "no node"),
    }
    messages = {each.uid: each.message for each in found.evictions}
    assert messages[stuck.uid].startswith(
        f"no node takes it, and pod {waiting.key} of quota own gets room that it waits for."
    )
    world.carry_out_evictions(found)
    assert [each.uid for each in at(world, SOON + Policy().grace).releases] == [waiting.uid]


def test_one_that_may_not_be_evicted_does_not_keep_an_owner_from_its_min() -> None:
    world = in_the_way()
    refused(world, "bor", cpu=2, preemptible=False)
    world.pods("own", cpu=2, waiting=True)
    at(world, SOON)
    found = at(world, SOON + Policy().grace)
    assert [(each.quota, each.right) for each in found.evictions] == [("bor", "min")]


def test_a_pod_beyond_its_min_makes_way_for_one_that_it_would_take_the_cleared_room_from() -> None:
    world = World(nodes=1, cpu=3)
    world.quota("own", min=3)
    world.quota("bor")
    world.pods("own", cpu=2)
    world.pods("bor")
    late, mine = refused(world, "bor"), refused(world, "own")
    found = at(world, SOON)
    assert {each.quota for each in found.evictions} == {"bor"}
    assert {each.owner for each in found.evictions} == {"own"}
    assert len(found.evictions) == 2
    assert late.uid in {each.uid for each in found.evictions}
    assert mine.uid not in {each.uid for each in found.evictions}


def test_the_cleared_room_stays_its_own_until_the_scheduler_had_time_to_use_it() -> None:
    """Also where the last of the victims took long to end."""
    world = World(nodes=2, cpu=4)
    world.quota("own", min=4)
    world.quota("other", min=3)
    world.quota("bor")
    world.pods("other", cpu=3, node="node-1")
    (slow,) = world.pods("bor", cpu=4, node="node-0")
    refused(world, "own", cpu=3)
    found = at(world, SOON)
    assert [each.uid for each in found.evictions] == [slow.uid]
    (next_one,) = world.pods("bor", cpu=2, waiting=True)
    world.ledger.upsert_pod(replace(slow, deleting=True))
    gone = SOON + 3 * refused_pods.PAUSE
    assert at(world, gone - refused_pods.PAUSE + 1).releases == ()
    world.ledger.delete_pod(slow.key)
    assert at(world, gone).releases == ()
    assert at(world, gone + refused_pods.PAUSE - 1).releases == ()
    found = at(world, gone + refused_pods.PAUSE)
    assert [each.uid for each in found.releases] == [next_one.uid]


def test_one_for_which_the_same_node_is_cleared_has_its_room_beside_others() -> None:
    world = World(nodes=1, cpu=6)
    world.quota("own", min=2)
    world.quota("other", min=4)
    world.quota("bor")
    refused(world, "own", cpu=2)
    (large,) = world.pods("bor", cpu=4)
    (slow,) = world.pods("bor", cpu=2)
    assert [each.uid for each in at(world, SOON).evictions] == [slow.uid]
    world.ledger.upsert_pod(replace(slow, deleting=True))
    world.pods("other", cpu=4, waiting=True)
    at(world, SOON + 1)
    found = at(world, SOON + 1 + Policy().grace)
    assert [each.uid for each in found.evictions] == [large.uid]


@pytest.mark.parametrize("others", ["own", "other"])
def test_each_of_two_gets_room_and_takes_none_of_the_other(others: str) -> None:
    """Also where both are of one quota. As many pods go as they need."""
    world = World(nodes=2, cpu=8)
    for name in ("own", "other"):
        world.quota(name, min=4)
    world.quota("bor", min=8)
    for node in ("node-0", "node-1"):
        world.pods("bor", 8, node=node)
    refused(world, "own")
    refused(world, others)
    found = at(world, SOON)
    assert [(each.quota, each.right) for each in found.evictions] == [("bor", "min")] * 2
    for eviction in found.evictions:
        world.ledger.upsert_pod(replace(world.ledger.pods[eviction.pod], deleting=True))
    assert at(world, SOON + 1).evictions == (), "while they are on their way out"


def test_one_for_which_a_node_is_cleared_stays_where_another_node_is_cleared_for_an_owner() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own", min=8)
    world.quota("other", min=8)
    world.quota("bor")
    for node in ("node-0", "node-1"):
        world.pods("bor", cpu=8, node=node)
    stuck = refused(world, "own", cpu=8)
    (gone,) = at(world, SOON).evictions
    world.ledger.upsert_pod(replace(world.ledger.pods[gone.pod], deleting=True))
    world.pods("other", cpu=8, waiting=True)
    at(world, SOON + 1)
    found = at(world, SOON + 1 + Policy().grace)
    assert len(found.evictions) == 1
    assert stuck.uid not in {each.uid for each in found.evictions}


def cleared_for_two(*, ended: bool = True) -> tuple[World, Pod, Pod]:
    """A node of three for each of two refused pods, whose victims are gone, the second's or not."""
    world = World(nodes=3, cpu=4)
    world.quota("own", min=8)
    world.quota("bor")
    for number in range(3):
        world.pods("bor", cpu=4, node=f"node-{number}")
    first, second = refused(world, "own", cpu=4), refused(world, "own", cpu=4)
    evictions = at(world, SOON).evictions
    assert len(evictions) == 2
    for each in evictions:
        if ended or each.preemptor != second.title:
            world.ledger.delete_pod(each.pod)
        else:
            world.ledger.upsert_pod(replace(world.ledger.pods[each.pod], deleting=True))
    return world, first, second


def test_another_node_is_cleared_at_once_where_another_pod_took_the_room() -> None:
    world, first, _ = cleared_for_two()
    node = world.ledger.clocks.cleared[first.uid].nodes[0]
    world.pods("own", cpu=4, node=node)
    world.quota("own", min=12)
    found = at(world, SOON + 1)
    assert [each.preemptor for each in found.evictions] == [first.title]
    assert nodes(world, found).isdisjoint({node})


def test_no_further_node_is_cleared_where_others_start_after_the_scheduler_had_its_time() -> None:
    world = full(nodes=refused_pods.MAX_CLEARED_NODES + 2)
    refused(world, "own", cpu=4)
    for number in range(2 * refused_pods.MAX_CLEARED_NODES):
        time = SOON + number * (refused_pods.PAUSE + 1)
        found = at(world, time)
        assert bool(found.evictions) == (number < refused_pods.MAX_CLEARED_NODES)
        there = nodes(world, found)
        world.carry_out_evictions(found)
        at(world, time + 1)
        for node in there:
            world.pods("bor", len(found.evictions), node=node)


def test_a_pod_whose_room_another_refused_one_took_waits_for_the_room_of_that_one() -> None:
    world, first, second = cleared_for_two(ended=False)
    one, other = (world.ledger.clocks.cleared[each.uid].nodes for each in (first, second))
    world.ledger.upsert_pod(replace(second, node_name=one[0], refused=False))
    found = at(world, SOON + 1)
    assert found.evictions == ()
    assert found.clocks.cleared[first.uid].nodes == other


def test_a_pod_that_waits_gets_a_node_beside_one_of_its_quota_that_is_refused() -> None:
    world = World(nodes=2, cpu=4)
    world.quota("own", min=8)
    world.quota("bor")
    for number in range(2):
        world.pods("bor", cpu=4, node=f"node-{number}")
    refused(world, "own", cpu=4)
    (waits,) = world.pods("own", cpu=4, waiting=True)
    for eviction in at(world, SOON).evictions:
        world.ledger.upsert_pod(replace(world.ledger.pods[eviction.pod], deleting=True))
    (eviction,) = at(world, SOON + Policy().grace).evictions
    assert eviction.preemptor == waits.title


def beside_one_with_another_node() -> tuple[World, Pod, Pod, int]:
    """A node is being cleared for a refused pod, and another one waits that only the other takes.

    With the refused pod, the one that waits, and when its grace is over.
    """
    world = World(nodes=2, cpu=8)
    for name in ("own", "other"):
        world.quota(name, min=8)
    world.quota("bor")
    for node in ("node-0", "node-1"):
        world.pods("bor", cpu=8, node=node)
    stuck = refused(world, "own", cpu=8)
    (gone,) = at(world, SOON).evictions
    victim = world.ledger.pods[gone.pod]
    world.ledger.upsert_pod(replace(victim, deleting=True))
    (waits,) = world.pods("other", cpu=8, waiting=True)
    (node,) = {"node-0", "node-1"} - {victim.node_name}
    only = Constraints((("kubernetes.io/hostname", node),))
    world.ledger.upsert_pod(replace(waits, constraints=only))
    at(world, SOON + 1)
    return world, stuck, waits, SOON + 1 + Policy().grace


def test_one_that_starts_on_either_node_does_so_before_an_owner_gets_the_other() -> None:
    """Else it may take that room, and its own node is none for the owner: a victim in vain."""
    world, stuck, waits, due = beside_one_with_another_node()
    assert at(world, due).evictions == ()
    node = world.ledger.clocks.cleared[stuck.uid].nodes[0]
    world.ledger.upsert_pod(replace(stuck, node_name=node, refused=False))
    (eviction,) = at(world, due + 1).evictions
    assert eviction.preemptor == waits.title


def test_an_owner_waits_for_it_no_longer_than_for_other_pods_without_a_node() -> None:
    world, _, waits, due = beside_one_with_another_node()
    assert at(world, due).wake_at == due + EXPECTED_FOR
    assert at(world, due + EXPECTED_FOR - 1).evictions == ()
    (eviction,) = at(world, due + EXPECTED_FOR).evictions
    assert eviction.preemptor == waits.title


@pytest.mark.parametrize(
    ("refused_cpus", "is_evicted"), [([1], True), ([2], True), ([1, 2], False)]
)
def test_a_victim_leaves_room_for_all_refused_pods_of_the_quota_that_may_take_it(
    refused_cpus: list[int], *, is_evicted: bool
) -> None:
    """They come before the one that waits, which would have no node then: a victim in vain."""
    world = World(nodes=1, cpu=4)
    world.quota("own", min=1)
    world.quota("bor", min=1)
    world.pods("bor", cpu=1, node="node-0")
    world.pods("bor", cpu=3, node="node-0")
    for cpu in refused_cpus:
        refused(world, "own", cpu)
    world.pods("own", waiting=True)
    at(world, TIMEOUT)
    assert bool(at(world, TIMEOUT + Policy().grace).evictions) == is_evicted


def test_a_pod_whose_room_it_took_gets_the_room_that_was_cleared_for_it() -> None:
    """They change places: the room on its way is kept for the one that waits."""
    world = World(nodes=1, cpu=3)
    world.node("node-1", cpu=2)
    world.quota("own", min=4)
    world.quota("bor")
    (gone,) = world.pods("bor", cpu=2, node="node-0")
    (ends,) = world.pods("bor", cpu=1, node="node-1")
    stuck = refused(world, "own", cpu=2)
    (eviction,) = at(world, SOON).evictions
    assert eviction.uid == ends.uid
    world.ledger.upsert_pod(replace(ends, deleting=True))
    (waits,) = world.pods("own", cpu=2, waiting=True)
    at(world, SOON + 1)
    (eviction,) = at(world, SOON + 1 + Policy().grace).evictions
    assert (eviction.uid, eviction.preemptor) == (gone.uid, waits.title)
    world.ledger.delete_pod(gone.key)
    world.ledger.upsert_pod(replace(stuck, node_name="node-0", refused=False))
    found = at(world, SOON + 2 + Policy().grace)
    assert found.clocks.nominated[waits.uid].nodes == ("node-1",)


def test_one_for_which_a_node_is_cleared_makes_way_for_no_other_of_its_quota() -> None:
    """The other one has no right to that room: it is beyond the min."""
    world = World(nodes=2, cpu=4)
    tainted = world.ledger.nodes["node-1"]
    world.ledger.upsert_node(replace(tainted, taints=(Taint("team", "c", "NoSchedule"),)))
    world.quota("own", min=2, max=3)
    world.quota("bor")
    (borrowed,) = world.pods("bor", cpu=4)
    refused(world, "own")
    world.pods("own", cpu=3, waiting=True, priority=9)
    assert [each.uid for each in at(world, SOON).evictions] == [borrowed.uid]
