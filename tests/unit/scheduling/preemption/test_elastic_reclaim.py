"""Reclaim in an elastic tree: first nodes come, and only a full-grown tree reclaims."""

from elasticquota.model.decision import Decisions
from elasticquota.model.node import Taint
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from worlds import World


MINUTE = 60_000
GRACE = 10_000


def evicted(decisions: Decisions) -> set[str]:
    return {eviction.uid for eviction in decisions.evictions}


def unplaced(world: World, pods: list[Pod], since: int) -> None:
    for pod in pods:
        now = world.ledger.pods[pod.key]
        world.ledger.upsert_pod(replace(now, gates=(), unplaced_since=since, refused=True))


def borrower_on_all_nodes(world: World) -> None:
    world.quota("team-a", min=0)
    world.quota("team-b", min=8)
    world.pods("team-a", 8, cpu=1, node="node-0")


def not_ready(world: World, name: str, *, joining: bool) -> None:
    """As the API server taints it; ``joining``: it was never ready."""
    node = world.ledger.nodes[name]
    taints = (Taint("node.kubernetes.io/not-ready", "", "NoSchedule"),)
    world.ledger.upsert_node(replace(node, ready=False, joining=joining, taints=taints))


def test_a_guarantee_is_met_by_scale_up_before_reclaim() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    pods = world.pods("team-b", 8, cpu=1, waiting=True)
    decisions = world.decide()
    assert [release.uid for release in decisions.releases] == [pod.uid for pod in pods]
    unplaced(world, pods, since=0)
    for now in (6_000, 6_000 + GRACE, 10 * MINUTE):
        world.ledger.set_time(now)
        assert evicted(world.decide(now=now)) == set()


def test_a_full_grown_tree_reclaims_as_any_other() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=8)
    borrower_on_all_nodes(world)
    world.pods("team-b", 8, cpu=1, waiting=True)
    assert world.decide(now=0).releases == ()
    assert len(evicted(world.decide(now=GRACE))) == 8


