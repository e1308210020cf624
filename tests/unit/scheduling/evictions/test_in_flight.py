"""The conditions of a quota whose pods are being evicted."""

from elasticquota.model.decision import Condition, Decisions
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Blocker, Refusal
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)


def said(decisions: Decisions, quota: str, kind: str) -> Condition | None:
    """The condition, if it is true."""
    (status,) = [found for found in decisions.statuses if found.key.name == quota]
    return next((found for found in status.conditions if found.type == kind and found.status), None)


def borrowed(waiting: int = 2) -> World:
    """team-a holds all 8 cpu; the min of team-b is 4, and pods of it wait."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", waiting, waiting=True)
    return world


def victims(world: World, decisions: Decisions) -> list[Pod]:
    return [world.ledger.pods[eviction.pod] for eviction in decisions.evictions]


def refuse(world: World, pod: Pod, blocker: Blocker, budget: str = "") -> None:
    """Record what the evictor records after a refusal."""
    world.ledger.forget_eviction(pod.uid)
    world.ledger.withhold(pod.uid, Refusal(pod.key, pod.quota_label, "team-b", blocker, budget))


def test_a_quota_says_for_whom_it_is_reclaimed_and_how_much() -> None:
    found = borrowed().decide(policy=AT_ONCE)
    text = "2 cpu for quota team-b will be freed in at most 120 s"
    assert said(found, "team-a", "Reclaiming") == Condition("Reclaiming", True, "OwnerWaits", text)
    assert said(found, "team-b", "Reclaiming") is None


def test_it_says_so_until_the_last_victim_is_gone() -> None:
    world = borrowed()
    one, other = victims(world, world.decide(policy=AT_ONCE))
    world.ledger.expect_eviction(one.uid)
    world.ledger.upsert_pod(replace(other, deleting=True))
    found = said(world.decide(policy=AT_ONCE), "team-a", "Reclaiming")
    assert found is not None
    assert found.message == "2 cpu for quota team-b will be freed in at most 120 s"
    world.ledger.delete_pod(one.key)
    found = said(world.decide(policy=AT_ONCE), "team-a", "Reclaiming")
    assert found is not None
    assert found.message == "1 cpu for quota team-b will be freed in at most 120 s"
    world.ledger.delete_pod(other.key)
    assert said(world.decide(policy=AT_ONCE), "team-a", "Reclaiming") is None


def test_pods_that_end_by_themselves_are_for_no_quota() -> None:
    world = borrowed(waiting=0)
    pod = next(iter(world.ledger.pods.values()))
    world.ledger.upsert_pod(replace(pod, deleting=True))
    assert said(world.decide(policy=AT_ONCE), "team-a", "Reclaiming") is None


def test_what_is_evicted_for_a_limit_is_for_no_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.quota("team-a", max=7)
    found = world.decide(policy=AT_ONCE)
    text = "1 cpu beyond its limits will be freed in at most 120 s"
    assert said(found, "team-a", "Reclaiming") == Condition(
        "Reclaiming", True, "BeyondLimits", text
    )


def test_preemption_inside_a_quota_is_no_reclaim() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8, max=8)
    world.pods("team-a", 8)
    world.pods("team-a", waiting=True, priority=10)
    found = world.decide(policy=AT_ONCE)
    assert [eviction.owner for eviction in found.evictions] == ["team-a"]
    assert said(found, "team-a", "Reclaiming") is None


def test_a_budget_that_keeps_a_victim_is_named() -> None:
    world = borrowed(waiting=1)
    (victim,) = victims(world, world.decide(policy=AT_ONCE))
    refuse(world, victim, "DisruptionBudget", "keep")
    assert said(world.decide(policy=AT_ONCE), "team-a", "ReclaimBlocked") == Condition(
        "ReclaimBlocked",
        True,
        "DisruptionBudget",
        "pods that should go stay: disruption budget teams/keep protects them for now; "
        "quota team-b waits",
    )


def test_two_budgets_are_distinguished_from_one() -> None:
    world = borrowed(waiting=1)
    (victim,) = victims(world, world.decide(policy=AT_ONCE))
    refuse(world, victim, "SeveralBudgets")
    found = said(world.decide(policy=AT_ONCE), "team-a", "ReclaimBlocked")
    assert found is not None
    assert found.reason == "SeveralBudgets"
    assert f"several disruption budgets match pod {victim.key}" in found.message


def test_reclaim_blocked_stays_while_the_eviction_is_tried_again() -> None:
    world = borrowed(waiting=1)
    for pod in list(world.ledger.pods.values())[1:8]:
        world.ledger.upsert_pod(replace(pod, preemptible=False))
    (victim,) = victims(world, world.decide(policy=AT_ONCE))
    refuse(world, victim, "DisruptionBudget", "keep")
    before = said(world.decide(policy=AT_ONCE), "team-a", "ReclaimBlocked")
    world.ledger.offer_again(victim.uid)
    chosen = world.decide(policy=AT_ONCE)
    assert [eviction.uid for eviction in chosen.evictions] == [victim.uid]
    assert said(chosen, "team-a", "ReclaimBlocked") == before
    assert said(chosen, "team-a", "Reclaiming") is None, "it may be refused again"
    world.ledger.expect_eviction(victim.uid)
    asked = world.decide(policy=AT_ONCE)
    assert said(asked, "team-a", "ReclaimBlocked") == before
    world.ledger.upsert_pod(replace(victim, deleting=True))
    leaving = world.decide(policy=AT_ONCE)
    assert said(leaving, "team-a", "ReclaimBlocked") is None
    assert said(leaving, "team-a", "Reclaiming") is not None


def test_a_protected_pod_that_is_no_victim_any_more_blocks_nothing() -> None:
    world = borrowed(waiting=1)
    (victim,) = victims(world, world.decide(policy=AT_ONCE))
    refuse(world, victim, "DisruptionBudget", "keep")
    world.ledger.delete_pod(next(pod.key for pod in world.ledger.pods.values() if pod.gated))
    world.ledger.offer_again(victim.uid)
    assert said(world.decide(policy=AT_ONCE), "team-a", "ReclaimBlocked") is None


def test_an_owner_still_waits_while_a_refused_eviction_is_tried_again() -> None:
    world = borrowed(waiting=1)
    for pod in list(world.ledger.pods.values())[1:8]:
        world.ledger.upsert_pod(replace(pod, preemptible=False))
    policy = Policy(delay=0)
    world.decide(now=0, policy=policy)
    (victim,) = victims(world, world.decide(now=policy.grace, policy=policy))
    refuse(world, victim, "DisruptionBudget")
    world.ledger.expect_eviction(victim.uid)
    found = world.decide(now=policy.grace + 1, policy=policy)
    assert found.clocks.owner_waits_since == {"team-b": 0}
