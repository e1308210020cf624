"""Node reservations: what one cycle books, keeps and expects to leave on each node."""

from collections.abc import Set as AbstractSet

from elasticquota import resources, totals
from elasticquota.ledger.nodes.node_fit import NodeFit
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.node_order import Kind


_Sums = dict[str, dict[str, int]]


class NodeReservations:
    """Mutable; one per tree and cycle. All by node name; amounts in accounting units."""

    def __init__(self, fit: NodeFit) -> None:
        self._fit = fit
        self.booked: _Sums = {}
        """What starts there in this cycle or was admitted for it."""
        self.kept: _Sums = {}
        """The room kept for pods that start when others are gone."""
        self._kept_for: dict[str, list[Kind]] = {}
        """The kinds of these pods, one for each."""
        self._victims: _Sums = {}
        """What victims of this cycle hold."""

    def book(self, node: str, request: Resources) -> None:
        """Book what starts there now."""
        totals.add(self.booked.setdefault(node, {}), request)

    def keep(self, node: str, kind: Kind) -> None:
        """Keep room for one pod of this kind."""
        self.reserve(node, dict(kind.size))
        self._kept_for.setdefault(node, []).append(kind)

    def forget(self, node: str, kind: Kind) -> None:
        """Undo ``keep``."""
        self.unreserve(node, dict(kind.size))
        self._kept_for[node].remove(kind)

    def reserve(self, node: str, request: Resources) -> None:
        """Keep room for no kind, on trial."""
        totals.add(self.kept.setdefault(node, {}), request)

    def unreserve(self, node: str, request: Resources) -> None:
        """Undo ``reserve``; pass the same arguments."""
        totals.subtract(self.kept[node], request)

    def expect_removal(self, node: str, request: Resources) -> None:
        """Count what a victim holds as free later."""
        totals.add(self._victims.setdefault(node, {}), request)

    def cancel_removal(self, node: str, request: Resources) -> None:
        """Undo ``expect_removal``."""
        totals.subtract(self._victims[node], request)

    def kept_for(self, node: str) -> tuple[Kind, ...]:
        """The kinds for which room is kept there, one for each pod."""
        return tuple(self._kept_for.get(node, ()))

    def being_freed(self) -> AbstractSet[str]:
        """The nodes with terminating pods or victims."""
        return self._fit.being_freed | self._victims.keys()

    def beside(self, node: str) -> Resources:
        """What is booked there now; kept room is first taken from what leaves."""
        booked, kept = self.booked.get(node, EMPTY), self.kept.get(node)
        if not kept:
            return booked
        leaving = resources.add(self._fit.leaving(node), self._victims.get(node, EMPTY))
        return resources.add(booked, resources.positive(resources.subtract(kept, leaving)))

    def missing(self, node: str, request: Resources) -> dict[str, int]:
        """What ``request`` lacks there once all that leaves is gone."""
        beside = resources.add(self.booked.get(node, EMPTY), self.kept.get(node, EMPTY))
        left = resources.subtract(beside, self._victims.get(node, EMPTY))
        return self._fit.missing(node, request, left)

    def takes_kept_room(self, node: str, request: Resources) -> bool:
        """Whether room kept there is lost if ``request`` is there too."""
        kept = self.kept.get(node, EMPTY)
        return bool(kept) and not self.missing(node, request).keys().isdisjoint(kept)
