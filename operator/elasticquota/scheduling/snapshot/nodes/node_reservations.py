"""Node reservations: what one cycle books, keeps and expects to leave on each node of a tree.

One table for all nodes. What may still join an elastic tree is one row of it, ``TO_COME``: such a
node has no name yet.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from elasticquota import resources, totals
from elasticquota.ledger.nodes.node_fit import NodeFit, Where
from elasticquota.model.capacity_mode import NodesToCome
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.unbound import Unbound


TO_COME: Final = ""
"""The name of all nodes to come; also where the nodes of the tree are not known."""

_MOST_MOVED: Final = 100
"""How often one cycle tries to keep room elsewhere; it looks at every node each time."""


class Kind(NamedTuple):
    """Pods that need the same room."""

    where: Where | None
    """None: of several pods, or of pods that are not known."""
    size: Size


class Awaiting(NamedTuple):
    """An admitted pod that starts on no present node."""

    quota: str
    pod: Pod
    where: Where


class NodeReservations:
    """Mutable; one per tree and cycle. Sums by node name, in accounting units, without 0."""

    def __init__(
        self, fit: NodeFit, to_come: NodesToCome | None = None, timed_out: Resources = EMPTY
    ) -> None:
        """``timed_out``: what pods request that no node to come took in time."""
        self._fit = fit
        self._to_come = to_come
        self._timed_out = timed_out
        self.booked: dict[str, dict[str, int]] = defaultdict(dict)
        """What starts there in this cycle or was admitted for it."""
        self.kept: dict[str, dict[str, int]] = defaultdict(dict)
        """The room kept for pods that start when others are gone."""
        self.victims: dict[str, dict[str, int]] = defaultdict(dict)
        """What victims of this cycle hold."""
        self.kept_for: dict[str, list[Kind]] = defaultdict(list)
        """The kinds of the pods for which room is kept, one for each."""
        self._orders: dict[Kind, deque[str]] = {}
        """By kind, the nodes that may have room, in the order in which they are tried."""
        self._moves = 0
        self.assumed: dict[str, str] = {}
        """By uid, on which nodes admitted pods are expected that no node has taken yet."""
        self.reserved: dict[str, str] = {}
        """By uid, on which nodes room is kept for admitted pods that the scheduler refuses."""
        self.unbound = Unbound(fit)
        """The expected ones of these, and those that are released in this cycle."""
        self._awaits: dict[Key, Awaiting] = {}
        """The admitted pods that start on no present node; where no node may come, those of them
        that the scheduler refuses."""
        self._awaited: dict[Where, dict[str, int]] = {}
        """What those request that wait for a node to come."""

    def first(self, kind: Kind) -> str | None:
        """A node with room now. Room only shrinks in a cycle: a full node stays full.

        The one with the largest free share comes first, as the scheduler prefers.
        """
        nodes = self._orders.get(kind)
        if nodes is None:
            fitting = sorted(self._fit.fitting(kind.where, kind.size)) if kind.where else []
            fitting.sort(key=self._fit.share_free, reverse=True)
            nodes = self._orders[kind] = deque(fitting)
        request = dict(kind.size)
        while nodes:
            if self._fit.has(nodes[0], request, self.beside(nodes[0])):
                return nodes[0]
            nodes.popleft()
        return None

    def later(
        self, kind: Kind, avoided: str | None = None, beside: Mapping[str, Resources] = {}
    ) -> str | None:
        """A present node that is not ``avoided`` with room once all that leaves is gone.

        ``beside``: by node, a part of that which stays there.
        """
        node = self.first(kind)
        if kind.where is None or node not in (None, avoided):
            return node
        freed = self._fit.being_freed | self.victims.keys()
        request = dict(kind.size)
        for name in sorted(self._fit.admitted(kind.where) & freed - {avoided}):
            if not self.missing(name, resources.add(request, beside.get(name, EMPTY))):
                return name
        return None

    def may_come(self, kind: Kind, *, freed: bool = False) -> bool:
        """Whether a node may come for such a pod; ``freed``: once all that leaves is gone."""
        if self._to_come is None or kind.where is None:
            return False
        return self._to_come.takes(dict(kind.size), self._left_to_come(self._to_come, freed=freed))

    def book(self, node: str, kind: Kind) -> None:
        """Book a pod that starts there; the next one of its kind tries this node last."""
        totals.add(self.booked[node], dict(kind.size))
        nodes = self._orders.get(kind)
        if nodes and nodes[0] == node:
            nodes.rotate(-1)

    def try_all_again(self, kind: Kind) -> None:
        """Consider all nodes again, because something that was booked is booked no more."""
        self._orders.pop(kind, None)

    def keep(self, node: str, kind: Kind, *, undo: bool = False) -> None:
        """Keep room for one pod of this kind; ``undo``: no longer."""
        (totals.subtract if undo else totals.add)(self.kept[node], dict(kind.size))
        (self.kept_for[node].remove if undo else self.kept_for[node].append)(kind)

    def add_kept(self, other: "NodeReservations") -> None:
        """Add what another tree keeps on present nodes, and what its victims hold."""
        for mine, its in ((self.kept, other.kept), (self.victims, other.victims)):
            for node, amounts in its.items():
                if node != TO_COME:
                    totals.add(mine[node], amounts)

    def missing(self, node: str, request: Resources) -> dict[str, int]:
        """What ``request`` lacks there once all that leaves is gone."""
        if node == TO_COME:
            if self._to_come is None:
                return dict(request)
            left = self._left_to_come(self._to_come, freed=True)
            asked = resources.masked(request, self._to_come.most.keys() & request.keys())
            return resources.positive(resources.subtract(asked, resources.masked(left, asked)))
        beside = resources.add(self.booked.get(node, EMPTY), self.kept.get(node, EMPTY))
        taken = resources.subtract(beside, self.victims.get(node, EMPTY))
        return self._fit.missing(node, request, taken)

    def takes_kept_room(self, node: str, request: Resources) -> bool:
        """Whether room kept on a present node is lost if ``request`` is there too."""
        kept = self.kept.get(node, EMPTY)
        return bool(node and kept) and not self.missing(node, request).keys().isdisjoint(kept)

    def move_kept_room(self, node: str, beside: Mapping[str, Resources]) -> bool:
        """Keep room of ``node`` on other nodes, until what is held may stay, by node ``beside``.

        False: they do not have so much room, and all is as it was.
        """
        if self._moves >= _MOST_MOVED:
            return False
        self._moves += 1
        moved: list[tuple[Kind, str]] = []
        for kind in [*self.kept_for[node]]:
            other = self.later(kind, node, beside)
            if other is not None:
                self.keep(other, kind)
                self.keep(node, kind, undo=True)
                moved.append((kind, other))
                if not self.takes_kept_room(node, beside[node]):
                    return True
        for kind, other in moved:
            self.keep(other, kind, undo=True)
            self.keep(node, kind)
        return False

    def add_awaiting(self, found: Awaiting) -> None:
        """Count an admitted pod that starts on no present node."""
        if self._to_come is not None:
            totals.add(self._awaited.setdefault(found.where, {}), found.pod.request)
        self._awaits[found.pod.key] = found

    def awaits(self, pod: Pod) -> bool:
        """Whether ``pod`` is one of these."""
        return pod.key in self._awaits

    def awaited(self, node: str) -> Resources:
        """What pods that wait for a node to come would take on a present one."""
        if not self._awaited:
            return EMPTY
        admitted = self._fit.admitted
        return resources.add(*(its for at, its in self._awaited.items() if node in admitted(at)))

    def would_take(self, pod: Pod, node: str) -> bool:
        """Whether ``pod``, which starts on no present node, would take room on ``node``."""
        return self.awaits(pod) and node in self._fit.admitted(self._awaits[pod.key].where)

    def takers(self, node: str) -> Iterator[tuple[str, Pod]]:
        """The admitted pods, with their quotas, that take the room first that comes free there.

        The scheduler refuses them, and no known node has room for them.
        """
        for quota, pod, where in self._takers:
            if self.would_take(pod, node) and self.first(Kind(where, pod.size)) is None:
                yield quota, pod

    @cached_property
    def _takers(self) -> Sequence[Awaiting]:
        return [self._awaits[key] for key in sorted(self._awaits)]

    def expect_removal(self, node: str, victim: Pod, *, undo: bool = False) -> None:
        """Count what ``victim`` holds on its node as free later; ``undo``: no longer."""
        add, subtract = (totals.subtract, totals.add) if undo else (totals.add, totals.subtract)
        add(self.victims[node], victim.request)
        if self._to_come is not None and node == TO_COME and self.awaits(victim):
            subtract(self._awaited[self._awaits[victim.key].where], victim.request)

    def beside(self, node: str) -> Resources:
        """What is booked there now; kept room is first taken from what leaves."""
        booked, kept = self.booked.get(node, EMPTY), self.kept.get(node)
        if not kept:
            return booked
        leaving = resources.add(self._fit.leaving(node), self.victims.get(node, EMPTY))
        return resources.add(booked, resources.positive(resources.subtract(kept, leaving)))

    def _left_to_come(self, to_come: NodesToCome, *, freed: bool) -> dict[str, int]:
        kept = resources.subtract(self.kept.get(TO_COME, EMPTY), self.victims.get(TO_COME, EMPTY))
        still_kept = kept if freed else resources.positive(kept)
        taken = resources.add(self.booked.get(TO_COME, EMPTY), self._timed_out, still_kept)
        return resources.subtract(to_come.left, resources.masked(taken, to_come.most))
