"""A gang that runs is evicted as a whole, because half of it does no work."""

import pytest

from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption.targets import PreemptionTargets, Victim
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.structs import replace
from worlds import TREE, World, amounts


AT_ONCE = Policy(grace=0, delay=0)
TRAIN = Group("train", 4)


def evicted(decisions: Decisions) -> set[str]:
    return {eviction.uid for eviction in decisions.evictions}


def uids(pods: list[Pod]) -> set[str]:
    return {pod.uid for pod in pods}


def borrowing(gang: int = 4, **fields: object) -> tuple[World, list[Pod]]:
    """team-a holds 8 cpu, all borrowed, the most by a gang; a pod of the owner waits for 2."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=2)
    world.quota("team-a")
    group = Group("train", gang)
    found = world.pods("team-a", gang, group=group, **fields)  # type: ignore[arg-type]
    world.pods("owner", cpu=2, waiting=True)
    return world, found


def test_no_half_of_a_gang_is_evicted() -> None:
    world, gang = borrowing(8)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang)


def test_pods_beyond_the_size_of_the_gang_go_first_and_alone() -> None:
    world, _ = borrowing(4)
    beyond = world.pods("team-a", 4, group=TRAIN)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(beyond[2:])


def test_what_is_left_of_a_gang_is_evicted_together() -> None:
    world, gang = borrowing(4)
    rest = world.pods("team-a", 3, priority=1)
    world.ledger.delete_pod(gang[0].key)
    world.pods("team-a", priority=1)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang[1:])
    assert rest


def test_a_pod_that_may_not_be_evicted_does_not_protect_its_gang() -> None:
    world, gang = borrowing(4)
    world.pods("team-a", 4, priority=1)
    world.ledger.withhold(gang[0].uid)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang[2:])


def test_one_non_preemptible_pod_does_not_protect_its_gang() -> None:
    """The owner's guarantee holds: else a pod within min would keep all that others borrow."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=2)
    world.quota("team-a", min=1)
    world.pods("team-a", 1, group=TRAIN, preemptible=False)
    gang = world.pods("team-a", 3, group=TRAIN)
    world.pods("team-a", 4, priority=1)
    world.pods("owner", cpu=2, waiting=True)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang[1:])


def test_a_gang_beyond_a_reduced_max_leaves_as_a_whole() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=2, max=3)
    gang = world.pods("team-a", 4, group=TRAIN)
    policy = Policy(grace=0, delay=0)
    assert evicted(world.decide(policy=policy)) == uids(gang)


def test_a_gang_beyond_the_rate_is_evicted_alone_and_whole() -> None:
    world, gang = borrowing(8)
    assert evicted(world.decide(policy=Policy(grace=0, delay=0, evictions_per_second=1))) == uids(
        gang
    )


