"""Which pods pass one that does not fit: Strict queueing, and pods at the head for too long."""

from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy
from sentences import why
from worlds import World


HEAD = Policy().head_of_line
SLOW = Policy(grace=10 * HEAD, delay=10 * HEAD)
"""No reclaim happens in these tests."""


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def reasons(decisions: Decisions) -> dict[str, str]:
    return {wait.uid: wait.reason for wait in decisions.waits}


# -- Refused releases


def test_a_pod_whose_release_was_refused_holds_no_room_until_it_is_offered_again() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    (large,) = world.pods("team-a", cpu=4, waiting=True, priority=1)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    world.ledger.withhold(large.uid)
    decisions = world.decide()
    assert released(decisions) == [small.uid]
    assert reasons(decisions) == {large.uid: "ReleaseRefused"}
    assert released(world.decide()) == [small.uid]
    world.ledger.offer_again(large.uid)
    assert released(world.decide()) == [large.uid]


# -- Strict


def test_under_strict_queueing_no_pod_passes_a_pod_that_does_not_fit() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    world.pods("team-a", cpu=4)
    (large,) = world.pods("team-a", cpu=4, waiting=True)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    decisions = world.decide()
    assert released(decisions) == []
    assert reasons(decisions) == {large.uid: "QuotaExhausted", small.uid: "WaitingInLine"}


def test_a_blocked_pod_says_which_pod_goes_first_and_why() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    world.pods("team-a", cpu=4)
    (large,) = world.pods("team-a", cpu=4, waiting=True)
    world.pods("team-a", cpu=2, waiting=True)
    (_, said) = world.decide().waits
    assert why(said.message) == (
        f"WaitingInLine: behind pod {large.key}, which no pod of its quota may pass (its queueing "
        "is Strict). Position 2 of 2. It is tried when that one has started."
    )


def test_a_strict_queue_moves_on_when_its_first_pod_fits() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    (running,) = world.pods("team-a", cpu=4)
    (large,) = world.pods("team-a", cpu=4, waiting=True)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    world.decide()
    world.ledger.delete_pod(running.key)
    assert released(world.decide()) == [large.uid, small.uid]


def test_a_more_important_pod_stands_before_the_one_that_does_not_fit() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    world.pods("team-a", cpu=4)
    world.pods("team-a", cpu=4, waiting=True)
    (urgent,) = world.pods("team-a", cpu=2, waiting=True, priority=1)
    assert released(world.decide()) == [urgent.uid]


def test_other_quotas_do_not_wait_for_a_strict_one() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    world.quota("team-b", max=6)
    world.pods("team-a", cpu=4)
    world.pods("team-a", cpu=4, waiting=True)
    (other,) = world.pods("team-b", cpu=2, waiting=True)
    assert released(world.decide()) == [other.uid]


def test_pods_with_gates_of_others_block_no_strict_queue() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6, strict=True)
    world.pods("team-a", cpu=6, waiting=True, foreign_gate="example.com/checked")
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    assert released(world.decide()) == [small.uid]


def test_pods_that_never_fit_block_no_strict_queue() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=2, max=6, strict=True)
    world.pods("team-a", cpu=7, waiting=True)
    world.pods("team-a", cpu=3, waiting=True, preemptible=False)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    assert released(world.decide()) == [small.uid]


def test_pods_like_the_first_get_room_in_the_same_cycle() -> None:
    """team-b holds team-a's guarantee; both pods of team-a are served by one set of victims."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4, strict=True)
    world.quota("team-b")
    world.pods("team-b", 8)
    world.pods("team-a", 2, cpu=2, waiting=True)
    world.decide(0)
    assert len(world.decide(Policy().grace).evictions) == 4


def test_nothing_is_reclaimed_for_a_pod_that_may_not_pass() -> None:
    """The first asks for more than the quota may use, the second waits behind it."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=2, strict=True)
    world.quota("team-b", min=6)
    world.pods("team-b", 8)
    world.pods("team-a", cpu=3, waiting=True)
    world.pods("team-a", cpu=2, waiting=True)
    world.decide(0)
    assert world.decide(Policy().delay).evictions == ()


# -- the head of the queue


