"""Reclaim: from which quotas, when, how much, and from which never."""

import pytest

from elasticquota import names
from elasticquota.ledger.inputs import accounting
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import ROOT, TREE, World


GRACE = Policy().grace
DELAY = Policy().delay


def evicted(decisions: Decisions) -> list[str]:
    return [eviction.uid for eviction in decisions.evictions]


def lent_out() -> World:
    """team-a holds all 40 cpu, 30 of them borrowed; team-b's min is 20."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=20)
    world.pods("team-a", 40)
    return world


def test_reclaim_evicts_exactly_what_the_waiting_pods_of_an_owner_lack() -> None:
    world = lent_out()
    world.pods("team-b", 5, cpu=2, waiting=True)
    assert evicted(world.decide(now=0)) == []
    assert len(world.decide(now=GRACE).evictions) == 10


def test_nothing_is_evicted_while_no_pod_waits() -> None:
    world = lent_out()
    decisions = world.decide(now=10 * DELAY)
    assert decisions.evictions == ()
    assert decisions.wake_at is None


def test_the_next_cycle_is_when_the_grace_ends() -> None:
    world = lent_out()
    world.pods("team-b", waiting=True)
    assert world.decide(now=1_000).wake_at == 1_000 + GRACE


def test_the_clock_starts_again_when_the_owner_stopped_waiting() -> None:
    world = lent_out()
    (pod,) = world.pods("team-b", waiting=True)
    world.decide(now=0)
    world.ledger.delete_pod(pod.key)
    world.decide(now=1_000)
    world.pods("team-b", waiting=True)
    assert world.decide(now=GRACE).evictions == ()


def test_free_room_is_used_before_any_pod_is_evicted() -> None:
    world = lent_out()
    for pod in list(world.ledger.pods.values())[:4]:
        world.ledger.delete_pod(pod.key)
    world.pods("team-b", 6, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=GRACE)
    assert len(decisions.releases) == 4
    assert len(decisions.evictions) == 2


def test_room_of_evictions_in_flight_is_not_reclaimed_twice() -> None:
    world = lent_out()
    world.pods("team-b", 5, waiting=True)
    world.decide(now=0)
    for eviction in world.decide(now=GRACE).evictions[:3]:
        world.ledger.expect_eviction(eviction.uid)
    assert len(world.decide(now=GRACE + 1).evictions) == 2


def test_lowest_priority_goes_first_then_the_youngest() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=3)
    world.pods("team-a", 2, priority=10)
    (old_low,) = world.pods("team-a", 1)
    (young_low,) = world.pods("team-a", 1)
    world.pods("team-a", 4, priority=5)
    world.pods("team-b", 2, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [young_low.uid, old_low.uid]


def test_pods_without_a_node_go_before_running_ones() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=1)
    (pending,) = world.pods("team-a", bound=False, priority=100)
    world.pods("team-a", 7)
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [pending.uid]


def test_no_pod_of_a_quota_within_its_min_is_evicted() -> None:
    """There are too few nodes for both mins."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=6)
    world.quota("team-b", min=4)
    world.pods("team-a", 2, cpu=3)
    world.pods("team-b", 4, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=GRACE)
    assert len(decisions.releases) == 2
    assert decisions.evictions == ()