def fair_share(gang: int) -> tuple[World, list[Pod]]:
    """team-a holds 7 of 8 cpu by a gang and single pods; team-b holds 1 and waits for 1."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    world.pods("team-b")
    found = world.pods("team-a", gang, group=Group("train", gang))
    world.pods("team-a", 7 - gang)
    world.pods("team-b", 3, waiting=True)
    return world, found


def evicted_for_a_fair_share(world: World) -> set[str]:
    world.decide(now=0, policy=AT_ONCE)
    return evicted(world.decide(now=1, policy=AT_ONCE))


def test_a_gang_does_not_keep_the_fair_share_of_others() -> None:
    """All that team-a borrows is one gang: else a label would keep it from ever returning it."""
    world, gang = fair_share(7)
    assert evicted_for_a_fair_share(world) == uids(gang)


def test_single_pods_go_for_a_fair_share_before_a_gang() -> None:
    world, gang = fair_share(4)
    assert evicted_for_a_fair_share(world).isdisjoint(uids(gang))


def test_a_gang_that_was_evicted_for_a_fair_share_does_not_come_back_for_it() -> None:
    world, gang = fair_share(7)
    world.decide(now=0, policy=AT_ONCE)
    decisions = world.decide(now=1, policy=AT_ONCE)
    for pod in gang:
        world.ledger.delete_pod(pod.key)
    world.pods("team-a", 7, waiting=True, group=Group("train", 7))
    assert decisions.evictions
    released = world.decide(now=2, policy=AT_ONCE)
    assert {release.quota for release in released.releases} == {"team-b"}
    world.carry_out_releases(released)
    for now in range(3, 10):
        decisions = world.decide(now=now, policy=AT_ONCE)
        assert (decisions.releases, decisions.evictions) == ((), ())


def test_a_gang_beyond_the_rate_waits_until_all_of_the_rate_is_free() -> None:
    world, gang = borrowing(6)
    (single,) = world.pods("team-a", cpu=2, priority=-1)
    policy = Policy(grace=0, delay=0, evictions_per_second=2)
    first = world.decide(policy=policy)
    assert evicted(first) == {single.uid}
    world.ledger.expect_eviction(single.uid)
    world.quota("owner", min=4)
    world.pods("owner", cpu=2, waiting=True)
    assert evicted(world.decide(policy=policy)) == set()
    world.carry_out_evictions(first)
    world.carry_out_releases(world.decide(policy=policy))
    assert evicted(world.decide(499, policy)) == set()
    assert evicted(world.decide(500, policy)) == uids(gang)


@pytest.mark.parametrize("most_important", [0, 5])
def test_a_gang_is_as_important_as_its_least_important_pod(most_important: int) -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=2)
    world.quota("team-a")
    gang = world.pods("team-a", 3, group=TRAIN, priority=most_important)
    gang += world.pods("team-a", group=TRAIN)
    world.pods("team-a", 4, priority=1)
    world.pods("owner", cpu=2, waiting=True)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang)


def test_a_more_important_pod_of_its_quota_takes_the_place_of_a_whole_gang() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    gang = world.pods("team-a", 4, group=TRAIN)
    world.pods("team-a", waiting=True, priority=9)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang)


def test_a_gang_leaves_the_node_that_is_cleared_and_all_others() -> None:
    """The owner's pod needs a whole node, and both have pods of the gang."""
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=4)
    world.quota("team-a")
    gang = world.pods("team-a", 2, cpu=2, group=Group("train", 4), node="node-0")
    gang += world.pods("team-a", 2, cpu=2, group=Group("train", 4), node="node-1")
    world.pods("owner", cpu=4, waiting=True)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang)


def test_a_gang_of_which_one_pod_has_no_node_in_time_makes_way_as_a_whole() -> None:
    """The others do no work without it, and would hold their room for nothing."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    gang = world.pods("team-a", 3, group=TRAIN)
    gang += world.pods("team-a", group=TRAIN, bound=False, unplaced_since=0)
    world.ledger.set_time(10**9)
    world.pods("team-a", waiting=True, priority=1, may_preempt=False)
    assert evicted(world.decide(policy=AT_ONCE)) == uids(gang)


def test_a_victim_is_spared_unless_it_has_of_the_resource_of_which_its_quota_has_too_much() -> None:
    """team-a holds 16Gi of a max of 4Gi: 8Gi stay, and of the victims only one has the rest."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=amounts(memory=4))
    stays, victim, spared = world.pods("team-a", 3)
    for pod in (stays, victim):
        world.ledger.upsert_pod(replace(pod, request={**pod.request, **amounts(memory=8)}))
    cluster = world.ledger.update(AT_ONCE.accounting)
    tree = cluster.trees[TREE]
    targets = PreemptionTargets(TreeSnapshot(cluster, tree), 2)
    targets.overdue = frozenset({"team-a"})
    for pod in (victim, spared):
        targets.evict(Victim("team-a", world.ledger.pods[pod.key]))
    assert [[each.uid for each in alone] for alone in targets.evictions({})] == [[victim.uid]]
