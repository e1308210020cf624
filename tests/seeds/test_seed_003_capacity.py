"""Seed 003, capacity scheduling: its two stories and its two preemption examples.

1 cpu of these worlds stands for 1 GPU of the stories.
"""

import pytest

import forests
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


GRACE = Policy().grace
DELAY = Policy().delay


def consumes(world: World) -> dict[str, int]:
    """GPUs that run, by quota."""
    used = {
        status.key.name: status.used.get("cpu", 0) // 1000 for status in world.decide().statuses
    }
    return {name: used[name] for name in "ABC" if name in used}


def settle(world: World) -> Decisions:
    """Release what may go, and what may go once an owner has waited for its grace."""
    world.carry_out_releases(world.decide(now=0))
    decisions = world.decide(now=GRACE)
    world.carry_out_evictions(decisions)
    world.carry_out_releases(world.decide(now=GRACE))
    return decisions


def evicted(decisions: Decisions) -> list[str]:
    return [eviction.uid for eviction in decisions.evictions]


@pytest.fixture
def story_1() -> World:
    """10 GPUs; A has min 4, max 6 and runs 4, B has min 6, max 8 and runs 3."""
    world = World(nodes=1, cpu=10)
    world.quota("A", min=4, max=6)
    world.quota("B", min=6, max=8)
    world.pods("A", 4)
    world.pods("B", 3)
    return world


@pytest.fixture
def story_1_borrowed(story_1: World) -> tuple[World, Pod]:
    """A runs 6, two of them in one pod and borrowed from B."""
    (borrower,) = story_1.pods("A", cpu=2, waiting=True)
    settle(story_1)
    return story_1, story_1.ledger.pods[borrower.key]


def test_seed_003_story_1_figure_1_within_min_every_quota_runs_at_once() -> None:
    world = World(nodes=1, cpu=10)
    world.quota("A", min=4, max=6)
    world.quota("B", min=6, max=8)
    world.pods("A", 2, waiting=True)
    world.pods("B", 3, waiting=True)
    assert evicted(settle(world)) == []
    assert consumes(world) == {"A": 2, "B": 3}


def test_seed_003_story_1_figure_2_reaching_min_takes_from_no_quota() -> None:
    world = World(nodes=1, cpu=10)
    world.quota("A", min=4, max=6)
    world.quota("B", min=6, max=8)
    world.pods("A", 2)
    world.pods("B", 3)
    world.pods("A", 2, waiting=True)
    assert evicted(settle(world)) == []
    assert consumes(world) == {"A": 4, "B": 3}


def test_seed_003_story_1_figure_3_a_borrows_2_of_the_3_unused_up_to_its_max(
    story_1: World,
) -> None:
    story_1.pods("A", 3, waiting=True)
    assert evicted(settle(story_1)) == []
    assert consumes(story_1) == {"A": 6, "B": 3}
    (wait,) = story_1.decide(now=GRACE).waits
    assert (wait.quota, wait.reason) == ("A", "QuotaExhausted")


@pytest.mark.parametrize(("count", "size"), [(3, 1), (1, 3)])
def test_seed_003_story_1_figure_4_b_asks_3_more_and_a_returns_its_pod_of_2(
    story_1_borrowed: tuple[World, Pod], count: int, size: int
) -> None:
    """Seed: "From 6/3 to 4/6": the one unused GPU and the pod that asked for 2."""
    world, borrower = story_1_borrowed
    assert consumes(world) == {"A": 6, "B": 3}
    world.pods("B", count, cpu=size, waiting=True)
    assert evicted(settle(world)) == [borrower.uid]
    assert consumes(world) == {"A": 4, "B": 6}


@pytest.mark.parametrize("more", [1, 2])
def test_seed_003_story_1_b_asks_1_or_2_more_in_vain_for_a_is_at_its_min(
    story_1_borrowed: tuple[World, Pod], more: int
) -> None:
    """A's GPUs "by that moment are all guaranteed", and so it ends with 4 and 6."""
    world, _ = story_1_borrowed
    world.pods("B", 3, waiting=True)
    settle(world)
    world.pods("B", more, waiting=True)
    assert evicted(settle(world)) == []
    assert evicted(world.decide(now=10 * DELAY)) == []
    assert consumes(world) == {"A": 4, "B": 6}


def story_2(a: int, b: int, c: int) -> World:
    """10 GPUs; A has min 3, max 4, B min 4, max 6, C min 3, max 4; each runs pods of 1."""
    world = World(nodes=1, cpu=10)
    for name, low, high, runs in (("A", 3, 4, a), ("B", 4, 6, b), ("C", 3, 4, c)):
        world.quota(name, min=low, max=high)
        world.pods(name, runs)
    return world