def test_a_pod_that_is_partly_beyond_min_is_borrowed_and_goes_whole_for_a_guarantee() -> None:
    """Otherwise a pod as large as the tree would keep all of it with a min of 1 cpu."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-b", min=7)
    (large,) = world.pods("team-a", cpu=8)
    owners = world.pods("team-b", 7, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=GRACE)
    assert evicted(decisions) == [large.uid]
    world.carry_out_evictions(decisions)
    world.pods("team-a", cpu=8, waiting=True)
    decisions = world.decide(now=GRACE)
    assert {release.uid for release in decisions.releases} == {pod.uid for pod in owners}
    world.carry_out_releases(decisions)
    assert world.decide(now=10 * GRACE).evictions == (), "its successor waits for idle room"


def test_only_the_pod_that_is_partly_beyond_min_goes() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    _, last = world.pods("team-a", 2, cpu=3)
    world.pods("team-b", 4, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [last.uid]


def test_pods_that_are_all_beyond_min_go_before_one_that_is_partly() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-c")
    world.quota("team-b", min=2)
    world.pods("team-a", cpu=4)
    small = world.pods("team-c", 4, priority=9)
    world.pods("team-b", 2, waiting=True)
    world.decide(now=0)
    assert set(evicted(world.decide(now=GRACE))) == {pod.uid for pod in small[2:]}


def test_for_a_fair_share_no_pod_is_evicted_that_is_partly_within_min() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-b", min=1)
    world.pods("team-a", cpu=7)
    world.pods("team-b", node="node-0")
    world.pods("team-b", 3, waiting=True)
    for now in (0, GRACE, DELAY):
        assert world.decide(now=now).evictions == ()


def test_on_a_node_it_goes_whole_as_well() -> None:
    """Idle room elsewhere does not help: the owner's pod can only go to node-0."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-b", min=4)
    (large,) = world.pods("team-a", cpu=8, node="node-0")
    (pod,) = world.pods("team-b", cpu=4, waiting=True)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, labels={**node.labels, "disk": "ssd"}))
    world.ledger.upsert_pod(replace(pod, constraints=Constraints((("disk", "ssd"),))))
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [large.uid]


def test_a_small_pod_does_not_go_first_where_only_the_large_one_makes_room() -> None:
    """The small one is younger; if it went too, the giver would fall below its min."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-b", min=7)
    world.pods("team-b", 1, cpu=4)
    (large,) = world.pods("team-a", 1, cpu=3)
    world.pods("team-a", 1, cpu=1)
    world.pods("team-b", 1, cpu=3, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [large.uid]


def test_of_small_pods_that_go_first_only_as_many_go_as_leave_room_for_the_needed() -> None:
    """If both small ones and the one of 2 cpu went, the giver would fall below its min of 1 cpu."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=1)
    world.quota("team-b", min=7)
    world.pods("team-b", 1, cpu=4)
    (large,) = world.pods("team-a", 1, cpu=2)
    world.pods("team-a", 1, cpu=1)
    (youngest,) = world.pods("team-a", 1, cpu=1)
    world.pods("team-b", 1, cpu=3, waiting=True)
    world.decide(now=0)
    assert set(evicted(world.decide(now=GRACE))) == {large.uid, youngest.uid}


def test_non_preemptible_pods_stay() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.quota("team-b", min=4)
    world.pods("team-b", 4, preemptible=False)
    soft = world.pods("team-b", 4)
    world.pods("team-a", 8, waiting=True)
    world.decide(now=0)
    assert sorted(evicted(world.decide(now=GRACE))) == sorted(pod.uid for pod in soft)


def test_a_non_preemptible_pod_that_outgrew_min_is_reclaimed_after_all_others() -> None:
    """S-18: it was resized without admission, or started without a gate."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=6)
    world.quota("team-b", min=2)
    (grown,) = world.pods("team-b", cpu=4, preemptible=False)
    (within,) = world.pods("team-b", cpu=2, preemptible=False, priority=9)
    soft = world.pods("team-b", 2, priority=9)
    world.pods("team-a", 6, waiting=True)
    world.decide(now=0)
    gone = set(evicted(world.decide(now=GRACE)))
    assert gone == {grown.uid, *(pod.uid for pod in soft)}
    assert within.uid not in gone


def test_no_label_protects_what_min_does_not_name() -> None:
    """Otherwise non-preemptible pods of a quota without min would keep borrowed room forever."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=6)
    world.quota("team-b", min={})
    world.pods("team-b", 6, preemptible=False)
    soft = world.pods("team-b", 2)
    world.pods("team-a", 6, waiting=True)
    world.decide(now=0)
    gone = evicted(world.decide(now=GRACE))
    assert len(gone) == 6
    assert {pod.uid for pod in soft} < set(gone)


