"""Law: a released pod fits on a node at that moment, and evictions make such room.

Nodes have labels, taints and cordons, and several sizes; pods may run on some of them only. A
scheduler with only these rules finds a node for every released pod, whatever order it takes them in
and whichever fitting node it prefers.
"""

import random

from hypothesis import given

import law_content
import levels
from elasticquota import names
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from untidy_nodes import TEAMS, any_constraints, hosts, place, untidy
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)


def submit(world: World, dice: random.Random) -> None:
    for pod in world.pods(
        dice.choice(TEAMS),
        dice.randint(1, 3),
        cpu=dice.randint(1, 5),
        waiting=True,
        priority=dice.choice((0, 0, 5)),
    ):
        world.ledger.upsert_pod(replace(pod, constraints=any_constraints(dice)))


@law_content.about(releases=1 / 2)
@given(levels.DICE)
def test_a_released_pod_finds_a_node_when_it_is_placed_at_once(dice: random.Random) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(2, 6)):
        submit(world, dice)
        for release in world.decide(policy=AT_ONCE).releases[:1]:
            found = hosts(world, world.ledger.pods[release.pod])
            assert found, f"{release.pod} was released and no node takes it"
            place(world, world.ledger.pods[release.pod], dice.choice(found))


@law_content.about(releases=1 / 2, evictions=1 / 8)
@given(levels.DICE)
def test_pods_that_were_released_before_keep_their_room(dice: random.Random) -> None:
    """All pods of a cycle are placed one after the other, on the node with the most room."""
    world = untidy(dice)
    for _ in range(dice.randint(2, 6)):
        submit(world, dice)
        decisions = world.decide(policy=AT_ONCE)
        for release in decisions.releases:
            pod = world.ledger.pods[release.pod]
            world.ledger.upsert_pod(replace(pod, gates=()))
        for release in decisions.releases:
            pod = world.ledger.pods[release.pod]
            found = hosts(world, pod)
            if found:
                place(world, pod, found[0])
    later = world.decide(policy=AT_ONCE)
    for release in later.releases:
        assert hosts(world, world.ledger.pods[release.pod])


@law_content.about(evictions=1 / 6)
@given(levels.DICE)
def test_once_its_victims_are_gone_a_pod_is_released(dice: random.Random) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(3, 8)):
        submit(world, dice)
        decisions = world.decide(policy=AT_ONCE)
        for release in decisions.releases:
            found = hosts(world, pod := world.ledger.pods[release.pod])
            place(world, pod, dice.choice(found)) if found else world.ledger.delete_pod(pod.key)
        if decisions.evictions and not decisions.releases:
            world.carry_out_evictions(decisions)
            assert world.decide(policy=AT_ONCE).releases


@law_content.about(reclaims=1 / 6)
@given(levels.DICE)
def test_a_quota_that_loses_a_pod_to_another_quota_holds_more_than_its_min(
    dice: random.Random,
) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(3, 8)):
        submit(world, dice)
        before = {name: held(world, name) for name in TEAMS}
        decisions = world.decide(policy=AT_ONCE)
        for release in decisions.releases:
            before[release.quota] += world.ledger.pods[release.pod].request["cpu"]
        reclaimed = [each for each in decisions.evictions if each.owner not in ("", each.quota)]
        for name in {eviction.quota for eviction in reclaimed}:
            gone = [each.request["cpu"] for each in reclaimed if each.quota == name]
            (low,) = (q.min for q in world.ledger.quotas.values() if q.name == name)
            assert before[name] - sum(gone) + max(gone) > low.get(names.CPU, 0)
        for release in decisions.releases:
            found = hosts(world, pod := world.ledger.pods[release.pod])
            if found:
                place(world, pod, dice.choice(found))
        world.carry_out_evictions(decisions)


def held(world: World, name: str) -> int:
    return sum(
        pod.request["cpu"]
        for pod in world.ledger.pods.values()
        if pod.quota_label == name and not pod.gated
    )
