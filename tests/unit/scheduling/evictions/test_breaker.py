"""The breaker holds evictions for ``HOLD`` when many pods of a tree would go at once."""

import pytest

from elasticquota.model.decision import Condition, Decisions
from elasticquota.scheduling.evictions import breaker
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import ROOT, World, borrowed


BRAKED = Policy(grace=0, delay=0, brake_percent=30)
HOLD = breaker.HOLD


def evicted(decisions: Decisions) -> int:
    return len(decisions.of_workloads.evictions)


def conditions(decisions: Decisions, quota: str = ROOT) -> list[Condition]:
    (status,) = [found for found in decisions.statuses if found.key.name == quota]
    return [found for found in status.conditions if found.type == "EvictionsHeld"]


def test_evictions_of_a_large_part_of_a_tree_are_held_first() -> None:
    world = borrowed(waiting=6)
    assert evicted(world.decide(now=1, policy=BRAKED)) == 0
    assert evicted(world.decide(now=HOLD, policy=BRAKED)) == 0
    assert evicted(world.decide(now=1 + HOLD, policy=BRAKED)) == 6


def test_the_next_cycle_is_when_the_hold_ends() -> None:
    assert borrowed(waiting=6).decide(now=1, policy=BRAKED).wake_at == 1 + HOLD


def test_all_pods_of_a_job_count() -> None:
    """Six evictions are few, but the jobs have more than half of the admitted pods."""
    world = World(nodes=4, cpu=20)
    world.quota("team-a")
    world.quota("team-b", min=80)
    for number in range(6):
        world.job("team-a", f"job-{number}", pods=8, admitted=True)
        world.pods("team-a", 8, node=f"node-{number % 4}", job=f"job-{number}")
    world.pods("team-a", 32, node="node-0", preemptible=False)
    world.pods("team-b", 6, cpu=8, waiting=True)
    decisions = world.decide(now=1, policy=BRAKED)
    assert evicted(decisions) == 0
    assert "48 of 80 admitted pods would go at once" in conditions(decisions)[0].message
    assert evicted(world.decide(now=1 + HOLD, policy=BRAKED)) == 6


def test_a_handful_is_never_held() -> None:
    assert evicted(borrowed(waiting=5).decide(policy=BRAKED)) == 5


def test_evictions_up_to_the_percentage_are_not_held() -> None:
    policy = Policy(grace=0, brake_percent=38)  # of 16 pods, so 6.08
    assert evicted(borrowed(waiting=6).decide(policy=policy)) == 6
    assert evicted(borrowed(waiting=7).decide(policy=policy)) == 0


def test_without_a_percentage_nothing_is_held() -> None:
    assert evicted(borrowed(waiting=16).decide(policy=Policy(grace=0))) == 16


