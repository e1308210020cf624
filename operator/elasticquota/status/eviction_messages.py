"""Messages of evicted pods and suspended jobs: who used what, who gets the room, by what right."""

from elasticquota import quantity, resources
from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption.targets import Victim


WITHIN_SHARE = "within its current share"
"""The right of a waiting pod that fits the current share of its quota."""


def of(victim: Victim, cluster: ClusterSnapshot, tree: TreeBooks) -> str:
    """The message of a victim, or of one of its pods."""
    quota, cause, over = victim.quota, victim.cause, victim.over
    held = cluster.account(quota).held
    if cause is None:
        return over_limit(quota, tree, over, held)
    owner, waiting = cause.owner, cause.preemptor
    if cause.right == "no node":
        return no_node(quota, owner, waiting)
    if cause.right == "priority":
        return preempted(quota, waiting)
    right = _right(victim, cluster)
    external = (pod for pod in victim.workload.pods if pod.key in tree.external_pods.evictable)
    if (pod := next(external, None)) is not None:
        return external_pod(tree, pod.node_name, owner, waiting, right)
    if over:
        return reclaimed_for(quota, tree, over, held, owner, waiting, right)
    beyond = resources.subtract(held, cluster.forest.effective_min(quota))
    shared = tree.runtimes.runtime(tree.tree.root).keys() & beyond.keys()  # pod slots are not
    shown = resources.positive(resources.masked(beyond, shared))
    return cleared(quota, shown, victim.node, owner, waiting, right)


def _right(victim: Victim, cluster: ClusterSnapshot) -> str:
    """By what right the room of a victim is reclaimed."""
    if victim.cause is None:
        return ""
    owner, forest = victim.cause.owner, cluster.forest
    taker = forest.branch(owner, victim.quota)
    if victim.cause.right == "min":
        return within_guarantee(victim.by or taker, owner)
    if victim.exchanged:
        return beyond_share(taker, forest.branch(victim.quota, owner))
    return WITHIN_SHARE


def within_guarantee(of: str, owner: str) -> str:
    """The right of a pod of ``owner`` that the guarantee of quota ``of`` covers."""
    return "within its guarantee" if of == owner else f"within the guarantee of quota {of}"


def beyond_share(taker: str, giver: str) -> str:
    """The right of a pod that takes the place of one of its size beyond a current share.

    ``taker`` and ``giver`` are the branches of the two.
    """
    return (
        f"beyond its current share: quota {taker} then holds a smaller part of its share than "
        f"quota {giver} did"
    )


def reclaimed_for(
    quota: str,
    tree: TreeBooks,
    over: Resources,
    held: Resources,
    owner: str,
    waiting: Workload,
    right: str,
) -> str:
    """For a victim whose room ``waiting``, of quota ``owner``, gets.

    ``over`` is what the victim's quota holds beyond its current share.
    """
    who = _reclaims(owner, "this room", waiting, right)
    return f"{_over(quota, tree, over, held)}; {who}. {_again(quota)}"


def cleared(
    quota: str, over: Resources, node: str, owner: str, waiting: Workload, right: str
) -> str:
    """For a victim whose node ``waiting`` needs; ``over`` is over the guarantee of its quota."""
    borrowed = wording.amounts(over)
    who = _reclaims(owner, f"the room on node {node}", waiting, right)
    return f"quota {quota} uses {borrowed} beyond its guarantee; {who}. {_again(quota)}"


def external_pod(tree: TreeBooks, node: str, owner: str, waiting: Workload, right: str) -> str:
    """For a victim of no quota of the tree, on one of its nodes."""
    return (
        f"the pod belongs to no quota of tree {tree.tree.root}, which has node {node}; "
        f"{_reclaims(owner, 'the room there', waiting, right)}. It comes to stay if its namespace "
        "is bound to a quota of that tree, or if it runs on other nodes"
    )


def over_limit(quota: str, tree: TreeBooks, over: Resources, held: Resources) -> str:
    """For a victim of usage beyond a limit that lasted longer than the delay."""
    return (
        f"{_over(quota, tree, over, held)} for longer than reclaim.delaySeconds, because "
        f"a limit was lowered or nodes were lost. {_again(quota)}"
    )


def no_node(quota: str, owner: str, waiting: Workload) -> str:
    """For a victim that no node takes, and that would keep ``waiting`` of ``owner`` waiting."""
    whose, what = (
        ("its quota", "its place") if owner == quota else ("quota", "room that it waits for")
    )
    return f"no node takes it, and {waiting.title} of {whose} {owner} gets {what}. {_again(quota)}"


def preempted(quota: str, waiting: Workload) -> str:
    """For a victim of its own quota."""
    return (
        f"{waiting.title} of the same quota {quota} takes its place, because its priority "
        f"{waiting.priority} is higher. {_again(quota)}"
    )


def _reclaims(owner: str, room: str, waiting: Workload, right: str) -> str:
    return f"quota {owner} reclaims {room} for {waiting.title} ({right})"


def _again(quota: str) -> str:
    return f"It starts again when {quota} has room"


def _over(quota: str, tree: TreeBooks, over: Resources, held: Resources) -> str:
    """``quota team-a uses 12 cpu, 4 more than its current share of 8``."""
    share = tree.runtimes.own_runtime(quota)
    figures = [
        f"{wording.amount(key, held.get(key, 0))}, "
        f"{quantity.shown(key, amount)} more than its current share of "
        f"{quantity.shown(key, share.get(key, 0))}"
        for key, amount in sorted(over.items())
    ]
    return f"quota {quota} uses {', and '.join(figures)}"
