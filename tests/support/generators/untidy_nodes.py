"""Worlds whose nodes differ, and the nodes that take a pod there."""

import random

from elasticquota import resources
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm, Toleration
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.structs import replace
from worlds import World


TEAMS = ("owner", "lender", "taker")


def untidy(dice: random.Random) -> World:
    """Few nodes, of which hardly two are equal, and quotas whose mins fit on them in sum."""
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
