"""Law: preemption makes a quota's pods more important, and only within the quota.

Compared from the most important pod on: whoever goes makes room for one of a higher priority, who
is released as soon as they are gone and wait again, as their Jobs make them.
"""

from hypothesis import given

from departments import POLICY, come_back, worlds
from worlds import World


def priorities(world: World, quota: str) -> list[int]:
    """Of the pods that hold something, the highest first."""
    found = world.ledger.balance(POLICY.accounting).account(quota).running
    return sorted((pod.priority for pod in found), reverse=True)


@given(worlds())
def test_after_preemption_more_important_pods_run(world: World) -> None:
    world.carry_out_releases(world.decide())
    decisions = world.decide()
    preempting = {eviction.quota for eviction in decisions.evictions}
    before = {quota: priorities(world, quota) for quota in preempting}
    assert all("takes its place" in eviction.message for eviction in decisions.evictions)
    for eviction in decisions.evictions:
        come_back(world, world.ledger.pods[eviction.pod])
    world.carry_out_evictions(decisions)
    world.carry_out_releases(world.decide())
    for quota in preempting:
        assert priorities(world, quota) > before[quota]


@given(worlds(may_preempt=False))
def test_who_may_not_preempt_takes_nobodys_place(world: World) -> None:
    assert world.decide().evictions == ()