def test_an_important_pod_that_is_not_needed_after_all_is_spared() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=4)
    (large,) = world.pods("team-a", cpu=4, priority=2)
    (small,) = world.pods("team-a", cpu=2, priority=1)
    world.pods("team-a", cpu=2, priority=3)
    world.pods("team-b", cpu=4, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [large.uid]
    assert small.uid in {pod.uid for pod in world.ledger.pods.values()}


def test_over_use_that_no_pod_waits_for_goes_after_the_delay() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.decide(now=0)
    world.quota("team-a", max=5)
    assert evicted(world.decide(now=1_000)) == []
    assert len(world.decide(now=1_000 + DELAY).evictions) == 3


def test_a_fair_share_beyond_min_waits_for_the_delay() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=0)
    world.pods("team-a", 8)
    world.pods("team-b", 8, waiting=True)
    world.decide(now=0)
    assert world.decide(now=GRACE).evictions == ()
    assert len(world.decide(now=DELAY).evictions) == 4


def test_a_sibling_under_a_full_department_is_reclaimed_though_nodes_are_free() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("dept", min=10, max=10, is_parent=True)
    world.quota("team-a", min=0, parent="dept")
    world.quota("team-b", min=4, parent="dept")
    world.pods("team-a", 10)
    world.pods("team-b", 4, waiting=True)
    world.decide(now=0)
    assert len(world.decide(now=GRACE).evictions) == 4


def test_no_pod_of_another_department_is_evicted() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("dept-1", min=10, max=10, is_parent=True)
    world.quota("dept-2", min=30, is_parent=True)
    world.quota("a1", min=0, parent="dept-1")
    world.quota("b1", min=4, parent="dept-1")
    world.quota("a2", min=0, parent="dept-2")
    world.pods("a1", 10)
    world.pods("a2", 10)
    world.pods("b1", 4, waiting=True)
    world.decide(now=0)
    assert {eviction.quota for eviction in world.decide(now=GRACE).evictions} == {"a1"}


def test_victims_return_their_pod_slots() -> None:
    """100 of 110 slots are used: the 50 pods of team-b lack cpu and slots; victims return both."""
    world = World(nodes=1, cpu=100)
    world.quota("team-a", min=0)
    world.quota("team-b", min=50)
    world.pods("team-a", 100)
    world.pods("team-b", 50, waiting=True)
    world.decide(0)
    assert len(world.decide(GRACE).evictions) == 50


def test_pod_slots_are_reclaimed_from_a_quota_with_too_much_cpu() -> None:
    """There is cpu for all of team-b's pods, but the node runs no more than 110 pods."""
    world = World(nodes=1, cpu=200)
    world.quota("team-a", min=0)
    world.quota("team-b", min=100)
    world.pods("team-a", 108)
    world.pods("team-b", 50, cpu=2, waiting=True)
    first = world.decide(now=0)
    assert len(first.releases) == 2
    assert len(world.decide(now=GRACE).evictions) == 48


def test_a_fair_share_smaller_than_a_pod_evicts_no_pod() -> None:
    world = World(nodes=1, cpu=1)
    world.quota("team-a", min=0)
    world.quota("team-b", min=0)
    world.pods("team-a")
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=10 * DELAY)) == []


