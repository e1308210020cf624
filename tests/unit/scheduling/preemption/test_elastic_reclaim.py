"""Reclaim in an elastic tree: first nodes come, and only a full-grown tree reclaims."""

from dataclasses import replace

from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
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


def test_timed_out_pods_cause_no_reclaim_from_their_quota_and_are_no_victims() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a", min=0)
    world.quota("team-b", min=8)
    world.pods("team-a", 4, cpu=1)
    unplaced(world, world.pods("team-a", 1, cpu=8, bound=False), since=0)
    world.ledger.set_time(15 * MINUTE)
    assert evicted(world.decide(now=0)) == set()
    world.pods("team-b", 4, cpu=1)
    world.pods("team-b", 2, cpu=1, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=GRACE)
    assert len(evicted(decisions)) == 2
    held = {pod.uid: pod for pod in world.ledger.pods.values()}
    assert all(held[uid].node_name for uid in evicted(decisions))


def test_a_timed_out_pod_is_not_preempted_by_a_pod_of_its_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a", max=10)
    unplaced(world, world.pods("team-a", 1, cpu=10, bound=False), since=0)
    world.pods("team-a", 1, cpu=1, waiting=True, priority=10)
    world.ledger.set_time(15 * MINUTE)
    decisions = world.decide()
    assert (decisions.releases, evicted(decisions)) == ((), set())


def test_among_equal_nodes_the_one_is_cleared_that_is_then_empty() -> None:
    """Only in an elastic tree: there an autoscaler can remove it later."""
    for elastic, cleared in ((True, "node-1"), (False, "node-0")):
        world = World(nodes=2, cpu=8)
        if elastic:
            world.elastic(cpu=16)
        world.quota("team-a", min=0)
        world.quota("team-b", min=8)
        world.pods("team-a", 2, cpu=2, node="node-0")
        world.pods("team-a", 1, cpu=4, node="node-1")
        world.pods("team-b", 1, cpu=6, waiting=True)
        world.decide(now=0)
        (gone,) = world.decide(now=GRACE).evictions
        assert world.ledger.pods[gone.pod].node_name == cleared, elastic
