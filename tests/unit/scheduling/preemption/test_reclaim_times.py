"""How long an owner waits, and which pods are too young to be evicted."""

from elasticquota.model import moments
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


GRACE = Policy().grace
MINUTE = 60_000
SPARING = Policy(min_runtime=10 * MINUTE)


def evicted(decisions: Decisions) -> list[str]:
    return [eviction.uid for eviction in decisions.evictions]


def clock(world: World) -> int:
    """The wall clock of the next object that is made."""
    return moments.read(world.time()) or 0


def borrowed(grace: int | None = None) -> World:
    """team-a holds all 8 cpu; the min of team-b is 4, and a pod of it waits."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4, grace=grace)
    world.pods("team-a", 8)
    world.pods("team-b", waiting=True)
    return world


def test_an_owner_with_its_own_grace_waits_for_that() -> None:
    world = borrowed(grace=MINUTE)
    assert world.decide(now=0).wake_at == MINUTE
    assert evicted(world.decide(now=MINUTE - 1)) == []
    assert len(evicted(world.decide(now=MINUTE))) == 1


def test_a_grace_of_zero_reclaims_at_once() -> None:
    assert len(evicted(borrowed(grace=0).decide(now=0))) == 1


def test_each_owner_waits_for_its_own_grace() -> None:
    world = borrowed(grace=MINUTE)
    world.quota("team-c", min=2)
    world.pods("team-c", waiting=True)
    world.decide(now=0)
    (first,) = world.decide(now=GRACE).evictions
    assert "quota team-c reclaims" in first.message
    assert len(evicted(world.decide(now=MINUTE))) == 2


def test_a_pod_that_has_just_started_is_spared_until_it_is_old_enough() -> None:
    world = borrowed(grace=0)
    oldest = min(world.ledger.pods.values(), key=lambda pod: pod.created)
    started = moments.read(oldest.started) or 0
    world.ledger.set_time(started + 10 * MINUTE - 1)
    decisions = world.decide(now=0, policy=SPARING)
    assert evicted(decisions) == []
    assert decisions.wake_at == 1
    world.ledger.set_time(started + 10 * MINUTE)
    assert evicted(world.decide(now=1, policy=SPARING)) == [oldest.uid]


def test_a_clock_that_is_set_forward_spares_no_young_pod_until_it_is_set_right() -> None:
    world = borrowed(grace=0)
    right = clock(world) + MINUTE
    hour = 60 * MINUTE
    for told, spared in ((right, True), (right + hour, False), (right - hour, True), (right, True)):
        world.ledger.set_time(told)
        assert (evicted(world.decide(now=0, policy=SPARING)) == []) is spared


def test_an_owner_that_has_waited_for_its_grace_and_min_runtime_spares_no_pod() -> None:
    world = borrowed()
    world.ledger.set_time(clock(world))
    deadline = GRACE + 10 * MINUTE
    world.decide(now=0, policy=SPARING)
    assert evicted(world.decide(now=deadline - 1, policy=SPARING)) == []
    assert len(evicted(world.decide(now=deadline, policy=SPARING))) == 1


def test_the_next_cycle_is_when_an_owner_spares_young_pods_no_longer() -> None:
    world = borrowed()
    # Clocks of nodes differ: the pods seem to start an hour from now.
    world.ledger.set_time(clock(world) - 60 * MINUTE)
    policy = Policy(min_runtime=MINUTE)
    world.decide(now=0, policy=policy)
    assert world.decide(now=GRACE + 2, policy=policy).wake_at == GRACE + MINUTE


def test_a_pod_that_does_not_run_yet_is_not_spared() -> None:
    world = borrowed(grace=0)
    world.ledger.delete_pod(next(iter(world.ledger.pods)))
    (pending,) = world.pods("team-a", bound=False, priority=9)
    world.ledger.set_time(clock(world))
    assert evicted(world.decide(policy=SPARING)) == [pending.uid]


def test_a_young_pod_beyond_max_stays_until_it_is_old_enough() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    started = clock(world)
    world.quota("team-a", max=7)
    world.ledger.set_time(started)
    policy = Policy(delay=0, min_runtime=10 * MINUTE)
    assert evicted(world.decide(now=0, policy=policy)) == []
    world.ledger.set_time(started + 10 * MINUTE)
    assert len(evicted(world.decide(now=1, policy=policy))) == 1


def test_preemption_inside_a_quota_spares_no_young_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8, max=8)
    world.pods("team-a", 8)
    world.pods("team-a", waiting=True, priority=10)
    world.ledger.set_time(clock(world))
    assert len(evicted(world.decide(policy=SPARING))) == 1