def test_no_pod_is_evicted_for_an_owner_that_could_not_start_even_then() -> None:
    """team-b lacks 4 cpu. Only 2 cpu can be reclaimed: the other pods are not preemptible."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=6)
    world.pods("team-a", 6, preemptible=False)
    world.pods("team-a", 2)
    world.quota("team-b", min=4)
    world.pods("team-b", cpu=4, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == []


def unevenly_shared(world: World) -> World:
    """team-b waits for its fair share, and has all of its min."""
    world.quota("team-a", min=2)
    world.quota("team-b", min=2)
    world.pods("team-a", 8)
    world.pods("team-b", 2)
    world.pods("team-b", 1, waiting=True)
    world.decide(now=0)
    return world


def test_a_fair_share_waits_where_the_administrator_says_so() -> None:
    restored = unevenly_shared(World(nodes=1, cpu=10)).decide(now=DELAY)
    assert len(evicted(restored)) == 1
    kept = unevenly_shared(World(nodes=1, cpu=10)).decide(DELAY, Policy(fair_share=False))
    assert evicted(kept) == []


def test_quotas_of_capacity_scheduling_are_reclaimed_for_guarantees_only() -> None:
    world = unevenly_shared(World(nodes=1, cpu=10))
    for quota in list(world.ledger.quotas.values()):
        if quota.name.startswith("team"):
            world.ledger.upsert_quota(replace(quota, kept_for=names.CAPACITY))
    assert evicted(world.decide(now=10 * DELAY)) == []
    world.quota("team-c", min=2)
    world.pods("team-c", 1, waiting=True)
    world.decide(now=11 * DELAY)
    assert len(evicted(world.decide(now=11 * DELAY + GRACE))) == 1


def followed(world: World, *quotas: str, dialect: str = names.CAPACITY) -> World:
    for quota in list(world.ledger.quotas.values()):
        if quota.name in quotas:
            world.ledger.upsert_quota(replace(quota, kept_for=dialect))
    return world


def test_a_quota_of_capacity_scheduling_gains_nothing_from_others_beyond_its_min() -> None:
    world = followed(unevenly_shared(World(nodes=1, cpu=10)), "team-b")
    assert evicted(world.decide(now=10 * DELAY)) == []


def test_the_fair_share_of_a_dialect_is_restored_where_it_is_switched_on() -> None:
    both = ("team-a", "team-b")
    on = Policy(dialects_without_fair_share=frozenset())
    world = followed(unevenly_shared(World(nodes=1, cpu=10)), *both)
    assert len(evicted(world.decide(DELAY, on))) == 1
    off = Policy(dialects_without_fair_share=frozenset({"ack"}))
    world = followed(unevenly_shared(World(nodes=1, cpu=10)), *both, dialect="ack")
    assert evicted(world.decide(DELAY, off)) == []


@pytest.mark.parametrize("usual", [True, False])
def test_a_tree_can_differ_from_the_usual_fair_share(usual: bool) -> None:
    world = unevenly_shared(World(nodes=1, cpu=10))
    differs = Policy(fair_share=usual, fair_share_trees={TREE: not usual})
    assert len(evicted(world.decide(DELAY, differs))) == (not usual)
    world = unevenly_shared(World(nodes=1, cpu=10))
    of_another = Policy(fair_share=usual, fair_share_trees={"another": not usual})
    assert len(evicted(world.decide(DELAY, of_another))) == usual


def test_one_indivisible_pod_does_not_keep_the_fair_share_of_others() -> None:
    """team-a holds 7 of its 5.5 cpu by a single pod; with one more pod team-b has 5 of its 5.5."""
    world = World(nodes=1, cpu=11)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    (large,) = world.pods("team-a", cpu=7)
    world.pods("team-b", 4)
    world.pods("team-b", 1, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=DELAY)) == [large.uid]


def test_of_several_pods_only_as_many_go_as_leave_the_giver_no_less_than_the_other_had() -> None:
    """team-a would fall from 7 of its 6 cpu to 2, so that team-b rises from 3 to 8 of its 6."""
    world = World(nodes=1, cpu=12)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    world.pods("team-a", 7)
    world.pods("team-b", 3)
    world.pods("team-b", cpu=5, waiting=True)
    world.decide(now=0)
    assert evicted(world.decide(now=10 * DELAY)) == []


def test_what_exceeds_max_goes_though_the_rest_is_less_than_max() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=5)
    world.pods("team-a", 2, cpu=4)
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == 1


def test_on_too_few_nodes_a_quota_keeps_its_runtime() -> None:
    """A node of 8 cpu is left for 4 pods of 3 cpu. One goes: the quota keeps its runtime of 8."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 4, cpu=3)
    world.ledger.delete_node("node-1")
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == 1