def test_the_hold_starts_again_after_a_cycle_with_few_evictions() -> None:
    world = borrowed(waiting=6)
    waiting = [pod for pod in world.ledger.pods.values() if pod.gated]
    world.decide(now=0, policy=BRAKED)
    world.ledger.delete_pod(waiting[0].key)
    assert evicted(world.decide(now=HOLD // 2, policy=BRAKED)) == 5
    world.ledger.upsert_pod(waiting[0])
    assert evicted(world.decide(now=HOLD, policy=BRAKED)) == 0


def test_evictions_that_follow_each_other_closely_count_together() -> None:
    world = borrowed(waiting=3)
    first = world.decide(now=0, policy=BRAKED)
    assert evicted(first) == 3
    world.carry_out_evictions(first)
    world.carry_out_releases(world.decide(now=1, policy=BRAKED))
    world.pods("team-b", 3, waiting=True)
    assert evicted(world.decide(now=2, policy=BRAKED)) == 0
    assert evicted(world.decide(now=1 + HOLD, policy=BRAKED)) == 0
    assert evicted(world.decide(now=2 + HOLD, policy=BRAKED)) == 3


def test_refused_evictions_do_not_count_with_those_of_other_victims() -> None:
    world = borrowed(waiting=3)
    for victim in world.decide(now=0, policy=BRAKED).of_workloads.evictions:
        world.ledger.withhold(victim.uid)
    others = world.decide(now=1, policy=BRAKED)
    assert evicted(others) == 3
    assert others.clocks.histories["42"].asked.keys() == {
        victim.uid for victim in others.of_workloads.evictions
    }


def test_evictions_with_a_pause_between_them_do_not_add_up() -> None:
    world = borrowed(waiting=3)
    first = world.decide(now=0, policy=BRAKED)
    world.carry_out_evictions(first)
    world.carry_out_releases(world.decide(now=1, policy=BRAKED))
    world.pods("team-b", 3, waiting=True)
    assert evicted(world.decide(now=HOLD, policy=BRAKED)) == 3


def test_even_few_evictions_are_held_in_a_tree_that_lost_many_nodes() -> None:
    world = borrowed(waiting=1)
    world.decide(now=0, policy=Policy(grace=HOLD, brake_percent=30))
    world.ledger.delete_node("node-1")
    assert evicted(world.decide(now=10, policy=BRAKED)) == 0
    assert evicted(world.decide(now=9 + HOLD, policy=BRAKED)) == 0
    assert evicted(world.decide(now=10 + HOLD, policy=BRAKED)) > 0


@pytest.mark.parametrize(("left", "shrank"), [(5_600, None), (5_599, 1), (5_560, 1)])
def test_a_tree_has_shrunk_when_it_lost_more_than_the_percentage(
    left: int, shrank: int | None
) -> None:
    """30 percent of 8 cpu are 2.4."""
    world = World(nodes=1, cpu=8)
    world.decide(now=0, policy=BRAKED)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": left}))
    assert world.decide(now=1, policy=BRAKED).clocks.histories["42"].shrank == shrank


def test_nodes_that_vanish_one_after_the_other_count_together() -> None:
    world = World(nodes=10, cpu=8)
    world.quota("team-a", min=1)
    world.pods("team-a", 1)
    for index in range(4):
        found = world.decide(now=index, policy=BRAKED)
        assert found.clocks.histories["42"].shrank is None
        world.ledger.delete_node(f"node-{index}")
    assert world.decide(now=4, policy=BRAKED).clocks.histories["42"].shrank == 4


def test_a_tree_that_shrinks_slowly_does_not_trip_the_breaker() -> None:
    world = World(nodes=10, cpu=8)
    for index in range(9):
        found = world.decide(now=index * HOLD, policy=BRAKED)
        assert found.clocks.histories["42"].shrank is None or index > 6
        world.ledger.delete_node(f"node-{index}")


def test_the_root_says_that_evictions_are_held_and_why() -> None:
    world = borrowed(waiting=6)
    decisions = world.decide(now=0, policy=BRAKED)
    assert decisions.held == {ROOT: 6}
    assert conditions(decisions) == [
        Condition(
            "EvictionsHeld",
            True,
            "Brake",
            "no pod is evicted for some seconds: 6 of 16 admitted pods would go at once; "
            "reclaim.brakePercent sets the limit",
        )
    ]
    after = world.decide(now=HOLD, policy=BRAKED)
    assert after.held == {}
    assert conditions(after) == []


def test_evictions_of_exactly_the_percentage_are_not_held() -> None:
    policy = Policy(grace=0, brake_percent=50)  # of 16 pods
    assert evicted(borrowed(waiting=8).decide(policy=policy)) == 8
    assert evicted(borrowed(waiting=9).decide(policy=policy)) == 0


def test_a_tree_that_lost_its_only_device_has_shrunk() -> None:
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "fpga": 1}))
    assert world.decide(now=0, policy=BRAKED).clocks.histories["42"].shrank is None
    world.ledger.upsert_node(node)
    assert world.decide(now=1, policy=BRAKED).clocks.histories["42"].shrank == 1
