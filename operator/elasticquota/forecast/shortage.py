"""What keeps the first of a queue waiting."""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota.forecast.accuracy import Kind
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.resources import Resources


class QueueShortage(NamedTuple):
    """The place without room: the quota itself, a quota above, or the nodes of the tree."""

    kind: Kind
    quota: str
    """Of a tree for its nodes: the root."""
    left: Mapping[str, int]
    """What is left at that place of the resources that are short, accounting units."""


def of(cluster: ClusterSnapshot, tree: TreeBooks, quota: str, request: Resources) -> QueueShortage:
    """Return what is short for a workload of ``quota`` that asks for ``request``."""
    root = tree.tree.root
    for place in cluster.forest.path(quota):
        limit = tree.runtimes.runtime(place)
        held = tree.counted(place, tree.admitted[place])
        left = {key: limit[key] - held.get(key, 0) for key in request if key in limit}
        short = {key: amount for key, amount in left.items() if request[key] > amount}
        if short:
            kind: Kind = "own" if place == quota else "nodes" if place == root else "ancestor"
            break
    else:
        kind, place, short = "nodes", root, _on_nodes(tree, request)
    if kind != "own" and _is_owed(cluster, tree, quota, request):
        kind = "min"
    return QueueShortage(kind, place, short)


def _is_owed(cluster: ClusterSnapshot, tree: TreeBooks, quota: str, request: Resources) -> bool:
    """Whether the quota stays within its min with it, in all that min names."""
    low, held = cluster.forest.effective_min(quota), tree.admitted[quota]
    asked = [key for key, amount in request.items() if amount > 0 and key in low]
    return bool(asked) and all(held.get(key, 0) + request[key] <= low[key] for key in asked)


def _on_nodes(tree: TreeBooks, request: Resources) -> dict[str, int]:
    """Nothing is left of what is asked for: no single node has it."""
    return {key: 0 for key, amount in request.items() if amount > 0 and key in tree.total}
