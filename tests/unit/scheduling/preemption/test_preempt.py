"""Which pods preempt which pods of their quota, and which never do."""

import pytest

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.node import Taint
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World, amounts


def evicted(decisions: Decisions) -> list[str]:
    return [eviction.uid for eviction in decisions.evictions]


def full(low: int = 4) -> World:
    """team-a holds its max of 4 cpu with pods of 1 and priority 0."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", low)
    return world


def test_a_more_important_pod_takes_the_place_of_the_youngest_of_the_least_important() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", priority=5)
    world.pods("team-a", 2)
    (youngest,) = world.pods("team-a")
    world.pods("team-a", waiting=True, priority=9)
    assert evicted(world.decide()) == [youngest.uid]


def test_a_more_important_pod_is_no_victim_because_it_is_younger() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    (least,) = world.pods("team-a")
    world.pods("team-a", 3, priority=5)
    world.pods("team-a", waiting=True, priority=9)
    assert evicted(world.decide()) == [least.uid]


def test_the_victim_says_which_pod_takes_its_place() -> None:
    world = full()
    (urgent,) = world.pods("team-a", waiting=True, priority=9)
    (eviction,) = world.decide().evictions
    assert eviction.message == (
        f"pod teams/{urgent.key.name} of the same quota team-a takes its place, because "
        "its priority 9 is higher. It starts again when team-a has room"
    )


@pytest.mark.parametrize("priority", [0, -1])
def test_an_equal_or_less_important_pod_waits(priority: int) -> None:
    world = full()
    world.pods("team-a", waiting=True, priority=priority)
    assert evicted(world.decide()) == []


def test_preemption_policy_never_waits() -> None:
    world = full()
    world.pods("team-a", waiting=True, priority=9, may_preempt=False)
    assert evicted(world.decide()) == []


def test_a_pod_that_may_not_be_preempted_stays() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=4, max=4)
    world.pods("team-a", 4, preemptible=False)
    world.pods("team-a", waiting=True, priority=9)
    assert evicted(world.decide()) == []


def test_no_pod_is_evicted_when_all_of_them_would_not_be_enough() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 2)
    world.pods("team-a", 2, priority=9)
    world.pods("team-a", cpu=3, waiting=True, priority=9)
    assert evicted(world.decide()) == []


def test_one_large_victim_spares_the_small_ones() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    (large,) = world.pods("team-a", cpu=3, priority=2)
    world.pods("team-a", cpu=1, priority=1)
    world.pods("team-a", cpu=3, waiting=True, priority=9)
    assert evicted(world.decide()) == [large.uid]


def test_what_a_large_victim_leaves_over_is_for_the_next_in_line() -> None:
    """All three waiting pods start once the victims are gone."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 2)
    world.pods("team-a", cpu=2)
    world.pods("team-a", 2, waiting=True, priority=9)
    world.pods("team-a", cpu=2, waiting=True, priority=9)
    first = world.decide()
    assert len(first.evictions) == 3
    world.carry_out_evictions(first)
    assert len(world.decide().releases) == 3


def test_no_priority_preempts_pods_of_another_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", 4)
    world.pods("team-b", 4, priority=9)
    world.pods("team-b", waiting=True, priority=9)
    world.pods("team-a", 4, waiting=True)
    assert evicted(world.decide()) == []


def test_a_priority_takes_no_pod_of_another_quota_where_its_own_are_too_few() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    world.pods("team-a", 4)
    world.pods("team-b", 1)
    world.pods("team-b", 3, priority=9)
    world.pods("team-b", waiting=True, priority=9, cpu=2)
    assert evicted(world.decide()) == []


def test_a_priority_clears_no_node_of_pods_of_another_quota() -> None:
    """Without the less important pod of its quota a node has 2 cpu, and the waiting pod needs 3."""
    world = World(nodes=2, cpu=5)
    world.quota("team-a", min=6)
    world.quota("team-b", min=4)
    for node in ("node-0", "node-1"):
        world.pods("team-a", 3, node=node)
    world.pods("team-b", priority=9)
    world.pods("team-b", node="node-1")
    world.pods("team-b", waiting=True, priority=9, cpu=3)
    assert evicted(world.decide()) == []


