"""Nodes of a tree with pools, with what they offer in their pool beside what they offer.

So the total of a tree, the room on a node and the request of a pod have the same keys, and all that
is true of a resource is true of a resource in a pool.
"""

from collections.abc import Mapping
from dataclasses import replace

from elasticquota.model.node import Node
from elasticquota.model.pools import Pools


class PoolNodes:
    """Makes these nodes, each once; mutable, and all it has can be made again."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[Node, Pools, Node, str]] = {}
        """By name: the node, the pools of its tree, the node as it counts, and its pool."""

    def counted(self, node: Node, pools: Pools | None) -> Node:
        """Return ``node`` with its pool keys; unchanged if its tree has no pools."""
        if pools is None:
            return node
        found = self._made.get(node.name)
        if found is None or found[0] is not node or found[1] != pools:
            pool = pools.of(node.labels)
            counted = replace(node, allocatable=pools.inside(pool, node.allocatable))
            found = self._made[node.name] = (node, pools, counted, pool)
        return found[2]

    def pool_of(self, name: str) -> str:
        """Return the pool of a node that was counted; empty: it is in none."""
        return self._made[name][3]

    def all_counted(self, nodes: list[Node], pools: Pools | None) -> list[Node]:
        """Return all of ``nodes`` as ``counted`` does; the same list without pools."""
        return nodes if pools is None else [self.counted(node, pools) for node in nodes]

    def keep(self, nodes: Mapping[str, Node]) -> None:
        """Drop what is known of any other nodes."""
        for name in self._made.keys() - nodes.keys():
            del self._made[name]
