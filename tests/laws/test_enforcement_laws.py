"""Whatever the quotas and pods: releases fit, guarantees are safe, and the world comes to rest."""

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.enforcement.policy import Policy
from worlds import TREE, World


POLICY = Policy(max_in_flight=1_000)
CPUS = st.integers(min_value=0, max_value=12)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A department of up to three teams and one team beside it, on 0 to 4 nodes of 8 cpu."""
    world = World(nodes=draw(st.integers(0, 4)), cpu=8)
    world.quota("dept", min=36, max=draw(st.none() | st.integers(36, 40)), is_parent=True)
    teams = [("loner", "pool-root")] + [
        (f"team-{i}", "dept") for i in range(draw(st.integers(1, 3)))
    ]
    for name, parent in teams:
        low = draw(CPUS)
        high = draw(st.none() | st.integers(low, 30))
        world.quota(name, low, high, parent=parent, lent=draw(st.booleans()))
    for name, _ in teams:
        for _ in range(draw(st.integers(0, 4))):
            world.pods(
                name,
                draw(st.integers(1, 4)),
                cpu=draw(st.integers(1, 5)),
                waiting=draw(st.booleans()),
                priority=draw(st.integers(0, 2)),
                preemptible=draw(st.sampled_from([True, True, False])),
                bound=draw(st.booleans()),
            )
    return world


def cpu_held(world: World, quota: str) -> int:
    found = world.ledger.balance(POLICY.accounting)
    return found.account(quota).held.get("cpu", 0)


@given(worlds())
def test_releases_never_fill_the_nodes_beyond_what_they_offer(world: World) -> None:
    before = world.ledger.balance(POLICY.accounting).trees[TREE]
    held = before.admitted["pool-root"].get("cpu", 0)
    world.carry_out_releases(world.decide())
    after = world.ledger.balance(POLICY.accounting).trees[TREE]
    offered = after.available.get("cpu", 0)
    assert after.admitted["pool-root"].get("cpu", 0) <= max(held, offered)


@given(worlds())
def test_reclaim_takes_nobody_below_min(world: World) -> None:
    teams = [quota.name for quota in world.ledger.quotas.values() if not quota.is_parent]
    for now in (0, POLICY.grace, POLICY.delay):
        held = {name: cpu_held(world, name) for name in teams}
        decisions = world.decide(now, POLICY)
        world.carry_out_evictions(decisions)
        for quota in world.ledger.quotas.values():
            if quota.name in held:
                floor = min(held[quota.name], quota.min.get("cpu", 0))
                assert cpu_held(world, quota.name) >= floor


@given(worlds())
def test_evict_and_recreate_comes_to_rest(world: World) -> None:
    """Every evicted pod comes back gated, as its Job or Deployment would do: no flapping."""
    now = 0
    for _ in range(60):
        decisions = world.decide(now, POLICY)
        if not decisions.releases and not decisions.evictions and decisions.wake_at is None:
            return
        for eviction in decisions.evictions:
            victim = world.ledger.pods[eviction.pod]
            world.ledger.delete_pod(victim.key)
            world.pods(
                eviction.quota,
                cpu=victim.request["cpu"] // 1000,
                waiting=True,
                priority=victim.priority,
            )
        world.carry_out_releases(decisions)
        now = max(now + 1, decisions.wake_at or 0)
    raise AssertionError(f"still moving after 60 rounds: {decisions}")


@given(worlds())
def test_every_gated_pod_is_released_or_told_why(world: World) -> None:
    decisions = world.decide()
    released = {release.uid for release in decisions.releases}
    told = {wait.uid for wait in decisions.waits}
    gated = {pod.uid for pod in world.ledger.pods.values() if pod.gated}
    assert released | told == gated
    assert not released & told


@given(worlds())
def test_deciding_twice_decides_the_same(world: World) -> None:
    assert world.decide(5) == world.decide(5)
