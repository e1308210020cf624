"""Admitted pods without a node: a node has yet to come for them, or none took them in time.

The gate of a pod cannot be put back, so it stays admitted: it counts in its quota, and it may start
at any moment. When no node has taken it for too long it is reported, and its request no longer
claims guarantees and shares of its quota against others (algorithm 6, phantom demand), which may
use the idle resources. It counts again as soon as a node admits it.

In an elastic tree the scheduler refuses such a pod, so an autoscaler sees it, and the time is the
``scaleUpTimeout`` of the profile. After it the pod takes no room of others at all
(``snapshot.usage_tree``): an autoscaler that cannot deliver must not keep present nodes empty.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import quantity
from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE, TreeNodes
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Condition, Unscheduled
from elasticquota.resources import Resources


_SHOWN: Final = 3


def unscheduled(cluster: ClusterSnapshot) -> tuple[Unscheduled, ...]:
    """All pods that no node took in time, by quota and pod, with their messages."""
    return tuple(
        Unscheduled(pod.key, pod.uid, name, _text(name, cluster))
        for name in sorted(cluster.stuck)
        for _, pod in sorted(cluster.account(name).stuck.items())
    )


def _text(quota: str, cluster: ClusterSnapshot) -> str:
    seconds, grows = _timeout(quota, cluster)
    if grows:
        text = (
            f"no node came for it within {seconds} s (scaleUpTimeout of the profile): it stays "
            "admitted, and its room counts for others until it has a node"
        )
    else:
        text = (
            f"no node has taken it for more than {seconds} s: it stays admitted and is no request "
            "any more"
        )
    then = "see the message of its PodScheduled condition, or delete it"
    return f"admitted into quota {quota}, but {text}; {then}"


def condition(account: Account, quota: str, cluster: ClusterSnapshot) -> Condition | None:
    """The condition of the quota of ``account`` about such pods of its own, or None."""
    if not account.stuck:
        return None
    seconds, grows = _timeout(quota, cluster)
    named = wording.named(sorted(account.stuck), _SHOWN)
    if grows:
        text = f"admitted, but no node came within {seconds} s, so others have their room: {named}"
        return Condition("Unscheduled", True, "NoNodeCame", text)
    text = f"admitted and no request any more, without a node for more than {seconds} s: {named}"
    return Condition("Unscheduled", True, "NoNodeTakesThem", text)


def waiting(cluster: ClusterSnapshot, tree: TreeBooks) -> Iterator[tuple[str, Condition]]:
    """The quotas of ``tree`` with pods of their own for which a node has yet to come.

    Nothing for a tree that cannot grow. The event of the release of such a pod says the same.
    """
    nodes = cluster.nodes_by_tree.get(tree.tree.id, NONE)
    asked: dict[str, dict[str, int]] = {}
    count: dict[str, int] = {}
    for pod, quota in cluster.unplaced.values() if nodes.to_come is not None else ():
        if pod.refused and quota in tree.tree.children:
            asked.setdefault(quota, {}).update(pod.request)
            count[quota] = count.get(quota, 0) + 1
    for name, request in sorted(asked.items()):
        text = f"{wording.counted(count[name], 'admitted pod')}: {growth(nodes, request)}"
        yield name, Condition("WaitingForNodes", True, "WaitingForNodes", text)


def growth(nodes: TreeNodes, request: Resources) -> str:
    """How far an elastic tree has grown, in the resources of ``request`` that may grow."""
    figures = [
        f"{quantity.shown(key, nodes.present.get(key, 0))} of at most "
        f"{quantity.shown(key, nodes.total.get(key, 0))} {key}"
        for key in sorted(request)
        if key in nodes.mode.max and request[key] > 0
    ]
    return f"waiting for nodes ({', '.join(figures)})"


def waits_for_nodes(nodes: TreeNodes, request: Resources) -> str:
    """What an admitted pod of an elastic tree reads, beside that it is admitted."""
    return f"WaitingForNodes: {growth(nodes, request)}"


def _timeout(quota: str, cluster: ClusterSnapshot) -> tuple[int, bool]:
    """After how many seconds a pod is without a node for too long; whether its tree may grow."""
    tree = cluster.forest.tree_of.get(quota)
    return cluster.timeout_in(tree) // 1000, tree is not None and cluster.is_elastic(tree)
