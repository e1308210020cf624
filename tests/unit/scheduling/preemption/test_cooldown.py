"""Room that was reclaimed for an owner stays free of borrowers for a while."""

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.policy import Policy
from elasticquota.structs import replace
from worlds import World, amounts


MINUTE = 60_000
POLICY = Policy(grace=0, delay=0, cooldown=10 * MINUTE)


def released(world: World, decisions: Decisions) -> list[str]:
    """The quotas of the admitted pods."""
    return sorted(release.quota for release in decisions.releases)


def after_reclaim(policy: Policy = POLICY, back: int = 4) -> World:
    """Reclaim ``back`` of the 4 cpu of team-b at 0; its pods have ended since.

    team-a has 8 - ``back`` of 8 cpu, and ``back`` pods of 1 cpu that wait.
    """
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    waiting = world.pods("team-b", back, waiting=True)
    world.carry_out_evictions(world.decide(now=0, policy=policy))
    assert released(world, world.decide(now=0, policy=policy)) == ["team-b"] * back
    for pod in waiting:
        world.ledger.delete_pod(pod.key)
    world.pods("team-a", back, waiting=True)
    return world


def test_without_cooldown_room_is_lent_again_at_once() -> None:
    policy = Policy(grace=0, delay=0)
    assert len(after_reclaim(policy).decide(now=1, policy=policy).releases) == 4


def test_reclaimed_room_is_kept_free_of_borrowers() -> None:
    world = after_reclaim()
    decisions = world.decide(now=1, policy=POLICY)
    assert released(world, decisions) == []
    assert {wait.reason for wait in decisions.waits} == {"WaitingForHeadroom"}
    assert "needs 1 cpu, which is free, but kept for quota team-b after a reclaim" in (
        decisions.waits[0].message
    )


def test_the_kept_amount_falls_in_equal_steps() -> None:
    kept = {0: 4, 2: 4, 3: 3, 5: 2, 8: 1, 9: 1, 10: 0}
    found = {
        minute: 4 - len(after_reclaim().decide(now=minute * MINUTE, policy=POLICY).releases)
        for minute in kept
    }
    assert found == kept


def test_the_next_cycle_is_at_the_next_step() -> None:
    world = after_reclaim()
    assert world.decide(now=1, policy=POLICY).wake_at == MINUTE
    assert world.decide(now=MINUTE, policy=POLICY).wake_at == 2 * MINUTE
    policy = Policy(grace=0, delay=0, cooldown=7, head_of_line=0)
    assert after_reclaim(policy).decide(now=1, policy=policy).wake_at == 2


def test_the_owner_does_not_wait_for_its_own_cooldown() -> None:
    world = after_reclaim()
    world.pods("team-b", 4, waiting=True)
    assert released(world, world.decide(now=1, policy=POLICY)) == ["team-b"] * 4


def test_the_owner_does_not_wait_beyond_its_min_either() -> None:
    world = after_reclaim()
    world.pods("team-b", cpu=4, waiting=True)
    assert released(world, world.decide(now=1, policy=POLICY)) == ["team-b"]
    world = after_reclaim()
    for pod in [pod.key for pod in world.ledger.pods.values() if pod.quota_label == "team-a"][:2]:
        world.ledger.delete_pod(pod)
    world.pods("team-b", cpu=5, waiting=True)
    assert "team-b" in released(world, world.decide(now=1, policy=POLICY))


def test_no_pod_within_min_waits_for_a_cooldown() -> None:
    world = after_reclaim()
    world.quota("team-c", min=4)
    world.pods("team-c", 4, waiting=True)
    assert released(world, world.decide(now=1, policy=POLICY)) == ["team-c"] * 4


def test_no_more_is_kept_than_the_unused_min_of_the_owner() -> None:
    world = after_reclaim()
    world.pods("team-b", 3)
    world.pods("team-a", waiting=True)
    assert len(world.decide(now=1, policy=POLICY).releases) == 0
    world.pods("team-b", 1)
    found = next(pod.key for pod in world.ledger.pods.values() if pod.quota_label == "team-a")
    world.ledger.delete_pod(found)
    assert released(world, world.decide(now=2, policy=POLICY)) == ["team-a"]


def test_a_resource_without_min_is_not_kept() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    both = {**amounts(cpu=1, memory=8), names.PODS: 1}
    for pod in [*world.pods("team-a", 8), *world.pods("team-b", waiting=True)]:
        world.ledger.upsert_pod(replace(pod, request=both))
    world.carry_out_evictions(world.decide(now=0, policy=POLICY))
    (owner,) = world.decide(now=0, policy=POLICY).releases
    world.ledger.delete_pod(owner.pod)
    (cooldown,) = world.decide(now=1, policy=POLICY).clocks.cooldowns.values()
    assert cooldown.amounts == amounts(cpu=1, memory=8)
    (borrower,) = world.pods("team-a", waiting=True)
    world.ledger.upsert_pod(replace(borrower, request={**amounts(memory=8), names.PODS: 1}))
    assert len(world.decide(now=2, policy=POLICY).releases) == 1


def test_idle_room_is_kept_from_borrowers_too() -> None:
    """The pod of 3 cpu would borrow; the cooldown leaves too little of the idle room for it."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.quota("team-c")
    world.pods("team-a", 8)
    (owner,) = world.pods("team-b", cpu=4, waiting=True)
    world.carry_out_evictions(world.decide(now=0, policy=POLICY))
    world.decide(now=0, policy=POLICY)
    world.ledger.delete_pod(owner.key)
    world.pods("team-c", cpu=3, waiting=True)
    kept = Policy(grace=0, delay=MINUTE, cooldown=10 * MINUTE)
    assert world.decide(now=1, policy=kept).releases == ()
    free = Policy(grace=0, delay=MINUTE)
    assert len(world.decide(now=1, policy=free).releases) == 1


def test_no_pod_is_evicted_for_a_pod_that_a_cooldown_would_keep_out() -> None:
    world = after_reclaim()
    world.quota("team-c", weight=100)
    world.pods("team-c", cpu=6, waiting=True)
    world.decide(now=1, policy=POLICY)
    assert world.decide(now=2, policy=POLICY).evictions == ()
    free = Policy(grace=0, delay=0)
    assert len(world.decide(now=3, policy=free).evictions) == 2


def test_a_victim_that_stays_returns_nothing() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", waiting=True)
    world.decide(now=0, policy=POLICY)
    world.ledger.withhold(next(pod.uid for pod in world.ledger.pods.values()))
    assert world.decide(now=1, policy=POLICY).clocks.cooldowns == {}
