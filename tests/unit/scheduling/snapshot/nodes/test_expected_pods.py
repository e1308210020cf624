"""A released pod that no node takes holds up other pods for some seconds only."""

import pytest

from elasticquota import names
from elasticquota.model.clocks import Clocks
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.snapshot.nodes.expected_pods import EXPECTED_FOR, REFUSED_FOR
from elasticquota.structs import replace
from worlds import World


CRITICAL = 2_000_000_000
FUTURE = 99_999_999_999_000


def owner_beside(cpu: int = 7) -> tuple[World, Pod]:
    """Two nodes of 8 cpu, an owner with a min of 8 whose 8 pods wait, and a borrower's pod."""
    world = World(nodes=2, cpu=8)
    world.quota("own", min=8, max=16)
    world.quota("bor", min=1, max=8)
    (pod,) = world.pods("bor", cpu=cpu, bound=False, priority=CRITICAL)
    world.pods("own", 8, waiting=True)
    return world, pod


def released(decisions: Decisions, quota: str = "own") -> int:
    return len([each for each in decisions.releases if each.quota == quota])


def bind(world: World, decisions: Decisions) -> None:
    """Do what the ungater does, and the scheduler: it finds room on any node."""
    world.open_gates(decisions)
    for pod in [*world.ledger.pods.values()]:
        if pod.quota_label == "own" and not pod.gated:
            world.ledger.upsert_pod(replace(pod, node_name="node-1", started=world.time()))


@pytest.mark.parametrize(
    ("forged", "lasts"),
    [
        ({}, EXPECTED_FOR),
        ({"unplaced_since": FUTURE}, EXPECTED_FOR),
        ({"unplaced_since": FUTURE, "refused": True}, REFUSED_FOR),
        ({"refused": True}, REFUSED_FOR),
    ],
)
def test_it_ends_by_the_clock_of_the_controller(forged: dict[str, int], lasts: int) -> None:
    world, trap = owner_beside()
    world.ledger.upsert_pod(replace(trap, **forged))
    first = world.decide(0)
    assert released(first) < 8
    assert first.wake_at is not None
    assert first.wake_at <= lasts
    bind(world, first)
    bind(world, world.decide(lasts - 1))
    bind(world, world.decide(lasts))
    assert [pod for pod in world.ledger.pods.values() if pod.gated] == []


def test_a_label_that_says_it_is_old_ends_it_at_once_after_a_restart() -> None:
    world, trap = owner_beside()
    world.ledger.set_time(EXPECTED_FOR)
    world.ledger.upsert_pod(replace(trap, unplaced_since=0))
    assert released(world.decide(0)) == 8


def test_after_a_restart_it_lasts_once_more() -> None:
    world, _ = owner_beside()
    world.decide(0)
    world.ledger.remember(Clocks())
    assert released(world.decide(EXPECTED_FOR)) < 8
    assert released(world.decide(2 * EXPECTED_FOR)) > 0


def test_a_pod_that_was_without_a_node_for_too_long_is_not_expected_again() -> None:
    """Its owner may write any time into the label."""
    world, trap = owner_beside()
    world.decide(0)
    world.ledger.set_time(400_000)
    world.ledger.upsert_pod(replace(trap, unplaced_since=0))
    world.decide(EXPECTED_FOR)
    world.ledger.upsert_pod(replace(trap, unplaced_since=FUTURE))
    assert released(world.decide(EXPECTED_FOR)) == 8


def test_a_pod_of_another_scheduler_preempts_nothing_and_is_no_reason_to_wait() -> None:
    world, trap = owner_beside()
    assert released(world.decide()) < 8
    world.ledger.upsert_pod(replace(trap, scheduler="other"))
    assert released(world.decide()) == 8


def test_its_own_release_waits_where_it_could_take_the_room_of_a_pod_that_may_preempt() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own", min=10)
    world.quota("bor")
    world.pods("own", cpu=4, node="node-0")
    world.pods("own", cpu=6, node="node-1")
    world.pods("bor", cpu=4, bound=False, priority=CRITICAL)
    (small,) = world.pods("bor", cpu=2, waiting=True)
    world.ledger.upsert_pod(replace(small, scheduler="other"))
    assert released(world.decide(), "bor") == 0


def with_affinities(world: World, quota: str, count: int) -> None:
    """Tiny important pods without a node, each with another affinity that all nodes fulfil."""
    for number, pod in enumerate(world.pods(quota, count, bound=False, priority=CRITICAL)):
        term = NodeTerm((NodeRequirement("zone", "NotIn", (f"z{number}",)),))
        tiny = {"cpu": 1, names.PODS: 1}
        world.ledger.upsert_pod(replace(pod, request=tiny, constraints=Constraints((), (term,))))


def test_an_exhausted_search_favors_an_owner_within_its_min() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own", min=8)
    world.quota("bor", min=1)
    with_affinities(world, "bor", 105)
    world.pods("own", 2, cpu=4, waiting=True)
    world.pods("bor", 2, cpu=2, waiting=True)
    decisions = world.decide()
    assert released(decisions) == 2
    assert released(decisions, "bor") == 0
    assert released(world.decide(EXPECTED_FOR), "bor") == 2


def test_one_pod_after_the_other_holds_up_an_owner_no_longer_than_one() -> None:
    world, trap = owner_beside()
    for now in range(0, EXPECTED_FOR + 1, 1_000):
        bind(world, world.decide(now))
        world.ledger.delete_pod(trap.key)
        trap = replace(trap, uid=f"trap-{now}")
        world.ledger.upsert_pod(trap)
    assert [pod for pod in world.ledger.pods.values() if pod.gated] == []


def test_its_amounts_still_count() -> None:
    world, _ = owner_beside()
    world.decide(0)
    world.decide(EXPECTED_FOR)
    (status,) = [found for found in world.decide(EXPECTED_FOR).statuses if found.key.name == "bor"]
    assert status.admitted["cpu"] == 7000