def test_the_default_quota_keeps_to_its_max() -> None:
    world = World(nodes=1, cpu=8)
    world.node("unpooled", cpu=8, pool="none")
    world.ledger.upsert_quota(
        Quota(Key("system", names.DEFAULT_QUOTA), "default", world.time(), max={"cpu": 2_000})
    )
    world.pods("", 3, prefix="stray", namespace="elsewhere", node="unpooled")
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == 1


def test_pods_of_the_default_quota_on_nodes_of_another_tree_stay() -> None:
    """The default tree has no node at all, and a quota in it makes cpu count."""
    world = World(nodes=1, cpu=8)
    world.ledger.upsert_quota(Quota(Key("teams", "small"), "small", "", max={"cpu": 1_000}))
    world.pods("", 3, prefix="stray", namespace="elsewhere")
    world.decide(now=0)
    assert evicted(world.decide(now=10 * DELAY)) == []


def test_a_pod_that_bypassed_the_webhook_is_over_use_like_any_other() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=2)
    world.pods("team-a", 2)
    world.pods("team-a", 3, prefix="bypass")
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == 3


def test_pods_that_others_deleted_do_not_hold_up_evictions() -> None:
    """A drain of slow pods, or a tenant that deletes its own pods, does not stop reclaim."""
    world = lent_out()
    world.pods("team-b", 20, waiting=True)
    policy = Policy(evictions_per_second=1)
    world.ledger.set_time(1_000_000)
    world.decide(0, policy)
    for pod in list(world.ledger.pods.values())[:6]:
        ends = 1_000_000 + 60_000
        world.ledger.upsert_pod(replace(pod, deleting=True, ends_at=ends))
    assert len(world.decide(GRACE, policy).evictions) == 2


