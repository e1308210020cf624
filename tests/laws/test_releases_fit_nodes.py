"""Law: whoever is released fits on a node at that moment, and who is evicted makes such room.

Nodes with labels, taints and cordons, of several sizes; pods that may run on some of them only. A
scheduler that knows no more than these rules finds a node for every pod that was released, whatever
order it takes them in and whichever fitting node it prefers.
"""

import random
from dataclasses import replace

from hypothesis import given

import levels
from elasticquota import names, resources
from elasticquota.enforcement.policy import Policy
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm, Toleration
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from worlds import World


TEAMS = ("owner", "lender", "taker")
AT_ONCE = Policy(grace=0, delay=0)


def untidy(dice: random.Random) -> World:
    """Few nodes, of which hardly two are alike, and quotas whose mins fit on them in sum."""
    world = World(nodes=0, cpu=8)
    for number in range(dice.randint(2, 5)):
        name = f"node-{number}"
        world.node(name, cpu=dice.choice((4, 8)), cordoned=dice.random() < 0.1)
        node = world.ledger.nodes[name]
        labels = {**node.labels, "disk": dice.choice(("ssd", "hdd")), "size": str(number)}
        taints = (Taint("gpu", "", "NoSchedule"),) if dice.random() < 0.3 else ()
        world.ledger.upsert_node(replace(node, labels=labels, taints=taints))
    spare = sum(node.allocatable["cpu"] for node in world.ledger.nodes.values()) // 1000
    for name in TEAMS:
        low = dice.randint(0, min(5, spare))
        world.quota(name, min=low)
        spare -= low
    return world


def any_constraints(dice: random.Random) -> Constraints:
    disk = (("disk", dice.choice(("ssd", "hdd"))),) if dice.random() < 0.3 else ()
    above = NodeRequirement("size", "Gt", (str(dice.randint(0, 3)),))
    terms = (NodeTerm((above,)),) if dice.random() < 0.2 else None
    tolerations = (Toleration("gpu", "Exists"),) if dice.random() < 0.4 else ()
    return Constraints(disk, terms, tolerations)


def submit(world: World, dice: random.Random) -> None:
    for pod in world.pods(
        dice.choice(TEAMS),
        dice.randint(1, 3),
        cpu=dice.randint(1, 5),
        waiting=True,
        priority=dice.choice((0, 0, 5)),
    ):
        world.ledger.upsert_pod(replace(pod, constraints=any_constraints(dice)))


def free_on(world: World, node: Node) -> Resources:
    there = (pod for pod in world.ledger.pods.values() if pod.node_name == node.name)
    return resources.subtract(node.allocatable, resources.add(*(pod.request for pod in there)))


def hosts(world: World, pod: Pod) -> list[str]:
    return [
        name
        for name, node in sorted(world.ledger.nodes.items())
        if not pod.constraints.obstacle(node)
        and all(most <= free_on(world, node).get(key, 0) for key, most in pod.request.items())
    ]


def place(world: World, pod: Pod, node: str) -> None:
    world.ledger.upsert_pod(replace(pod, gates=(), node_name=node, started=world.time()))


@given(levels.DICE)
def test_a_released_pod_finds_a_node_when_it_is_placed_at_once(dice: random.Random) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(2, 6)):
        submit(world, dice)
        for release in world.decide(policy=AT_ONCE).releases[:1]:
            found = hosts(world, world.ledger.pods[release.pod])
            assert found, f"{release.pod} was released and no node takes it"
            place(world, world.ledger.pods[release.pod], dice.choice(found))


@given(levels.DICE)
def test_pods_that_were_released_before_keep_their_room(dice: random.Random) -> None:
    """All of a round are placed one after the other, on the node with the most room."""
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


@given(levels.DICE)
def test_once_its_victims_are_gone_somebody_is_released(dice: random.Random) -> None:
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


@given(levels.DICE)
def test_no_quota_loses_what_its_min_guarantees_to_another(dice: random.Random) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(3, 8)):
        submit(world, dice)
        before = {name: held(world, name) for name in TEAMS}
        decisions = world.decide(policy=AT_ONCE)
        for release in decisions.releases:
            before[release.quota] += world.ledger.pods[release.pod].request["cpu"]
        reclaimed = [each for each in decisions.evictions if each.owner not in ("", each.quota)]
        for eviction in reclaimed:
            before[eviction.quota] -= eviction.request["cpu"]
        for name in {eviction.quota for eviction in reclaimed}:
            (low,) = (q.min for q in world.ledger.quotas.values() if q.name == name)
            assert before[name] >= low.get(names.CPU, 0)
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
