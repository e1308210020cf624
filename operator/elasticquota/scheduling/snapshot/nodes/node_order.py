"""The order in which nodes are tried for pods that need the same room, in one cycle.

The node with the largest free share comes first, as the scheduler prefers. A node on which a pod
was booked goes to the end.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from elasticquota.ledger.nodes.node_fit import NodeFit, Where
from elasticquota.model.pod import Size
from elasticquota.resources import Resources


class Kind(NamedTuple):
    """Pods that need the same room."""

    where: Where | None
    """None: of several pods, or of pods that are not known."""
    size: Size


class NodeOrder:
    """Mutable; one per tree and cycle."""

    def __init__(self, fit: NodeFit) -> None:
        self._fit = fit
        self._nodes: dict[Kind, deque[str]] = {}
        """By kind, the nodes that may have room."""

    def first(self, kind: Kind, booked: Callable[[str], Resources]) -> str | None:
        """A node with room now. Room only shrinks in a cycle: a full node stays full.

        ``booked`` returns what is booked on a node now, in accounting units.
        """
        nodes = self._nodes.get(kind)
        if nodes is None:
            fitting = sorted(self._fit.fitting(kind.where, kind.size)) if kind.where else []
            fitting.sort(key=self._fit.share_free, reverse=True)
            nodes = self._nodes[kind] = deque(fitting)
        request = dict(kind.size)
        while nodes:
            if self._fit.has(nodes[0], request, booked(nodes[0])):
                return nodes[0]
            nodes.popleft()
        return None

    def rotate(self, kind: Kind, node: str) -> None:
        """Try ``node``, on which a pod of this kind was booked, last."""
        nodes = self._nodes.get(kind)
        if nodes and nodes[0] == node:
            nodes.rotate(-1)

    def reset(self, kind: Kind) -> None:
        """Consider all nodes again, because something that was booked is booked no more."""
        self._nodes.pop(kind, None)
