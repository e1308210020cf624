"""Laws of pauses: nothing below a paused quota starts, and a pause by itself evicts nothing."""

from hypothesis import given
from hypothesis import strategies as st

import law_content
from departments import POLICY, bring_to_rest, worlds
from elasticquota import structs
from worlds import World


def pause(world: World, quota: str, *, paused: bool = True) -> None:
    (found,) = (each for each in world.ledger.quotas.values() if each.name == quota)
    world.ledger.upsert_quota(structs.replace(found, paused=paused))


@law_content.about(waits=1 / 2, evictions=1 / 5)
@given(worlds(), st.sampled_from(("pool-root", "dept", "loner")))
def test_no_pod_of_a_paused_quota_or_below_it_is_ever_released(world: World, paused: str) -> None:
    pause(world, paused)
    for now in (0, POLICY.grace, POLICY.delay):
        decisions = world.decide(now, POLICY)
        forest = world.ledger.update(POLICY.accounting).forest
        held = {paused, *forest.descendants(paused)}
        assert not held & {each.quota for each in decisions.releases}
        waits = [each.reason for each in decisions.waits if each.quota in held]
        assert set(waits) <= {"QuotaPaused"}
        world.carry_out_releases(decisions)
        world.carry_out_evictions(decisions)


@law_content.about(releases=1 / 4, reclaims=1 / 5)
@given(worlds(one_node=True), st.sampled_from(("pool-root", "dept", "loner")))
def test_after_a_pause_pods_are_evicted_only_for_pods_of_others_and_resuming_brings_a_world_to_rest(
    world: World, paused: str
) -> None:
    """Others use the room that held pods no longer ask for, and reclaim from each other.

    On one node, so that no eviction is for a node alone.
    """
    bring_to_rest(world)
    pause(world, paused)
    for now in (10**9, 2 * 10**9):
        decisions = world.decide(now, POLICY)
        held = {paused, *world.ledger.update(POLICY.accounting).forest.descendants(paused)}
        assert not [
            each for each in decisions.evictions if each.owner in held or each.right == "limit"
        ]
        world.carry_out_releases(decisions)
    pause(world, paused, paused=False)
    bring_to_rest(world)