def test_a_node_that_joins_counts_as_one_to_come_until_it_is_ready() -> None:
    world = World(nodes=2, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    not_ready(world, "node-1", joining=True)
    pods = world.pods("team-b", 8, cpu=1, waiting=True)
    decisions = world.decide(now=0)
    assert [release.uid for release in decisions.releases] == [pod.uid for pod in pods]
    unplaced(world, pods, since=0)
    assert evicted(world.decide(now=GRACE)) == set()


def test_a_node_that_is_not_ready_any_more_is_none_to_come() -> None:
    world = World(nodes=2, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    not_ready(world, "node-1", joining=False)
    world.pods("team-b", 8, cpu=1, waiting=True)
    assert world.decide(now=0).releases == ()
    assert len(evicted(world.decide(now=GRACE))) == 8


def test_admitted_pods_of_a_borrower_that_have_no_node_yet_go_first() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    pending = world.pods("team-a", 8, cpu=1, bound=False)
    unplaced(world, pending, since=0)
    world.pods("team-b", 8, cpu=1, waiting=True)
    assert world.decide(now=0).releases == ()
    assert evicted(world.decide(now=GRACE)) == {pod.uid for pod in pending}


def test_they_go_first_also_for_a_pod_that_needs_the_room_of_several() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    pending = world.pods("team-a", 8, cpu=1, bound=False)
    unplaced(world, pending, since=0)
    world.pods("team-b", 1, cpu=4, waiting=True)
    world.decide(now=0)
    found = evicted(world.decide(now=GRACE))
    assert len(found) == 4
    assert found < {pod.uid for pod in pending}


def test_when_no_node_came_in_time_a_guarantee_gets_a_present_node() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    borrower_on_all_nodes(world)
    (pod,) = world.pods("team-b", 1, cpu=2, bound=False)
    unplaced(world, [pod], since=0)
    world.ledger.set_time(15 * MINUTE - 1)
    assert evicted(world.decide()) == set()
    world.ledger.set_time(15 * MINUTE)
    assert len(evicted(world.decide())) == 2


def test_a_timed_out_pod_is_evicted_for_no_share_but_for_a_min_before_pods_that_run() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a", min=0)
    world.quota("team-b", min=6)
    world.pods("team-a", 4, cpu=1)
    (late,) = world.pods("team-a", 1, cpu=8, bound=False)
    unplaced(world, [late], since=0)
    world.ledger.set_time(15 * MINUTE)
    assert evicted(world.decide(now=0)) == set()
    world.pods("team-b", 4, cpu=1)
    world.pods("team-b", 2, cpu=1, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == {late.uid}


def test_a_timed_out_pod_is_evicted_for_no_fair_share() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", 8, cpu=1)
    unplaced(world, world.pods("team-a", 1, cpu=8, bound=False), since=0)
    world.ledger.set_time(15 * MINUTE)
    world.pods("team-b", 6, cpu=1, waiting=True)
    world.decide(now=0)
    gone = evicted(world.decide(now=120_000))
    held = {pod.uid: pod.node_name for pod in world.ledger.pods.values()}
    assert gone
    assert all(held[uid] for uid in gone)


def test_a_timed_out_pod_makes_way_for_a_more_important_one_where_max_is_reached() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a", max=10)
    pods = world.pods("team-a", 1, cpu=10, bound=False)
    unplaced(world, pods, since=0)
    world.pods("team-a", 1, cpu=1, waiting=True, priority=10)
    world.ledger.set_time(15 * MINUTE)
    decisions = world.decide()
    assert (decisions.releases, evicted(decisions)) == ((), {each.uid for each in pods})


def test_among_equal_nodes_the_one_is_cleared_that_is_then_empty() -> None:
    """Only in an elastic tree: there an autoscaler can remove it later."""
    for elastic, cleared in ((True, "node-1"), (False, "node-0")):
        world = World(nodes=2, cpu=8)
        if elastic:
            world.elastic(cpu=16)
        world.quota("team-a", min=0)
        world.quota("team-b", min=8)
        world.pods("team-a", 1, cpu=4, node="node-1")
        world.pods("team-a", 2, cpu=2, node="node-0")
        world.pods("team-b", 1, cpu=6, waiting=True)
        world.decide(now=0)
        (gone,) = world.decide(now=GRACE).evictions
        assert world.ledger.pods[gone.pod].node_name == cleared, elastic


def nonsense(world: World) -> list[Pod]:
    """Pods of a borrower that no node will ever take, for which none came in time."""
    pods = world.pods("team-a", 8, cpu=1, bound=False)
    unplaced(world, pods, since=0)
    world.ledger.set_time(15 * MINUTE)
    return pods


def test_pods_that_no_node_can_take_do_not_keep_nodes_from_a_guarantee() -> None:
    """A tenant fills all that may come with them. What is beyond its min makes way."""
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a", min=2)
    world.quota("team-b", min=8)
    world.quota("team-c", min=8)
    world.pods("team-c", 8, cpu=1)
    late = nonsense(world)
    (pod,) = world.pods("team-b", 1, cpu=3, waiting=True)
    assert world.decide(now=0).releases == ()
    decisions = world.decide(now=GRACE)
    assert len(evicted(decisions)) == 3
    assert evicted(decisions) < {pod.uid for pod in late}
    world.carry_out_evictions(decisions)
    assert [release.uid for release in world.decide(now=2 * GRACE).releases] == [pod.uid]


def test_pods_that_no_node_can_take_do_not_ask_for_more_and_more_nodes() -> None:
    """They count in the runtime of their quota when it asks for nodes, and in that of no other."""
    world = World(nodes=0)
    world.elastic(cpu=40)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-b", 200, cpu=1, waiting=True)
    for name in ("team-a", "team-a", "team-a", "team-a"):
        world.pods(name, 40, cpu=1, waiting=True)
        world.ledger.set_time(world.ledger.time + 15 * MINUTE)
        released = [each for each in world.decide().releases if each.quota == "team-a"]
        gone = [world.ledger.pods[each.pod] for each in released]
        unplaced(world, gone, since=world.ledger.time)
    late = [pod for pod in world.ledger.pods.values() if not pod.gates]
    assert len(late) == 20


def test_a_single_pod_that_no_node_can_take_keeps_no_others_of_its_quota_from_nodes() -> None:
    world = World(nodes=0)
    world.elastic(cpu=40)
    world.quota("team-a")
    unplaced(world, world.pods("team-a", 1, cpu=1, bound=False), since=0)
    world.ledger.set_time(15 * MINUTE)
    pods = world.pods("team-a", 12, cpu=2, waiting=True)
    # Of its runtime of 24 it holds 1 already.
    assert len(world.decide().releases) == len(pods) - 1