def test_a_pod_that_was_deleted_with_an_endless_grace_is_evicted_again_with_a_capped_one() -> None:
    """Otherwise a borrower could delete its pods itself and keep what they use forever."""
    world = lent_out()
    for pod in list(world.ledger.pods.values()):
        world.ledger.upsert_pod(replace(pod, deleting=True, ends_at=10**12))
    world.pods("team-b", 4, waiting=True)
    world.decide(0)
    found = world.decide(GRACE).evictions
    assert len(found) == 4
    assert {eviction.grace for eviction in found} == {Policy().accounting.max_grace // 1000}


def test_a_pod_that_ends_within_the_cap_is_waited_for() -> None:
    world = lent_out()
    most = Policy().accounting.max_grace
    for pod in list(world.ledger.pods.values()):
        world.ledger.upsert_pod(replace(pod, deleting=True, ends_at=most))
    world.pods("team-b", 4, waiting=True)
    world.decide(0)
    assert world.decide(GRACE).evictions == ()


def test_a_pod_whose_node_died_is_neither_waited_for_nor_evicted_again() -> None:
    world = lent_out()
    late = next(iter(world.ledger.pods.values()))
    world.ledger.set_time(1_000_000)
    world.ledger.upsert_pod(replace(late, deleting=True, ends_at=1_000_000 - accounting.LATE))
    world.pods("team-b", waiting=True)
    world.decide(0)
    (eviction,) = world.decide(GRACE).evictions
    assert (eviction.uid != late.uid, eviction.grace) == (True, None)


def test_how_a_deleted_pod_counts_changes_with_no_event() -> None:
    world = lent_out()
    most = Policy().accounting.max_grace
    pod = next(iter(world.ledger.pods.values()))
    world.ledger.set_time(1_000_000)
    world.ledger.upsert_pod(replace(pod, deleting=True, ends_at=1_000_000 + most + 7))
    assert world.decide(0).wake_at == 7
    world.ledger.set_time(1_000_007)
    assert world.decide(7).wake_at == 7 + most + accounting.LATE


def test_paused_means_no_eviction_at_all() -> None:
    world = lent_out()
    world.pods("team-b", 20, waiting=True)
    policy = Policy(paused=True)
    world.decide(0, policy)
    assert world.decide(GRACE, policy).evictions == ()


def test_the_victim_says_what_its_quota_holds_and_who_waits() -> None:
    world = lent_out()
    world.pods("team-b", 20, waiting=True)
    world.decide(now=0)
    assert world.decide(now=GRACE).evictions[0].message == (
        "quota team-a uses 40 cpu, 20 more than its current share of 20; quota team-b reclaims "
        "this room for pod teams/team-b-50-0 (within its guarantee). It starts again when "
        "team-a has room"
    )


def test_evicting_and_recreating_pods_comes_to_rest() -> None:
    """The re-created pods are gated and wait; the owner runs; no pod is evicted or admitted."""
    world = lent_out()
    world.pods("team-b", 20, waiting=True)
    world.decide(now=0)
    first = world.decide(now=GRACE)
    world.carry_out_evictions(first)
    world.pods("team-a", len(first.evictions), waiting=True)
    second = world.decide(now=GRACE + 100)
    assert {release.quota for release in second.releases} == {"team-b"}
    world.carry_out_releases(second)
    third = world.decide(now=10 * DELAY)
    assert not third.releases
    assert not third.evictions
    assert world.ledger.clocks.over_since == {}
    runtime = {s.key.name: s.runtime["cpu"] for s in third.statuses if s.key.name != TREE}
    assert runtime["team-a"] == runtime["team-b"] == 20_000


def test_a_pod_under_a_disruption_budget_is_passed_over_until_it_is_offered_again() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=1)
    (other,) = world.pods("team-a", priority=1)
    world.pods("team-a", 6, priority=2)
    (protected,) = world.pods("team-a")
    world.pods("team-b", waiting=True)
    world.ledger.withhold(protected.uid)
    world.decide(now=0)
    assert evicted(world.decide(now=GRACE)) == [other.uid]
    world.ledger.offer_again(protected.uid)
    assert evicted(world.decide(now=GRACE)) == [protected.uid]


def test_the_default_quota_is_reclaimed_like_others() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8, parent=names.ROOT_QUOTA)
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.delete_quota(Key("system", ROOT))
    world.ledger.upsert_quota(replace(world.ledger.quotas[Key("teams", "team-a")], tree_id=""))
    world.pods("", 8, namespace="elsewhere", prefix="guest")
    world.pods("team-a", 3, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=Policy().grace)
    assert [eviction.quota for eviction in decisions.evictions] == [names.DEFAULT_QUOTA] * 3


def test_a_pod_that_is_reclaimed_for_cpu_returns_its_pod_slot_too() -> None:
    world = World(nodes=1, cpu=120)
    world.quota("team-a")
    world.quota("team-b", min=60)
    world.pods("team-a", 105)
    world.pods("", 5, namespace="kube-system", prefix="agent", cpu=3)
    world.pods("team-b", 20, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=Policy().grace)
    assert len(decisions.evictions) == 20


def test_for_a_fair_share_a_quota_that_shares_none_loses_no_pod() -> None:
    """Of runtimes of 4, team-a holds 5, and team-c 7: it would be the first to lose a pod."""
    world = World(nodes=1, cpu=12)
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name)
    followed(world, "team-c")
    world.pods("team-a", 5)
    world.pods("team-c", 7)
    world.pods("team-b", 4, waiting=True)
    world.decide(now=0)
    decisions = world.decide(now=DELAY)
    assert [eviction.quota for eviction in decisions.evictions] == ["team-a"]
