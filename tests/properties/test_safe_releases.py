"""Law: a released pod that may preempt finds room, wherever the scheduler places all others.

The scheduler of this law takes unbound pods in any order, at any time, and puts each on any node
that takes it. A pod with a higher priority than a pod of the tree would preempt if it found no
node.
"""

import random

from hypothesis import given

import law_content
import levels
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm
from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod
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
        priority=dice.choice((0, 0, 5, 9)),
        may_preempt=dice.random() < 0.8,
    ):
        world.ledger.upsert_pod(replace(pod, constraints=any_constraints(dice)))


def release(world: World, found: Release) -> None:
    """Remove the gate, and add the nodes that the pod must not start on."""
    pod = world.ledger.pods[found.pod]
    more = tuple(
        NodeRequirement(each.key, each.operator, each.values) for each in found.nodes.requirements
    )
    own = pod.constraints
    if more:
        terms = own.terms if own.terms is not None else (NodeTerm(()),)
        terms = tuple(NodeTerm((*term.labels, *more), term.fields) for term in terms)
        own = Constraints(own.selector, terms, own.tolerations)
    world.ledger.upsert_pod(replace(pod, gates=(), constraints=own))


def unbound(world: World) -> list[Pod]:
    return [pod for pod in world.ledger.pods.values() if not pod.gated and not pod.node_name]


def would_preempt(world: World, pod: Pod) -> bool:
    admitted = (each for each in world.ledger.pods.values() if not each.gated)
    return pod.may_preempt and any(each.priority < pod.priority for each in admitted)


@law_content.about(releases=1 / 2, evictions=1 / 6)
@given(levels.DICE)
def test_a_released_pod_that_may_preempt_finds_room_wherever_others_go(
    dice: random.Random,
) -> None:
    world = untidy(dice)
    for _ in range(dice.randint(3, 8)):
        submit(world, dice)
        decisions = world.decide(policy=AT_ONCE)
        for found in decisions.releases:
            release(world, found)
        for pod in sorted(unbound(world), key=lambda _: dice.random()):
            if dice.random() < 0.3:
                continue  # placed later
            found_hosts = hosts(world, pod)
            assert found_hosts or not would_preempt(world, pod), f"{pod.key} would preempt"
            if found_hosts:
                place(world, pod, dice.choice(found_hosts))
            else:
                world.ledger.delete_pod(pod.key)
        world.carry_out_evictions(decisions)