def test_pods_of_the_default_quota_do_not_preempt_each_other() -> None:
    world = World(nodes=1, cpu=8)
    world.node("unpooled", cpu=8, pool="none")
    world.ledger.upsert_quota(
        Quota(Key("system", names.DEFAULT_QUOTA), "default", world.time(), max={"cpu": 1_000})
    )
    world.pods("", namespace="elsewhere", prefix="stray", node="unpooled")
    world.pods("", namespace="elsewhere", prefix="stray", waiting=True, priority=9)
    assert evicted(world.decide()) == []


def test_victims_that_are_being_evicted_count_as_free_room() -> None:
    world = full()
    world.pods("team-a", cpu=2, waiting=True, priority=9)
    first = world.decide()
    assert len(first.evictions) == 2
    for eviction in first.evictions:
        world.ledger.expect_eviction(eviction.uid)
    assert evicted(world.decide()) == []


def test_the_place_is_kept_while_the_victims_leave_one_by_one() -> None:
    """Re-created and other small pods wait behind the pod for which the victims made room."""
    world = full()
    (urgent,) = world.pods("team-a", cpu=2, waiting=True, priority=9)
    first, second = world.decide().evictions
    world.pods("team-a", 2, waiting=True)
    world.ledger.expect_eviction(second.uid)
    world.ledger.delete_pod(first.pod)
    assert world.decide().releases == ()
    world.ledger.delete_pod(second.pod)
    assert [release.uid for release in world.decide().releases] == [urgent.uid]


def test_a_victim_under_a_disruption_budget_is_passed_over() -> None:
    world = full(low=3)
    (protected,) = world.pods("team-a")
    world.ledger.withhold(protected.uid)
    world.pods("team-a", waiting=True, priority=9)
    (eviction,) = world.decide().evictions
    assert eviction.uid != protected.uid


def test_idle_room_is_used_before_any_pod_is_evicted_for_it() -> None:
    """team-a's runtime is full, yet the nodes have 1 cpu that fits no other pod."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    world.pods("team-a", 4)
    world.pods("team-b", cpu=3)
    world.pods("team-b", cpu=3, waiting=True)
    (urgent,) = world.pods("team-a", waiting=True, priority=9)
    decisions = world.decide()
    assert [release.uid for release in decisions.releases] == [urgent.uid]
    assert evicted(decisions) == []


def test_pods_of_the_own_quota_stay_where_reclaim_finds_room() -> None:
    """team-b is within its min: it waits for what team-a borrows, and preempts none of its pods."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 6)
    world.pods("team-b", 2)
    world.pods("team-b", waiting=True, priority=9)
    assert evicted(world.decide()) == []
    assert {eviction.quota for eviction in world.decide(Policy().grace).evictions} == {"team-a"}


def test_priority_counts_while_another_quota_waits_for_the_room() -> None:
    """team-c waits for reclaim from team-a; the room that team-b frees is its own pod's."""
    world = World(nodes=1, cpu=9)
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name, weight=1)
    world.pods("team-a", 6)
    world.pods("team-b", 3)
    world.pods("team-c", 3, waiting=True)
    (important,) = world.pods("team-b", waiting=True, priority=9)
    decisions = world.decide()
    assert {eviction.quota for eviction in decisions.evictions} == {"team-b"}
    world.carry_out_evictions(decisions)
    assert [release.uid for release in world.decide().releases] == [important.uid]


def test_priority_counts_where_another_quota_would_take_a_fair_share_back() -> None:
    """team-a gives first. What waits there would have the smaller share then, and reclaim it."""
    world = World(nodes=1, cpu=4)
    world.node("node-1", cpu=2)
    world.quota("team-a")
    world.quota("team-b", min=1)
    world.quota("owner", min=1)
    world.pods("team-a", cpu=2, node="node-1")
    world.pods("team-b", cpu=3, node="node-0")
    (less,) = world.pods("owner", node="node-0")
    world.pods("team-a", waiting=True)
    world.pods("owner", waiting=True, priority=5)
    assert evicted(world.decide(policy=Policy(delay=0))) == [less.uid]


def test_in_a_quota_far_beyond_its_runtime_one_pod_takes_the_place_of_one() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 8)
    world.quota("team-b", min=6)
    world.pods("team-b", 6, waiting=True)
    world.pods("team-a", waiting=True, priority=9)
    assert len(evicted(world.decide())) == 1


