"""Law: of a group that has not started, a round lets in all that start together, or nobody."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from departments import POLICY
from elasticquota.model.group import Group
from worlds import World


TEAMS = ("team-a", "team-b")


@st.composite
def crowds(draw: st.DrawFn) -> World:
    """Two teams on a node or two, some pods that run, and groups: complete, or not, or too many."""
    world = World(nodes=draw(st.integers(1, 2)), cpu=8)
    for team in TEAMS:
        world.quota(team, min=draw(st.integers(0, 6)), max=draw(st.none() | st.integers(6, 12)))
        world.pods(team, draw(st.integers(0, 5)), bound=draw(st.booleans()))
        world.pods(team, draw(st.integers(0, 2)), waiting=True, priority=draw(st.integers(0, 1)))
    for number in range(draw(st.integers(1, 3))):
        group = Group(f"group-{number}", draw(st.integers(1, 4)))
        there = group.size + draw(st.sampled_from((-1, 0, 0, 0, 1)))
        team = draw(st.sampled_from(TEAMS))
        for _ in range(there):
            world.pods(
                draw(st.sampled_from((team, team, team, team, "team-b"))),
                cpu=draw(st.integers(1, 3)),
                waiting=True,
                priority=draw(st.integers(0, 2)),
                preemptible=draw(st.sampled_from([True, True, True, False])),
                group=group,
            )
    return world


@given(crowds())
def test_a_group_starts_whole_or_not_at_all(world: World) -> None:
    now = 0
    for _ in range(30):
        started = {
            pod.group.name for pod in world.ledger.pods.values() if pod.group and not pod.gated
        }
        decisions = world.decide(now, POLICY)
        admitted = [world.ledger.pods[release.pod].group for release in decisions.releases]
        for group, count in Counter(found for found in admitted if found is not None).items():
            assert group.name in started or group.size in (1, count)
        told = {wait.uid for wait in decisions.waits} | {found.uid for found in decisions.releases}
        assert told == {pod.uid for pod in world.ledger.pods.values() if pod.gated}
        if not (decisions.releases or decisions.evictions or decisions.wake_at):
            return
        world.carry_out_evictions(decisions)
        world.carry_out_releases(decisions)
        now = max(now + 1, decisions.wake_at or 0)
    raise AssertionError("still moving")
