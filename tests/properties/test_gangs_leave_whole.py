"""Law: no decision evicts a part of a gang and leaves the rest running.

A gang is as many pods of a group as start together. Its group keeps that many pods, or none. A gang
of which a pod may not be evicted is no exception from reclaim: its other pods leave alone.
"""

from collections import Counter, defaultdict

from hypothesis import event, given
from hypothesis import strategies as st

import law_content
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


NODES = 3


@st.composite
def worlds_with_gangs(draw: st.DrawFn) -> World:
    """Two teams borrow with gangs and single pods what an owner and more important pods want."""
    world = World(nodes=NODES, cpu=8)
    world.quota("owner", min=draw(st.integers(2, 12)))
    for team in ("team-a", "team-b"):
        world.quota(team, min=draw(st.integers(0, 3)), max=draw(st.sampled_from((None, 9))))
        for number in range(draw(st.integers(0, 3))):
            group = draw(st.sampled_from((None, Group(f"gang-{number}", draw(st.integers(2, 4))))))
            least = 1 if group is None else draw(st.sampled_from((1, group.size, group.size)))
            for _ in range(draw(st.integers(least, 5))):
                world.pods(
                    team,
                    cpu=draw(st.integers(1, 2)),
                    group=group,
                    node=f"node-{draw(st.integers(0, NODES - 1))}",
                    priority=draw(st.integers(0, 2)),
                    preemptible=draw(st.integers(0, 5)) > 0,
                )
        world.pods(team, draw(st.integers(0, 1)), cpu=2, waiting=True, priority=3)
    world.pods("owner", draw(st.integers(1, 3)), cpu=draw(st.integers(1, 4)), waiting=True)
    return world


def gangs(world: World) -> dict[tuple[str, str], list[Pod]]:
    """The admitted pods of each group by quota and group."""
    found = defaultdict(list)
    for pod in world.ledger.pods.values():
        if pod.group is not None and not pod.gated:
            found[pod.quota_label, pod.group.name].append(pod)
    return found


@law_content.about(gangs=1 / 6, evictions=1 / 6)
@given(worlds_with_gangs(), st.sampled_from((1, 2, 20)))
def test_a_group_keeps_a_whole_gang_or_no_pod(world: World, most: int) -> None:
    evicted = {
        each.uid
        for each in world.decide(
            policy=Policy(grace=0, delay=0, evictions_per_second=most)
        ).evictions
    }
    outcomes: Counter[str] = Counter()
    for pods in gangs(world).values():
        size = max(pod.group.size for pod in pods if pod.group is not None)
        staying = [pod for pod in pods if pod.uid not in evicted]
        if len(staying) == len(pods):
            continue
        if not all(pod.preemptible for pod in pods):
            outcomes["one by one"] += 1
            continue
        outcomes["whole" if not staying else "beyond its size"] += 1
        assert len(staying) >= size or not staying or len(pods) == 1
    for outcome in outcomes:
        event(f"a gang is evicted: {outcome}")