@pytest.mark.parametrize("gpus", [0, 1])
def test_priority_starts_no_circle_of_three(gpus: int) -> None:
    """The min of team-b would take the node from the larger pod, with a GPU, if it asks for one.

    That GPU is beyond its min, so the min of team-a would take it back for the pod that runs now.
    """
    world = World(nodes=2, cpu=3)
    for name, taints in (("node-0", ()), ("node-1", (Taint("team", "c", "NoSchedule"),))):
        node = world.ledger.nodes[name]
        offer = {**node.allocatable, **amounts(gpu=1)}
        world.ledger.upsert_node(replace(node, allocatable=offer, taints=taints))
    world.quota("team-a", min=amounts(cpu=1, gpu=1))
    world.quota("team-b", min=4)
    (less,) = world.pods("team-a")
    world.ledger.upsert_pod(replace(less, request={**less.request, **amounts(gpu=1)}))
    (waiting,) = world.pods("team-b", cpu=3, waiting=True)
    world.ledger.upsert_pod(replace(waiting, request={**waiting.request, **amounts(gpu=gpus)}))
    world.pods("team-a", cpu=3, waiting=True, priority=9)
    assert evicted(world.decide()) == ([] if gpus else [less.uid])


def test_above_a_lowered_max_as_many_go_as_it_lacks_with_the_more_important_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.quota("team-a", max=3)
    (important,) = world.pods("team-a", waiting=True, priority=9)
    decisions = world.decide()
    assert len(evicted(decisions)) == 6
    world.carry_out_evictions(decisions)
    assert [release.uid for release in world.decide().releases] == [important.uid]


def test_no_pod_goes_where_a_lowered_max_stays_exceeded_with_the_more_important_one() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", priority=9)
    world.pods("team-a", cpu=2)
    world.quota("team-a", max=1)
    world.pods("team-a", waiting=True, priority=9)
    assert evicted(world.decide()) == []


def test_one_pod_takes_the_place_of_one_while_another_node_holds_more_than_it_offers() -> None:
    world = World(nodes=2, cpu=4)
    world.quota("team-a")
    world.pods("team-a", 4)
    world.pods("team-a", 2, node="node-1")
    world.node("node-1", cpu=1)
    (important,) = world.pods("team-a", waiting=True, priority=9)
    decisions = world.decide()
    assert len(evicted(decisions)) == 1
    world.carry_out_evictions(decisions)
    assert [release.uid for release in world.decide().releases] == [important.uid]


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in (*decisions.releases, *decisions.jobs.releases)]


@pytest.mark.parametrize("pods", [0, 2], ids=["that made no pods yet", "with its pods"])
def test_a_job_that_takes_the_place_of_another_starts_when_that_one_is_gone(pods: int) -> None:
    world = World(nodes=1, cpu=4)
    world.quota("team-a")
    less = world.job("team-a", "less", 4, admitted=True)
    made = world.pods("team-a", pods, job="less")
    important = world.job("team-a", "important", 4, priority=9)
    (eviction,) = world.decide().jobs.evictions
    assert eviction.uid == less.uid
    world.ledger.expect_eviction(less.uid)
    assert released(world.decide()) == []
    world.ledger.delete_job(less.key)
    for pod in made:
        assert released(world.decide()) == []
        world.ledger.delete_pod(pod.key)
    assert released(world.decide()) == [important.uid]


def test_a_pod_that_takes_the_place_of_another_takes_no_room_of_a_job_without_pods() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("team-a")
    world.job("team-a", "train", 2, admitted=True, priority=9)
    world.pods("team-a", 2)
    (important,) = world.pods("team-a", waiting=True, priority=9)
    decisions = world.decide()
    (victim,) = evicted(decisions)
    world.ledger.expect_eviction(victim)
    assert released(world.decide()) == []
    world.carry_out_evictions(decisions)
    assert released(world.decide()) == [important.uid]


def test_a_pod_that_takes_the_place_of_another_takes_no_room_of_a_job_that_starts_with_it() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("team-a")
    world.pods("team-a", 4)
    job = world.job("team-a", "train", 2, priority=9)
    (important,) = world.pods("team-a", waiting=True, priority=8)
    decisions = world.decide()
    first, second, third = decisions.evictions
    world.ledger.delete_pod(first.pod)
    world.ledger.delete_pod(second.pod)
    world.ledger.expect_eviction(third.uid)
    assert released(world.decide()) == [job.uid]
    world.ledger.expect_release(job.uid)
    world.ledger.delete_pod(third.pod)
    assert released(world.decide()) == [important.uid]


def test_non_preemptible_pods_preempt_up_to_min() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=1, max=4)
    world.pods("team-a", 4)
    world.pods("team-a", 2, waiting=True, priority=9, preemptible=False)
    assert len(world.decide().evictions) == 1
