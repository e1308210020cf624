"""Law: of a group that has not started, a cycle admits all pods that start together, or none.

Groups that list each other start in one cycle. One that lists a group without its consent changes
no decision about it.
"""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import law_content
from departments import POLICY
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from worlds import World


TEAMS = ("team-a", "team-b")


@st.composite
def worlds_with_groups(draw: st.DrawFn) -> World:
    """Two teams on one or two nodes, running pods, and groups: complete, incomplete, too large."""
    world = World(nodes=draw(st.integers(1, 2)), cpu=8)
    for team in TEAMS:
        world.quota(team, min=draw(st.integers(0, 6)), max=draw(st.none() | st.integers(6, 12)))
        world.pods(team, draw(st.integers(0, 5)), bound=draw(st.booleans()))
        world.pods(team, draw(st.integers(0, 2)), waiting=True, priority=draw(st.integers(0, 1)))
    for number in range(draw(st.integers(1, 3))):
        group = Group(f"group-{number}", draw(st.sampled_from((2, 3, 4, 1))))
        there = group.size + draw(st.sampled_from((0, 0, 0, 1, -1)))
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


@law_content.about(gangs=1 / 6, waits=1 / 3)
@given(worlds_with_groups())
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


@st.composite
def worlds_with_pairs(draw: st.DrawFn) -> World:
    """Pairs of groups in one quota or two, which list each other or of which one lists the other.

    Some pods are missing, and some groups run already.
    """
    world = World(nodes=2, cpu=8)
    for team in TEAMS:
        world.quota(team, min=draw(st.integers(0, 6)), max=draw(st.none() | st.integers(6, 12)))
        world.pods(team, draw(st.integers(0, 4)))
    for number in range(draw(st.integers(1, 3))):
        both = tuple(Key("teams", f"koordinator/{number}-{part}") for part in "ab")
        for part in "ab":
            listed = both if part == "a" or draw(st.booleans()) else ()
            group = Group(f"koordinator/{number}-{part}", draw(st.integers(1, 3)), "", listed)
            there = group.size + draw(st.sampled_from((-1, 0, 0, 0, 1)))
            team = draw(st.sampled_from((*TEAMS[:1] * 3, TEAMS[1])))
            waiting = draw(st.integers(0, 4)) > 0
            world.pods(team, there, draw(st.integers(1, 2)), waiting=waiting, group=group)
    return world


@law_content.about(gangs=1 / 6)
@given(worlds_with_pairs())
def test_groups_that_list_each_other_start_in_one_cycle(world: World) -> None:
    pods = world.ledger.pods.values()
    lists = {pod.group.name: pod.group.together for pod in pods if pod.group}
    started = {pod.group.name for pod in pods if pod.group and not pod.gated}
    admitted = [world.ledger.pods[release.pod] for release in world.decide(policy=POLICY).releases]
    counts = Counter(pod.group.name for pod in admitted if pod.group)
    sizes = {pod.group.name: pod.group.size for pod in pods if pod.group}
    for name in counts.keys() - started:
        assert counts[name] >= sizes[name]
        for other in lists[name]:
            assert other.name in started or counts[other.name] >= sizes[other.name]
            assert lists[other.name] == lists[name]


@law_content.about(gangs=1 / 10)
@given(worlds_with_pairs())
def test_a_list_without_consent_changes_no_decision_about_the_listed_group(world: World) -> None:
    """Compared with a world in which the groups that are not listed back list none either."""
    pods = list(world.ledger.pods.values())
    lists = {pod.group.name: pod.group.together for pod in pods if pod.group}
    one_sided = {name[:-1] for name, listed in lists.items() if not listed}
    for pod in pods:
        if pod.group and pod.group.name.endswith("a") and pod.group.name[:-1] in one_sided:
            # Its own pods would start then; without them only the others are compared.
            world.ledger.delete_pod(pod.key)
    alone = {release.uid for release in world.decide(policy=POLICY).releases}
    for pod in pods:
        if pod.key not in world.ledger.pods and pod.gated:
            world.ledger.upsert_pod(pod)
    if all(pod.gated or pod.key in world.ledger.pods for pod in pods):
        assert alone == {release.uid for release in world.decide(policy=POLICY).releases}