def test_seed_003_story_2_figures_5_and_6_a_reaches_its_max_and_b_grows() -> None:
    world = story_2(2, 2, 3)
    world.pods("A", 2, waiting=True)
    world.pods("B", 1, waiting=True)
    assert evicted(settle(world)) == []
    assert consumes(world) == {"A": 4, "B": 3, "C": 3}


def test_seed_003_story_2_figure_7_b_within_min_takes_from_a_which_exceeds_its_own() -> None:
    """Seed: "QuotaA.used > min and QuotaC.used <= min. So a pod in QuotaA will be the victim"."""
    world = story_2(4, 3, 3)
    world.pods("B", 1, waiting=True)
    (eviction,) = settle(world).evictions
    assert eviction.quota == "A"
    assert consumes(world) == {"A": 3, "B": 4, "C": 3}


def test_seed_003_story_2_figures_8_and_9_b_beyond_min_takes_from_no_other_quota() -> None:
    """2, 5 and 3 run; B's next pod would be its sixth, beyond min: A and C keep theirs."""
    world = story_2(2, 0, 3)
    world.pods("B", 1, cpu=2)
    world.pods("B", 1, cpu=3)
    world.pods("B", 1, waiting=True)
    assert evicted(settle(world)) == []
    later = world.decide(now=10 * DELAY)
    assert not {eviction.quota for eviction in later.evictions} & {"A", "C"}
    assert consumes(world) == {"A": 2, "B": 5, "C": 3}


def test_seed_003_proposal_min_is_0_and_max_is_infinite_by_default() -> None:
    assert forests.runtimes("plain; owner 60..60", 100, plain=1000) == {"plain": 100, "owner": 0}
    assert forests.runtimes("plain; owner 60..60", 60, plain=60, owner=60) == {
        "plain": 0, "owner": 60,
    }  # fmt: skip


def test_seed_003_motivation_1_a_stuck_pod_in_min_leaves_the_room_up_to_max() -> None:
    """A bound pod of 4 uses the whole min and never becomes ready: 2 more still start."""
    world = World(nodes=1, cpu=10)
    world.quota("A", min=4, max=6)
    world.pods("A", cpu=4)
    world.pods("A", 3, waiting=True)
    assert len(world.decide().releases) == 2


def test_seed_003_restricted_preemption_high_priority_without_min_takes_from_no_other_quota() -> (
    None
):
    """Quota 1 runs 1 cpu borrowed from quota 3; quota 2's priority of a million waits."""
    world = World(nodes=1, cpu=1)
    world.quota("quota1", min=0, max=2)
    world.quota("quota2", min=0, max=2)
    world.quota("quota3", min=1, max=2)
    world.pods("quota1", 1)
    world.pods("quota2", 1, waiting=True, priority=1_000_000)
    decisions = settle(world)
    assert evicted(decisions) == []
    assert [wait.quota for wait in decisions.waits] == ["quota2"]
    later = world.decide(now=10 * DELAY)
    assert evicted(later) == []
    assert later.releases == ()


def test_seed_003_restricted_preemption_beyond_min_no_other_quota_pays_for_a_waiting_pod() -> None:
    """B's third pod is beyond its min of 2: A's borrowed pods stay, though B's fair share is more.

    A fair share that lasts is restored after the reclaim delay; that is seed 000's rule.
    """
    world = World(nodes=1, cpu=10)
    world.quota("A", min=2, max=10)
    world.quota("B", min=2, max=10)
    world.pods("A", 8)
    world.pods("B", 2)
    world.pods("B", 1, waiting=True)
    decisions = settle(world)
    assert evicted(decisions) == []
    assert {status.key.name: status.runtime["cpu"] for status in decisions.statuses}["B"] == 3_000
    assert len(world.decide(now=DELAY).evictions) == 1


def test_seed_003_restricted_preemption_the_lender_gets_its_cpu_back_by_its_min() -> None:
    """The other half of the rule: "to guarantee an elastic quota's min" pods of others may go."""
    world = World(nodes=1, cpu=1)
    world.quota("quota1", min=0, max=2)
    world.quota("quota3", min=1, max=2)
    (borrower,) = world.pods("quota1", 1)
    world.pods("quota3", 1, waiting=True)
    assert evicted(settle(world)) == [borrower.uid]


def test_seed_003_known_limitation_cross_node_reclaim_takes_both_pods() -> None:
    """The original fails: quota 1 runs a pod on each of two nodes, quota 2 asks for its 2 cpus."""
    world = World(nodes=2, cpu=2)
    world.quota("both", min=2, max=2, is_parent=True)
    world.quota("quota1", min=0, max=2, parent="both")
    world.quota("quota2", min=2, max=2, parent="both")
    (on_0,) = world.pods("quota1", node="node-0")
    (on_1,) = world.pods("quota1", node="node-1")
    (owner,) = world.pods("quota2", cpu=2, waiting=True)
    assert set(evicted(settle(world))) == {on_0.uid, on_1.uid}
    assert world.ledger.pods[owner.key].bound
