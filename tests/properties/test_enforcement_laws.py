"""Laws for all quotas and pods: releases fit, guarantees are safe, and the system comes to rest."""

import random

import pytest
from hypothesis import given

import law_breaks
import law_content
import levels
import wrong_deciders
from departments import POLICY, bring_to_rest, come_back, schedule, worlds
from elasticquota import structs
from elasticquota.decisions import decide
from worlds import TREE, World


def cpu_held(world: World, quota: str) -> int:
    found = world.ledger.update(POLICY.accounting)
    return found.account(quota).held.get("cpu", 0)


@law_content.about(releases=1 / 4)
@given(worlds())
def test_releases_never_exceed_what_the_nodes_offer(world: World) -> None:
    before = world.ledger.update(POLICY.accounting).trees[TREE]
    held = before.admitted["pool-root"].get("cpu", 0)
    world.carry_out_releases(world.decide())
    after = world.ledger.update(POLICY.accounting).trees[TREE]
    offered = after.available.get("cpu", 0)
    assert after.admitted["pool-root"].get("cpu", 0) <= max(held, offered)


@law_content.about(evictions=1 / 6, reclaims=1 / 10)
@given(worlds(may_preempt=False))
def test_reclaim_evicts_only_pods_of_quotas_that_hold_more_than_min(world: World) -> None:
    """Each victim, also the last one, was at least partly beyond min."""
    teams = [quota.name for quota in world.ledger.quotas.values() if not quota.is_parent]
    for now in (0, POLICY.grace, POLICY.delay):
        decisions = world.decide(now, POLICY)
        world.carry_out_evictions(decisions)
        for quota in world.ledger.quotas.values():
            gone = [each for each in decisions.evictions if each.quota == quota.name]
            if gone and quota.name in teams:
                largest = max(each.request["cpu"] for each in gone)
                assert cpu_held(world, quota.name) + largest > quota.min.get("cpu", 0)


@law_content.about(evictions=1 / 3, reclaims=1 / 6)
@given(worlds())
def test_evicting_and_recreating_pods_comes_to_rest(world: World) -> None:
    bring_to_rest(world)


@law_content.about(evictions=1 / 6)
@given(worlds(), levels.DICE)
def test_it_comes_to_rest_also_when_victims_terminate_slowly(
    world: World, dice: random.Random
) -> None:
    """Victims leave one by one, their successors wait from the start: no small pod passes them."""
    now = 0
    for _ in range(200):
        schedule(world)
        decisions = world.decide(now, POLICY)
        leaving = [pod for pod in world.ledger.pods.values() if pod.deleting]
        if not (decisions.releases or decisions.evictions or leaving or decisions.wake_at):
            return
        world.open_gates(decisions)
        schedule(world)
        for eviction in decisions.evictions:
            victim = world.ledger.pods[eviction.pod]
            world.ledger.upsert_pod(structs.replace(victim, deleting=True))
            come_back(world, victim)
        if leaving:
            world.ledger.delete_pod(dice.choice(leaving).key)
        now = max(now + 1, decisions.wake_at or 0)
    raise AssertionError(f"still moving: {decisions}")


@law_content.about(releases=1 / 3, waits=1 / 2)
@given(worlds())
def test_every_gated_pod_is_released_or_gets_a_reason(world: World) -> None:
    decisions = world.decide()
    released = {release.uid for release in decisions.releases}
    told = {wait.uid for wait in decisions.waits}
    gated = {pod.uid for pod in world.ledger.pods.values() if pod.gated}
    assert released | told == gated
    assert not released & told


@law_content.about(releases=1 / 10, evictions=1 / 6)
@given(worlds())
def test_deciding_twice_gives_the_same_decision(world: World) -> None:
    """Also when it evicts, after grace and delay.

    From the same clocks: once they are remembered, the room that was made is that of its pods.
    """
    for now in (5, POLICY.grace + 5, POLICY.delay + 5):
        first = decide.decide(world.ledger, now, POLICY, world.cache)
        assert decide.decide(world.ledger, now, POLICY, world.cache) == first
        world.ledger.remember(first.clocks)


def test_the_law_fails_when_every_second_decision_drops_the_evictions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law = test_deciding_twice_gives_the_same_decision
    assert not law_breaks.notices(law, monkeypatch)
    wrong = wrong_deciders.EverySecond(wrong_deciders.without_evictions)
    monkeypatch.setattr(decide, "decide", wrong)
    assert law_breaks.notices(law, monkeypatch)


def test_a_queue_that_keeps_its_result_changes_nothing_for_the_others() -> None:
    """The last decision leaves the loner's queue out; the world compares it with a new one."""
    world = World(nodes=3, cpu=8)
    world.quota("dept", 36, 38, is_parent=True)
    world.quota("loner", 6)
    world.quota("team-0", 2, 2, parent="dept", lent=False)
    world.quota("team-1", 10, 15, parent="dept")
    world.pods("loner", cpu=4, waiting=True)
    world.pods("loner", 3, cpu=4)
    world.pods("team-0", 2, cpu=4)
    world.pods("team-1", cpu=4, waiting=True, priority=2, preemptible=False)
    (bound,) = world.pods("team-1", cpu=4, preemptible=False, bound=False)
    world.pods("team-1", cpu=4, waiting=True)
    world.decide(0, POLICY)
    world.ledger.upsert_pod(structs.replace(bound, node_name="node-1"))
    world.decide(0, POLICY)
