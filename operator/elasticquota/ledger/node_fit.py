"""Node fit: which nodes of a tree have room for a pod of one kind now.

A node has room when the pod's constraints admit it and, beside all pods on it, also those that are
on their way out, it has what the pod asks for, a pod slot included (NodeResourcesFit). Pods of one
size and equal constraints are one kind. What was found for a kind is kept, and only nodes on which
something changed since are looked at again, so an event costs what it changes and not the number of
nodes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from elasticquota import resources
from elasticquota.ledger.node_pods import NodePods
from elasticquota.model.constraints import Constraints
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod, Size
from elasticquota.model.selector import Selector
from elasticquota.resources import EMPTY, Resources


MOST_KINDS: Final = 2048
"""What is kept; of more, the kinds that nobody asked for lately are forgotten."""


_SHOWN: Final = 3


class Where(NamedTuple):
    """Nodes that pods of one template and quota may be on."""

    tree_id: str
    wanted: Selector
    """What the quota selects its nodes by."""
    constraints: Constraints


@dataclass(slots=True)
class _Pool:
    """The nodes of one ``Where``."""

    admitted: set[str] = field(default_factory=set)
    obstacles: dict[str, str] = field(default_factory=dict)
    """By node of the tree, what keeps the pods off it."""
    seen: int = 0
    """How much of the log of changed nodes was followed."""


@dataclass(slots=True)
class _Kind:
    """The nodes with room for one size."""

    fitting: set[str] = field(default_factory=set)
    seen: int = 0


class NodeFit:
    """Mutable; tell it of changed nodes, and it follows what ``load`` counts by itself."""

    def __init__(self, nodes: Mapping[str, Node], load: NodePods) -> None:
        self._nodes = nodes
        self._load = load
        self._of_trees: Mapping[str, AbstractSet[str]] = {}
        self._changed: list[str] = []
        self._forgotten = 0
        self._pools: dict[Where, _Pool] = {}
        self._kinds: dict[tuple[Where, Size], _Kind] = {}
        self._hosts: dict[tuple[Where, Size], tuple[str, int]] = {}
        """A node that would take such a pod if it were empty, and how much of the log was followed.
        """

    def survey(self, of_trees: Mapping[str, AbstractSet[str]], changed: AbstractSet[str]) -> None:
        """The trees have these nodes now; ``changed`` are others than before, or of other trees."""
        self._of_trees = of_trees
        self._changed += changed
        self._load.log += changed
        if len(self._changed) > 2 * len(self._nodes) + 64:
            half = len(self._changed) // 2
            del self._changed[:half]
            self._forgotten += half

    def knows(self, tree_id: str) -> bool:
        """Whether the tree's nodes are known; a total that somebody wrote by hand has none."""
        return bool(self._of_trees.get(tree_id))

    def could_host(self, where: Where, size: Size) -> bool:
        """Whether a node would take such a pod if all were empty, none cordoned, and all well.

        A node that did is asked first; where none did, only changed nodes are.
        """
        if not self.knows(where.tree_id):
            return True
        key = (where, size)
        found, seen = self._hosts.get(key, ("", -1))
        request, here = dict(size), self._of_trees[where.tree_id]
        if not (found in here and self._hosts_empty(where, found, request)):
            start = -1 if found else seen - self._forgotten
            names = set(self._changed[start:]) & here if start >= 0 else here
            found = next((each for each in names if self._hosts_empty(where, each, request)), "")
        self._hosts[key] = (found, len(self._changed) + self._forgotten)
        return bool(found)

    def lasting(self, where: Where) -> Counter[str]:
        """How many nodes of the tree each obstacle keeps such pods off that does not pass."""
        nodes = self._of_tree(where.tree_id)
        return Counter(filter(None, (_lasting(where, node) for node in nodes)))

    def largest(self, where: Where, key: str) -> int | None:
        """The most that one node offers of those that no lasting obstacle bars; None: there is
        none.
        """
        nodes = self._of_tree(where.tree_id)
        offers = (node.allocatable.get(key, 0) for node in nodes if not _lasting(where, node))
        return max(offers, default=None)

    def fitting(self, where: Where, size: Size) -> AbstractSet[str]:
        """Names of the nodes with room now; not to be changed."""
        key = (where, size)
        pool = self._pool(where)
        kind = self._kinds.pop(key, None) or _Kind(seen=-1)
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
        """Names of the nodes that take such pods when they have room; not to be changed."""
        return self._pool(where).admitted

    def obstacles(self, where: Where) -> Counter[str]:
        """How many nodes of the tree each obstacle keeps such pods off."""
        return Counter(self._pool(where).obstacles.values())

    def has(self, name: str, request: Resources, beside: Resources = EMPTY) -> bool:
        """Whether the node has room for ``request`` now, ``beside`` what is booked there."""
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
        """How many pods that ask for ``request``, which is not empty, the node has room for now."""
        offered, load = self._nodes[name].allocatable, self._load
        staying, leaving = load.staying.get(name, EMPTY), load.leaving.get(name, EMPTY)
        return min(
            max(0, offered.get(key, 0) - staying.get(key, 0) - leaving.get(key, 0)) // asked
            for key, asked in request.items()
        )

    def missing(self, name: str, request: Resources, beside: Resources) -> dict[str, int]:
        """What ``request`` still lacks on the node once all that is on its way out is gone."""
        offered, staying = self._nodes[name].allocatable, self._load.staying.get(name, EMPTY)
        free = {
            key: offered.get(key, 0) - staying.get(key, 0) - beside.get(key, 0) for key in request
        }
        return resources.positive(resources.subtract(resources.positive(request), free))

    def share_free(self, name: str) -> int:
        """How much of the node's cpu and memory is free, in thousandths added up: the scheduler
        prefers the larger (LeastAllocated).
        """
        offered, staying = self._nodes[name].allocatable, self._load.staying.get(name, EMPTY)
        return sum(
            1000 * (most - staying.get(key, 0)) // most
            for key, most in offered.items()
            if key in ("cpu", "memory") and most > 0
        )

    @property
    def being_freed(self) -> AbstractSet[str]:
        """The nodes with pods on their way out."""
        return self._load.leaving.keys()

    def leaving(self, name: str) -> Resources:
        """What pods hold on the node that are on their way out."""
        return self._load.leaving.get(name, EMPTY)

    def label(self, name: str, key: str) -> str:
        """A label of the node; empty: it has none."""
        node = self._nodes.get(name)
        return "" if node is None else node.labels.get(key, "")

    def on(self, name: str) -> Iterator[tuple[Pod, str]]:
        """The pods that stay on the node, with their quotas."""
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
            obstacle = where.constraints.obstacle(node) or _unwanted(where, node)
            if obstacle:
                pool.obstacles[name] = obstacle
            else:
                pool.admitted.add(name)
        pool.seen = len(self._changed) + self._forgotten
        return pool

    def _of_tree(self, tree_id: str) -> Iterator[Node]:
        for name in self._of_trees.get(tree_id, ()):
            node = self._nodes.get(name)
            if node is not None:  # gone, and the books have not followed yet
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
    """``8 lack label disk=ssd, 4 are cordoned``: the most common first, no more than three."""
    ordered = sorted(obstacles.items(), key=lambda found: (-found[1], found[0]))
    shown = [f"{count} {why}" for why, count in ordered[:_SHOWN]]
    rest = sum(count for _, count in ordered[_SHOWN:])
    return ", ".join([*shown, f"{rest} for other reasons"] if rest else shown)


def _lasting(where: Where, node: Node) -> str:
    return where.constraints.lasting_obstacle(node) or _unwanted(where, node)


def _unwanted(where: Where, node: Node) -> str:
    return "" if where.wanted.matches(node.labels) else "are not selected by its quota"
