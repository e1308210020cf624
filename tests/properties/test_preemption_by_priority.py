"""Law: preemption makes a quota's pods more important, and only within the quota.

Priorities are compared from the most important pod on. A victim makes room for a pod of higher
priority, which is released as soon as the victims are gone and wait again, as their Jobs make them,
and the scheduler has placed the pods that are released before it (decision safe-releases).
"""

from hypothesis import event, given
from hypothesis import strategies as st

import law_content
from departments import POLICY, come_back, schedule, worlds
from worlds import World


@st.composite
def full_teams(draw: st.DrawFn, *, may_preempt: bool = True) -> World:
    """Teams that use their max, each with waiting pods, on nodes with room."""
    world = World(nodes=draw(st.integers(4, 8)), cpu=8)
    world.quota("dept", min=24, is_parent=True)
    for index in range(draw(st.integers(1, 3))):
        name = f"team-{index}"
        running = draw(
            st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=3)
        )
        used = sum(cpu for cpu, _ in running)
        world.quota(name, draw(st.integers(0, used)), used + draw(st.integers(0, 1)), parent="dept")
        for cpu, priority in running:
            preemptible = draw(st.sampled_from([True, True, False]))
            node = f"node-{index}"
            world.pods(name, cpu=cpu, priority=priority, preemptible=preemptible, node=node)
        for _ in range(draw(st.integers(1, 2))):
            cpu, priority = draw(st.integers(1, 4)), draw(st.integers(0, 3))
            world.pods(name, cpu=cpu, waiting=True, priority=priority, may_preempt=may_preempt)
    return world


def priorities(world: World, quota: str) -> list[int]:
    """Priorities of the pods that hold something, the highest first."""
    found = world.ledger.update(POLICY.accounting).account(quota).running
    return sorted((pod.priority for pod in found), reverse=True)


@law_content.about(preemptions=1 / 8)
@given(worlds() | full_teams())
def test_after_preemption_more_important_pods_run(world: World) -> None:
    world.carry_out_releases(world.decide())
    schedule(world)
    decisions = world.decide()
    preempting = {eviction.quota for eviction in decisions.evictions}
    before = {quota: priorities(world, quota) for quota in preempting}
    assert all("takes its place" in eviction.message for eviction in decisions.evictions)
    for eviction in decisions.evictions:
        come_back(world, world.ledger.pods[eviction.pod])
    world.carry_out_evictions(decisions)
    schedule(world)
    while (released := world.decide()).releases:
        world.carry_out_releases(released)
        schedule(world)
    event(f"quotas that preempt: {len(preempting)}")
    for quota in preempting:
        assert priorities(world, quota) > before[quota]


@law_content.about(waits=1 / 2)
@given(worlds(may_preempt=False) | full_teams(may_preempt=False))
def test_a_pod_that_may_not_preempt_evicts_no_pod(world: World) -> None:
    assert world.decide().evictions == ()


@st.composite
def full_quotas(draw: st.DrawFn) -> World:
    """A quota uses its max on one large node, and its most important pod waits."""
    world = World(nodes=1, cpu=64)
    running = draw(
        st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2)), min_size=3, max_size=8)
    )
    world.quota("team", 0, sum(cpu for cpu, _ in running))
    for cpu, priority in running:
        world.pods("team", cpu=cpu, priority=priority)
    most = sum(cpu for cpu, _ in running)
    world.pods("team", cpu=draw(st.integers(2, min(8, most))), waiting=True, priority=3)
    return world


@law_content.about(preemptions=1 / 2)
@given(full_quotas())
def test_without_any_single_victim_the_important_pod_would_not_fit(world: World) -> None:
    """A large victim spares the small ones that were found before it."""
    pods = world.ledger.pods
    (important,) = (pod for pod in pods.values() if pod.gated)
    victims = [pods[each.pod].request["cpu"] for each in world.decide(policy=POLICY).evictions]
    assert sum(victims) >= important.request["cpu"]
    assert all(sum(victims) - one < important.request["cpu"] for one in victims)
