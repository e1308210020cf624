"""Waiting for nodes: in an elastic tree, admitted pods for which a node has yet to come.

The scheduler has refused them, so an autoscaler sees them. Their condition on the quota says how
many there are and how far the tree has grown; on the pod the event of its release says the same.
"""

from collections.abc import Iterator, Mapping

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Condition
from elasticquota.model.pod import Pod
from elasticquota.scheduling.status import amounts_text, pod_messages


def conditions(cluster: ClusterSnapshot, tree: TreeBooks) -> Iterator[tuple[str, Condition]]:
    """Yield quotas of ``tree`` with such pods of their own; nothing for a tree that cannot grow."""
    nodes = cluster.nodes_by_tree.get(tree.tree.id, NONE)
    if nodes.to_come is None:
        return
    for name, found in sorted(_by_quota(cluster, tree).items()):
        asked: dict[str, int] = {}
        for size in {pod.size for pod in found}:
            asked.update(size)
        count = "1 admitted pod" if len(found) == 1 else f"{len(found)} admitted pods"
        text = f"{count}: {amounts_text.growth(nodes, asked)}"
        yield name, Condition("WaitingForNodes", True, pod_messages.WAITING_FOR_NODES, text)


def _by_quota(cluster: ClusterSnapshot, tree: TreeBooks) -> Mapping[str, list[Pod]]:
    found: dict[str, list[Pod]] = {}
    for pod, quota in cluster.unplaced.values():
        if pod.refused and quota in tree.tree.children:
            found.setdefault(quota, []).append(pod)
    return found
