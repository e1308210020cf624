"""The nodes of one tree and what they offer together, kept up to date node by node.

As in all sums, a node is subtracted exactly as it was added. A resource stays in a sum as long as
one node names it, even with 0: what a total does not name, it does not limit.
"""

from collections.abc import Collection, Iterable

from elasticquota import resources
from elasticquota.model.capacity_mode import NODES, CapacityMode, NodesToCome, is_extended
from elasticquota.model.node import Node
from elasticquota.model.profile import WHOLE, Ratio
from elasticquota.resources import Resources
from elasticquota.sharing.capacity import TreeCapacity


class NodeSums:
    """Mutable; ``put`` and ``drop`` the nodes of the tree."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.nodes: dict[str, Node] = {}
        """By name."""
        self._offered = _ResourceSum()
        self._staying = _ResourceSum()
        """Of the nodes that are not being removed."""
        self._shared = _ResourceSum()
        """What these offer besides, and what counts at other nodes."""
        self._joining = _ResourceSum()
        """Of the nodes that have joined, and take no pods for the first time yet."""
        self._unschedulable = _ResourceSum()
        for node in nodes:
            self.put(node)

    def put(self, node: Node) -> None:
        """Add a node; one of this name must not be there."""
        self.nodes[node.name] = node
        for total, amounts in self._parts(node):
            total.add(amounts)

    def drop(self, name: str) -> None:
        """Remove a node; raises ``KeyError`` if it is not there."""
        for total, amounts in self._parts(self.nodes.pop(name)):
            total.subtract(amounts)

    def capacity(
        self, ratio: Ratio, mode: CapacityMode, overlapping: Iterable[str] = ()
    ) -> TreeCapacity:
        """Return the capacity of the tree in this ``mode``; ``overlapping`` are names of nodes."""
        return TreeCapacity(
            nodes=len(self.nodes),
            total=self._total(ratio, mode),
            present=_cut(self._staying.amounts, ratio),
            mode=mode,
            to_come=self._to_come(mode) if mode.elastic else None,
            unschedulable=_cut(self._unschedulable.amounts, ratio),
            node_names=tuple(sorted(self.nodes)),
            overlapping=tuple(sorted(overlapping)),
        )

    def _parts(self, node: Node) -> Iterable[tuple["_ResourceSum", Resources]]:
        offered, leaves = node.offered, node.being_removed
        yield self._offered, offered
        if not leaves:
            yield self._staying, offered
            if node.joining:
                yield self._joining, offered
            if node.shared:
                yield self._shared, node.shared
        if leaves or not node.schedulable:
            yield self._unschedulable, offered

    def _total(self, ratio: Ratio, mode: CapacityMode) -> Resources:
        """What the tree shares.

        An elastic tree is as large as it may become. Of the resources that its ``max`` does not
        name, it counts the extended ones, as far as they are present; the others limit no pod
        there.
        """
        match mode.mode:
            case "Nodes":
                return _cut(self._offered.amounts, ratio)
            case "Declared":
                return _cut(mode.total, ratio)
            case "Elastic":
                present = _cut(self._staying.amounts, ratio)
                extended = {key: amount for key, amount in present.items() if is_extended(key)}
                return extended | _cut(mode.max, ratio)

    def _to_come(self, mode: CapacityMode) -> NodesToCome:
        present = resources.add(self._staying.amounts, self._shared.amounts)
        taking = resources.subtract(present, self._joining.amounts)
        room = {key: max(0, most - taking.get(key, 0)) for key, most in mode.max.items()}
        return NodesToCome(mode.max, room, mode.largest_node)


class _ResourceSum:
    """The sum of resource lists."""

    def __init__(self) -> None:
        self.amounts: dict[str, int] = {}
        self._lists: dict[str, int] = {}
        """How many lists name the key."""

    def add(self, amounts: Resources) -> None:
        for key, amount in amounts.items():
            self.amounts[key] = self.amounts.get(key, 0) + amount
            self._lists[key] = self._lists.get(key, 0) + 1

    def subtract(self, amounts: Resources) -> None:
        for key, amount in amounts.items():
            self.amounts[key] -= amount
            self._lists[key] -= 1
            if not self._lists[key]:
                del self.amounts[key], self._lists[key]


def of_default_tree(nodes: Iterable[Node], owned: Collection[str]) -> TreeCapacity:
    """Sum the default tree: the nodes that no profile owns; ``owned`` are names of nodes."""
    left = (node for node in nodes if node.name not in owned and not node.reserved)
    return NodeSums(left).capacity(WHOLE, NODES)


def _cut(amounts: Resources, ratio: Ratio) -> dict[str, int]:
    return {key: ratio.of(amount) for key, amount in amounts.items()}