def busy_world() -> World:
    """A quota of 6 cpu that small pods fill again and again, and one that asks for all of it."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6)
    world.pods("team-a", 5)
    world.pods("team-a", cpu=6, waiting=True, prefix="large")
    return world


def large_of(world: World) -> str:
    return next(pod.uid for pod in world.ledger.pods.values() if pod.key.name.startswith("large"))


def test_small_pods_pass_the_head_of_the_queue_for_five_minutes_at_most() -> None:
    world = busy_world()
    assert world.decide(0, SLOW).wake_at == HEAD
    (small,) = world.pods("team-a", waiting=True)
    assert released(world.decide(HEAD - 1, SLOW)) == [small.uid]
    decisions = world.decide(HEAD, SLOW)
    assert released(decisions) == []
    assert reasons(decisions)[small.uid] == "WaitingInLine"
    assert decisions.wake_at is None


def test_when_the_head_is_admitted_others_pass_again() -> None:
    world = busy_world()
    world.decide(0, SLOW)
    (small,) = world.pods("team-a", waiting=True)
    for pod in list(world.ledger.pods.values()):
        if not pod.gated:
            world.ledger.delete_pod(pod.key)
    decisions = world.decide(HEAD, SLOW)
    assert released(decisions) == [large_of(world)]
    world.carry_out_releases(decisions)
    assert reasons(world.decide(HEAD, SLOW)) == {small.uid: "QuotaExhausted"}


def test_the_next_head_starts_its_own_time() -> None:
    world = busy_world()
    (next_one,) = world.pods("team-a", cpu=5, waiting=True)
    world.decide(0, SLOW)
    gone = next(pod for pod in world.ledger.pods.values() if pod.uid == large_of(world))
    world.ledger.delete_pod(gone.key)
    decisions = world.decide(HEAD, SLOW)
    assert decisions.clocks.head_since == {next_one.uid: HEAD}
    assert decisions.wake_at == 2 * HEAD


def test_the_head_is_the_first_of_its_queue_also_where_a_later_one_is_guaranteed() -> None:
    """Which one is guaranteed depends on what sisters hold; whose turn it is does not."""
    world = World(nodes=2, cpu=3)
    world.quota("dept", min=4, is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-b", min=3, parent="dept")
    world.pods("team-a", cpu=3, node="node-0")
    world.pods("team-b", cpu=3, waiting=True)
    (large,) = world.pods("team-a", cpu=2, waiting=True)
    world.pods("team-a", waiting=True)
    assert world.decide(0, SLOW).clocks.head_since == {large.uid: 0}


def test_a_head_keeps_its_time_while_a_more_important_pod_is_before_it() -> None:
    world = busy_world()
    world.decide(0, SLOW)
    (urgent,) = world.pods("team-a", cpu=2, waiting=True, priority=1, may_preempt=False)
    world.decide(HEAD - 1, SLOW)
    world.ledger.delete_pod(urgent.key)
    world.pods("team-a", waiting=True)
    assert released(world.decide(HEAD, SLOW)) == []


def test_a_pod_that_its_runtime_would_never_hold_stops_no_pod() -> None:
    """team-b keeps its guarantee of 12, so the runtime of team-a stays at 4."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=12)
    world.pods("team-b", 12)
    world.pods("team-a", 3)
    world.pods("team-a", cpu=5, waiting=True)
    assert world.decide(0, SLOW).clocks.head_since == {}
    (small,) = world.pods("team-a", waiting=True)
    assert released(world.decide(HEAD, SLOW)) == [small.uid]


def test_a_head_that_its_runtime_holds_no_more_stops_no_pod() -> None:
    world = busy_world()
    world.decide(0, SLOW)
    world.quota("team-b", min=12)
    world.pods("team-b", 11)
    world.pods("team-b", waiting=True)
    world.ledger.delete_pod(
        next(pod.key for pod in world.ledger.pods.values() if pod.quota_label == "team-a")
    )
    world.ledger.delete_pod(
        next(pod.key for pod in world.ledger.pods.values() if pod.key.name.startswith("team-a"))
    )
    (small,) = world.pods("team-a", waiting=True)
    assert small.uid in released(world.decide(HEAD, SLOW))


def test_a_head_that_only_lacks_min_stops_only_its_like() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=4)
    world.pods("team-a", 3, preemptible=False)
    (firm,) = world.pods("team-a", cpu=2, waiting=True, preemptible=False)
    world.decide(0, SLOW)
    (like,) = world.pods("team-a", waiting=True, preemptible=False)
    (soft,) = world.pods("team-a", waiting=True)
    decisions = world.decide(HEAD, SLOW)
    assert released(decisions) == [soft.uid]
    assert reasons(decisions) == {firm.uid: "QuotaExhausted", like.uid: "WaitingInLine"}


def test_where_the_administrator_wants_no_such_protection_small_pods_always_pass() -> None:
    world = busy_world()
    off = Policy(head_of_line=0)
    assert world.decide(0, off).wake_at is None
    (small,) = world.pods("team-a", waiting=True)
    assert released(world.decide(10 * HEAD, off)) == [small.uid]


def test_after_a_restart_the_time_starts_again() -> None:
    world = busy_world()
    world.decide(0, SLOW)
    world.ledger.clocks = type(world.ledger.clocks)()
    (small,) = world.pods("team-a", waiting=True)
    assert released(world.decide(HEAD, SLOW)) == [small.uid]


def test_idle_room_is_kept_for_a_head_within_its_runtime_that_waited_for_too_long() -> None:
    """team-b over-uses what team-a's pod of 3 needs; without the rule its next small pod, and the
    next, would take each cpu that comes free, beyond its runtime.
    """
    world = World(nodes=1, cpu=8)
    world.quota("team-a", weight=1)
    world.quota("team-b", weight=1)
    world.pods("team-b", 7)
    world.pods("team-a", cpu=3, waiting=True)
    first = world.decide(0, SLOW)
    assert first.releases == ()
    world.pods("team-b", 2, waiting=True)
    assert len(released(world.decide(HEAD - 1, SLOW))) == 1
    assert released(world.decide(HEAD, SLOW)) == []


def test_the_time_since_when_a_pod_is_at_the_head_is_kept_from_cycle_to_cycle() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 3)
    (pod,) = world.pods("team-a", cpu=2, waiting=True)
    assert world.decide(5, SLOW).clocks.head_since == {pod.uid: 5}
    assert world.decide(9, SLOW).clocks.head_since == {pod.uid: 5}
