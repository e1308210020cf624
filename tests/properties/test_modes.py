"""Laws of observe mode: it touches no pod, reports what enforcing would do, and may be switched.

Switching to enforce and back under load is safe in both directions (docs/observe.md).
"""

import random

from hypothesis import given

import law_content
import ledger_snapshots
import levels
from departments import POLICY, bring_to_rest, worlds
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions, Wait
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import World


def set_gates_of_pods_without_a_node(world: World, *, gated: bool) -> None:
    for pod in list(world.ledger.pods.values()):
        if not pod.bound:
            world.ledger.upsert_pod(replace(pod, gates=(names.GATE,) if gated else ()))


def twin(world: World) -> World:
    """The same objects in a ledger of their own."""
    found = World(nodes=0, tick=world.tick)
    found.ledger = rebuilt(world.ledger)
    return found


def rebuilt(ledger: Ledger) -> Ledger:
    found = Ledger()
    for node in ledger.nodes.values():
        found.upsert_node(node)
    for profile in ledger.profiles.values():
        found.upsert_profile(profile)
    for quota in ledger.quotas.values():
        found.upsert_quota(quota)
    for pod in ledger.pods.values():
        found.upsert_pod(pod)
    found.remember(ledger.clocks)
    return found


def whys(wait: Wait) -> tuple[Key, str, str, int]:
    return wait.pod, wait.quota, wait.reason, wait.place


def _as_if_it_began_now(clocks: Clocks) -> Clocks:
    """Without room that was made for pods, or left to pods without a node: none is in this mode."""
    return replace(clocks, nominated={}, booked={}, unbound_since={}, held_since={})


def no_pod_is_touched(world: World, decisions: Decisions) -> None:
    assert decisions.evictions == ()
    assert decisions.waits == ()
    gated = {pod.uid for pod in world.ledger.pods.values() if pod.gated and not pod.deleting}
    assert {release.uid for release in decisions.releases} == gated


@law_content.about(reports=1 / 3)
@given(worlds())
def test_a_tree_in_observe_mode_holds_and_evicts_no_pod(world: World) -> None:
    world.observe()
    for now in (0, POLICY.grace, POLICY.delay):
        decisions = world.decide(now, POLICY)
        no_pod_is_touched(world, decisions)
        world.carry_out_releases(decisions)


@law_content.about(reports=1 / 3, evictions=1 / 4, reclaims=1 / 6)
@given(worlds())
def test_observe_mode_reports_what_enforcing_does_to_the_same_pods(world: World) -> None:
    set_gates_of_pods_without_a_node(world, gated=True)
    observed = twin(world)
    set_gates_of_pods_without_a_node(observed, gated=False)
    observed.observe()
    for now in (0, POLICY.grace, POLICY.delay):
        enforced, told = world.decide(now, POLICY), observed.decide(now, POLICY)
        world.ledger.remember(_as_if_it_began_now(enforced.clocks))
        assert told.would_evict == enforced.evictions
        running = {pod.uid for pod in world.ledger.pods.values() if pod.bound}
        would_wait = [wait for wait in told.would_wait if wait.uid not in running]
        assert [whys(wait) for wait in would_wait] == [whys(wait) for wait in enforced.waits]
        # Their last facts say which evictions are under way, and there are none in observe mode.
        for wait, held in zip(would_wait, enforced.waits, strict=True):
            assert held.facts[: len(wait.facts)] == wait.facts


@law_content.about(reports=1 / 3)
@given(worlds())
def test_no_pod_gets_two_reports_of_what_would_happen(world: World) -> None:
    world.observe()
    for now in (0, POLICY.grace, POLICY.delay):
        told = world.decide(now, POLICY)
        uids = [*(found.uid for found in told.would_wait), *(gone.uid for gone in told.would_evict)]
        assert len(uids) == len(set(uids))


@law_content.about(reports=1 / 2, evictions=1 / 2, reclaims=1 / 6)
@given(worlds(), levels.DICE)
def test_modes_may_change_under_load_and_the_tree_comes_to_rest(
    world: World, dice: random.Random
) -> None:
    now, observes, cache = 0, False, CycleCache()
    for _ in range(12):
        if dice.randrange(2):
            observes = not observes
            world.observe(observes)
        if dice.randrange(2):
            quota = dice.choice(["loner", "team-0"])
            world.pods(quota, dice.randint(1, 3), waiting=not observes, bound=False)
        anew = rebuilt(world.ledger)
        decisions = decide.decide(world.ledger, now, POLICY, cache)
        assert ledger_snapshots.picture(world.ledger) == ledger_snapshots.picture(anew)
        assert decisions == decide.decide(anew, now, POLICY)
        world.ledger.remember(decisions.clocks)
        if observes:
            no_pod_is_touched(world, decisions)
        else:
            assert not decisions.would_wait
            assert not decisions.would_evict
        world.carry_out_releases(decisions)
        world.carry_out_evictions(decisions)
        now += dice.choice([1, POLICY.grace, POLICY.delay])
    world.observe(observes=False)
    world.now = now
    at_rest = bring_to_rest(world)
    assert at_rest.evictions == ()
