"""Node fit: which nodes of a tree have room for a pod of one kind now.

A node has room when the pod's constraints allow it and the pod's request, including a pod slot,
fits beside all pods on the node (NodeResourcesFit). Pods that are leaving still count. Pods of the
same size, constraints and quota nodes are one kind. The result for a kind is kept, and only nodes
that changed since are checked again. So the cost of an event does not depend on the number of
nodes.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from elasticquota import pool_keys, resources
from elasticquota.forest import wording
from elasticquota.ledger.nodes.node_pods import NodePods
from elasticquota.model import pools
from elasticquota.model.capacity_mode import NodesToCome
from elasticquota.model.constraints import Constraints
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod, Size
from elasticquota.model.selector import Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


MOST_KINDS: Final = 2048
"""The most results to keep; beyond that, the least recently used are dropped."""


_SHOWN: Final = 3


class Where(NamedTuple):
    """The nodes on which pods of one template and quota may run."""

    tree_id: str
    wanted: Selector
    """The node selector of the quota."""
    constraints: Constraints


class _Pool(Struct):
    """The nodes of one ``Where``."""

    admitted: set[str] = field(default_factory=set)
    obstacles: dict[str, str] = field(default_factory=dict)
    """Node of the tree -> what keeps the pods off it."""
    seen: int = 0
    """How many entries of the log of changed nodes were followed."""


class _FittingNodes(Struct):
    """The nodes with room for one size."""

    fitting: set[str] = field(default_factory=set)
    seen: int = 0


class NodeFit:
    """Answers which nodes have room; mutable.

    Report changed nodes by ``set_nodes``; changes of ``load`` it follows by itself.
    """

    def __init__(self, nodes: Mapping[str, Node], load: NodePods) -> None:
        self._nodes = nodes
        self._load = load
        self._of_trees: Mapping[str, AbstractSet[str]] = {}
        self._to_come: Mapping[str, NodesToCome] = {}
        self._changed: list[str] = []
        self._forgotten = 0
        self._pools: dict[Where, _Pool] = {}
        self._kinds: dict[tuple[Where, Size], _FittingNodes] = {}
        self._hosts: dict[tuple[Where, Size], tuple[str, int]] = {}
        """A node that would take such a pod if empty, and how many log entries were followed."""

    def set_nodes(
        self,
        of_trees: Mapping[str, AbstractSet[str]],
        changed: AbstractSet[str],
        nodes: Mapping[str, Node] | None = None,
        to_come: Mapping[str, NodesToCome] = MappingProxyType({}),
    ) -> None:
        """Set the nodes of each tree by tree id; ``changed`` nodes changed or changed trees.

        ``nodes`` are all nodes by name, with what they offer in pools; None: as before.
        ``to_come`` has the trees that nodes may join.
        """
        self._of_trees, self._to_come = of_trees, to_come
        self._nodes = self._nodes if nodes is None else nodes
        self._changed += changed
        self._load.log += changed
        if len(self._changed) > 2 * len(self._nodes) + 64:
            half = len(self._changed) // 2
            del self._changed[:half]
            self._forgotten += half

    def knows(self, tree_id: str) -> bool:
        """Whether the tree's nodes are known; a total that a user wrote by hand has none."""
        return tree_id in self._to_come or bool(self._of_trees.get(tree_id))

    def to_come(self, tree_id: str) -> NodesToCome | None:
        """Return what may join the nodes of the tree; None: nothing may."""
        return self._to_come.get(tree_id)

    def could_host(self, where: Where, size: Size) -> bool:
        """Whether a node would take such a pod if all nodes were empty, ready and not cordoned.

        Also whether a node to come would, whose labels and taints are not known.

        True if the nodes are not known. The node found last is checked first; if none was found,
        only changed nodes are checked.
        """
        if not self.knows(where.tree_id):
            return True
        key = (where, size)
        host, seen = self._hosts.get(key, ("", -1))
        request, here = dict(size), self._of_trees[where.tree_id]
        to_come = self._to_come.get(where.tree_id)
        if to_come is not None and to_come.could_host(request):
            return True
        if not (host in here and self._hosts_empty(where, host, request)):
            start = -1 if host else seen - self._forgotten
            names = set(self._changed[start:]) & here if start >= 0 else here
            host = next((each for each in names if self._hosts_empty(where, each, request)), "")
        self._hosts[key] = (host, len(self._changed) + self._forgotten)
        return bool(host)

    def lasting(self, where: Where) -> Counter[str]:
        """Count, by lasting obstacle, the nodes of the tree that it keeps such pods off."""
        nodes = self._of_tree(where.tree_id)
        return Counter(filter(None, (_lasting(where, node) for node in nodes)))

    def open_to(self, where: Where) -> Iterator[Node]:
        """Iterate over the nodes of the tree that no lasting obstacle keeps such pods off."""
        return (node for node in self._of_tree(where.tree_id) if not _lasting(where, node))

    def largest(self, where: Where, key: str) -> int | None:
        """Return the most that a node without lasting obstacle offers; None: no such node."""
        nodes = self._of_tree(where.tree_id)
        offers = (node.allocatable.get(key, 0) for node in nodes if not _lasting(where, node))
        return max(offers, default=None)

    def fitting(self, where: Where, size: Size) -> AbstractSet[str]:
        """Return the names of the nodes with room now; do not change the set."""
        key = (where, size)
        pool = self._pool(where)
        kind = self._kinds.pop(key, None) or _FittingNodes(seen=-1)
        self._kinds[key] = kind
        log, start = self._load.log, kind.seen - self._load.forgotten
        request = dict(size)
        if start < 0:
            kind.fitting = {name for name in pool.admitted if self.has(name, request)}
        else:
            for name in set(log[start:]):
                if name in pool.admitted and self.has(name, request):
                    kind.fitting.add(name)
                else:
                    kind.fitting.discard(name)
        kind.seen = len(log) + self._load.forgotten
        self._trim()
        return kind.fitting

    def admitted(self, where: Where) -> AbstractSet[str]:
        """Return the names of the nodes that take such pods if there is room; do not change it."""
        return self._pool(where).admitted

    def obstacles(self, where: Where, request: Resources) -> Mapping[str, int]:
        """Count, by obstacle, the nodes of the tree that it keeps such pods off.

        One is that they are not in the pool of ``request``. Under ``""`` are those with too little
        room.
        """
        checked_nodes, pool = self._pool(where), pools.named(request)
        there: Collection[str] = checked_nodes.admitted
        elsewhere: Mapping[str, int] = EMPTY
        if pool:
            inside = [key for key in request if pool_keys.is_reserved(key)]
            there = [
                name
                for name in there
                if (node := self._nodes.get(name)) is not None
                and any(node.allocatable.get(key, 0) > 0 for key in inside)
            ]
            elsewhere = {f"are not in pool {pool}": len(checked_nodes.admitted) - len(there)}
        return {**Counter(checked_nodes.obstacles.values()), **elsewhere, "": len(there)}

    def has(self, name: str, request: Resources, beside: Resources = EMPTY) -> bool:
        """Whether the node has room for ``request`` now; ``beside`` is what is booked there."""
        node = self._nodes.get(name)
        if node is None:
            return False
        offered, load = node.allocatable, self._load
        staying, leaving = load.staying.get(name, EMPTY), load.leaving.get(name, EMPTY)
        for key, asked in request.items():
            if asked > 0:
                taken = staying.get(key, 0) + leaving.get(key, 0) + beside.get(key, 0)
                if asked > offered.get(key, 0) - taken:
                    return False
        return True

    def slots(self, name: str, request: Resources) -> int:
        """Return for how many pods of ``request`` the node has room now.

        ``request`` must not be empty. Raises ``KeyError`` for an unknown node.
        """
        offered, load = self._nodes[name].allocatable, self._load
        staying, leaving = load.staying.get(name, EMPTY), load.leaving.get(name, EMPTY)
        return min(
            max(0, offered.get(key, 0) - staying.get(key, 0) - leaving.get(key, 0)) // asked
            for key, asked in request.items()
        )

    def missing(self, name: str, request: Resources, beside: Resources) -> dict[str, int]:
        """Return what ``request`` still lacks on the node once all leaving pods are gone.

        Raises ``KeyError`` for an unknown node.
        """
        offered, staying = self._nodes[name].allocatable, self._load.staying.get(name, EMPTY)
        free = {
            key: offered.get(key, 0) - staying.get(key, 0) - beside.get(key, 0) for key in request
        }
        return resources.positive(resources.subtract(resources.positive(request), free))

    def share_free(self, name: str) -> int:
        """Return the free part of the node's cpu plus that of its memory, each in thousandths.

        The scheduler prefers the node with the larger value (LeastAllocated). Raises ``KeyError``
        for an unknown node.
        """
        offered, staying = self._nodes[name].allocatable, self._load.staying.get(name, EMPTY)
        return sum(
            1000 * (most - staying.get(key, 0)) // most
            for key, most in offered.items()
            if key in ("cpu", "memory") and most > 0
        )

    @property
    def being_freed(self) -> AbstractSet[str]:
        """The nodes with leaving pods: terminating or being evicted."""
        return self._load.leaving.keys()

    def leaving(self, name: str) -> Resources:
        """Return what leaving pods hold on the node."""
        return self._load.leaving.get(name, EMPTY)

    def label(self, name: str, key: str) -> str:
        """Return a label of the node; empty if it has none."""
        node = self._nodes.get(name)
        return "" if node is None else node.labels.get(key, "")

    def on(self, name: str) -> Iterator[tuple[Pod, str]]:
        """Iterate over the pods that stay on the node, with their quotas."""
        return iter(self._load.pods.get(name, {}).values())

    def _pool(self, where: Where) -> _Pool:
        pool = self._pools.pop(where, None) or _Pool(seen=-1)
        self._pools[where] = pool
        here = self._of_trees.get(where.tree_id, frozenset())
        start = pool.seen - self._forgotten
        if start < 0:
            pool.admitted.clear()
            pool.obstacles.clear()
        for name in set(self._changed[start:]) if start >= 0 else here:
            pool.admitted.discard(name)
            pool.obstacles.pop(name, None)
            node = self._nodes.get(name)
            if node is None or name not in here:
                continue
            obstacle = where.constraints.obstacle(node) or _unwanted(where, node) or _removed(node)
            if obstacle:
                pool.obstacles[name] = obstacle
            else:
                pool.admitted.add(name)
        pool.seen = len(self._changed) + self._forgotten
        return pool

    def _of_tree(self, tree_id: str) -> Iterator[Node]:
        for name in self._of_trees.get(tree_id, ()):
            node = self._nodes.get(name)
            if node is not None:  # A node may be gone before the books have followed.
                yield node

    def _hosts_empty(self, where: Where, name: str, request: Resources) -> bool:
        node = self._nodes.get(name)
        return (
            node is not None
            and all(asked <= node.allocatable.get(key, 0) for key, asked in request.items())
            and not _lasting(where, node)
        )

    def _trim(self) -> None:
        self._load.shorten_log(4 * len(self._nodes) + 4096)
        for kept in (self._kinds, self._pools, self._hosts):
            _forget_oldest(kept)


def _forget_oldest(kept: dict[Any, Any]) -> None:
    while len(kept) > MOST_KINDS:
        del kept[next(iter(kept))]


def listed(obstacles: Counter[str]) -> str:
    """Format as ``8 lack label disk=ssd, 1 is cordoned``: the three most common first.

    The obstacles begin with the verb of many, such as ``lack``.
    """
    ordered = sorted(obstacles.items(), key=lambda found: (-found[1], found[0]))
    shown = [f"{count} {wording.agreed(count, why)}" for why, count in ordered[:_SHOWN]]
    rest = sum(count for _, count in ordered[_SHOWN:])
    return ", ".join([*shown, f"{rest} for other reasons"] if rest else shown)


def _lasting(where: Where, node: Node) -> str:
    return where.constraints.lasting_obstacle(node) or _unwanted(where, node)


def _removed(node: Node) -> str:
    """Also for pods that tolerate its taint: they would be evicted again at once."""
    return "are being removed by an autoscaler" if node.being_removed else ""


def _unwanted(where: Where, node: Node) -> str:
    return "" if where.wanted.matches(node.labels) else "are not selected by its quota"
