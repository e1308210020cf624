"""Evictions of a tree are limited by a rate, and not by how many pods are still ending."""

import pytest

from elasticquota.model.clocks import TokenBucket
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.model.key import Key
from elasticquota.scheduling.evictions import eviction_rate
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.nodes.expected_pods import REFUSED_FOR
from elasticquota.structs import replace
from worlds import World, borrowed


SLOW = Policy(grace=0, delay=0, head_of_line=0, evictions_per_second=2)
"""Four evictions at once, then one each half second."""
BURST = 4


def ending(world: World, decisions: Decisions) -> int:
    """Let the evicted pods terminate, slowly; returns their number."""
    for eviction in decisions.evictions:
        pod = world.ledger.pods[eviction.pod]
        world.ledger.upsert_pod(replace(pod, deleting=True, ends_at=120_000))
    return len(decisions.evictions)


def victim(number: int, pods: int = 1) -> tuple[Eviction, ...]:
    names = [f"pod-{number}-{index}" for index in range(pods)]
    return tuple(Eviction(Key("teams", name), name, "team-a", {}, "") for name in names)


def limited(
    *victims: tuple[Eviction, ...],
    before: TokenBucket | None = None,
    unanswered: int = 0,
    now: int = 0,
) -> eviction_rate.LimitedEvictions:
    return eviction_rate.limit(before, victims, unanswered, SLOW, now)


def test_those_of_two_seconds_go_at_once_and_the_others_at_the_rate() -> None:
    """Although none of them ends meanwhile."""
    world = borrowed(waiting=10)
    found = {now: ending(world, world.decide(now, SLOW)) for now in range(0, 3_500, 500)}
    assert [*found.values()] == [BURST, 1, 1, 1, 1, 1, 1]


def test_the_next_cycle_is_when_the_tokens_for_those_that_wait_are_there() -> None:
    world = borrowed(waiting=BURST)
    ending(world, world.decide(0, SLOW))
    world.pods("team-b", 1, waiting=True)
    held = world.decide(100, SLOW)
    assert held.evictions == ()
    assert held.wake_at == 500
    assert ending(world, world.decide(500, SLOW)) == 1


def test_the_next_cycle_is_in_a_second_at_the_latest() -> None:
    assert borrowed(waiting=10).decide(7, SLOW).wake_at == 1_007


def test_no_cycle_is_due_when_all_have_gone() -> None:
    assert borrowed(waiting=BURST - 1).decide(0, SLOW).wake_at is None


def test_a_tree_at_rest_has_no_clock_of_its_rate() -> None:
    world = borrowed(waiting=1)
    assert ending(world, world.decide(0, SLOW)) == 1
    assert world.ledger.clocks.buckets
    world.decide(500, SLOW)
    assert not world.ledger.clocks.buckets


def test_victims_that_the_breaker_holds_take_no_token() -> None:
    world = borrowed(waiting=10)
    held = world.decide(0, replace(SLOW, brake_percent=10, evictions_per_second=3))
    assert held.held
    assert not world.ledger.clocks.buckets


def test_a_victim_that_waits_holds_up_the_later_ones() -> None:
    gang, single = victim(1, pods=3), victim(2)
    assert limited(gang, single, before=TokenBucket(2_000, 0)).evictions == []


def test_a_victim_of_more_pods_than_the_bucket_holds_goes_when_it_is_full() -> None:
    gang = victim(1, pods=BURST + 2)
    early = limited(gang, before=TokenBucket(0, 0), now=1_999)
    assert early.evictions == []
    assert limited(gang, before=early.bucket, now=2_000).evictions == [*gang]


def test_the_bucket_owes_what_such_a_victim_took_beyond_it() -> None:
    taken = limited(victim(1, pods=BURST + 2)).bucket
    assert limited(victim(2), before=taken, now=1_499).evictions == []
    assert len(limited(victim(2), before=taken, now=1_500).evictions) == 1


def test_no_more_is_decided_ahead_than_the_bucket_holds_while_the_api_server_does_not_answer() -> (
    None
):
    assert len(limited(*map(victim, range(9)), unanswered=3).evictions) == 1
    assert limited(victim(1), unanswered=BURST).evictions == []
    assert limited(victim(1), unanswered=BURST).due == 1_000


def test_what_the_api_server_has_accepted_is_answered() -> None:
    world = borrowed(waiting=10)
    first = world.decide(0, SLOW)
    for eviction in first.evictions:
        world.ledger.expect_eviction(eviction.uid)
    assert world.decide(5_000, SLOW).evictions == ()
    ending(world, first)
    assert ending(world, world.decide(5_001, SLOW)) == BURST


def test_reports_know_no_rate() -> None:
    assert len(borrowed(waiting=10).decide(0, SLOW.at_once()).evictions) == 10


def test_while_all_evictions_are_stopped_no_cycle_is_due_for_the_rate() -> None:
    assert borrowed(waiting=10).decide(0, replace(SLOW, paused=True)).wake_at is None


@pytest.mark.parametrize("percent", [0, 1])
def test_a_node_is_cleared_as_a_whole_before_another_one(percent: int) -> None:
    """Although the rate, or first the breaker, holds some of its pods back for a while."""
    world = World(nodes=3, cpu=8)
    world.quota("owner", min=8)
    world.quota("team-a")
    for number in range(3):
        world.pods("team-a", 8, node=f"node-{number}")
    (pod,) = world.pods("owner", cpu=8, bound=False, unplaced_since=0)
    world.ledger.upsert_pod(replace(pod, refused=True))
    policy = replace(SLOW, delay=Policy().delay, brake_percent=percent)
    cleared = []
    for now in range(REFUSED_FOR, 20_000, 1_000):
        world.ledger.set_time(now)
        decisions = world.decide(now, policy)
        cleared += [world.ledger.pods[each.pod].node_name for each in decisions.evictions]
        ending(world, decisions)
    assert len(cleared) == 8
    assert len(set(cleared)) == 1
