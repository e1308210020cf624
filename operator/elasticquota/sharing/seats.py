"""Seats: where every quota of a tree sits, found by name, the same for the flows of all resources.

A quota with children has a table, called by its name. Its children sit there in the order of names;
the last seat is for the pods that sit in the quota itself, which share with its children as one
more child would, without min or max. So pods come in at the seat of a childless quota, or at the
last seat of a quota's own table.
"""

from dataclasses import dataclass
from typing import NamedTuple

from elasticquota import resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources


class Seat(NamedTuple):
    table: str
    """The parent; empty for who sits nowhere: the root."""
    place: int


NOWHERE = Seat("", -1)


@dataclass(frozen=True, slots=True)
class Table:
    """Those who share what one parent has. One entry per seat, the last for its own pods."""

    seat: Seat
    """Where the parent itself sits."""
    depth: int
    names: tuple[str, ...]
    """Of the children, then of the parent."""
    quotas: tuple[Quota, ...]
    """The children."""
    mins: tuple[Resources, ...]
    """Effective min."""
    keeps: tuple[bool, ...]
    """Whether lending is off."""
    ceiling: Resources
    """The smallest max of the parent and all quotas above it; a missing key is unlimited."""
    inner: tuple[tuple[int, str], ...]
    """Place and name of the children that have a table themselves."""

    def same_figures(self, other: "Table") -> bool:
        """Whether shares at both tables come out the same for equal requests and totals."""
        return (
            self.names == other.names
            and self.quotas == other.quotas
            and self.mins == other.mins
            and self.keeps == other.keeps
            and self.ceiling == other.ceiling
            and self.inner == other.inner
        )


class Seats:
    """Where everybody sits at one moment."""

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self.root = tree.root
        self.guarantees_use = tree.guarantees_use
        root = forest.quotas[tree.root]
        self.root_keeps: Resources = EMPTY if root.allow_lent else forest.effective_min(root.name)
        """What the root asks for at least."""
        self.tables: dict[str, Table] = {}
        """By parent, the root's first, none before the one at which its parent sits."""
        self.seat_of: dict[str, Seat] = {}
        """Of every quota but the root."""
        self.entrance: dict[str, Seat] = {}
        """Where the request of a quota's own pods comes in; nowhere for a childless root."""
        for name in tree.order:
            children = tree.children[name]
            if children:
                self.tables[name] = self._table(name, children, tree, forest)
        self.depth = max((table.depth + 1 for table in self.tables.values()), default=0)

    def __contains__(self, name: str) -> bool:
        return name == self.root or name in self.seat_of

    def changed_from(self, before: "Seats") -> frozenset[str]:
        """The tables that are new or whose figures are not those of ``before``."""
        if (self.root, self.guarantees_use) != (before.root, before.guarantees_use):
            return frozenset(self.tables)
        return frozenset(
            parent
            for parent, table in self.tables.items()
            if parent not in before.tables or not table.same_figures(before.tables[parent])
        )

    def _table(self, parent: str, children: tuple[str, ...], tree: Tree, forest: Forest) -> Table:
        seat = self.seat_of.get(parent, NOWHERE)
        above = self.tables.get(seat.table)
        for place, child in enumerate(children):
            self.seat_of[child] = Seat(parent, place)
            if not tree.children[child]:
                self.entrance[child] = self.seat_of[child]
        self.entrance[parent] = Seat(parent, len(children))
        quotas = tuple([forest.quotas[child] for child in children])
        lends = [quota.allow_lent and not tree.guarantees_use for quota in quotas]
        ceiling: Resources = EMPTY
        if above is not None:
            ceiling = resources.minimum(above.ceiling, forest.quotas[parent].max)
        return Table(
            seat=seat,
            depth=0 if above is None else above.depth + 1,
            names=(*children, parent),
            quotas=quotas,
            mins=(*[forest.effective_min(child) for child in children], EMPTY),
            keeps=(*[not lent for lent in lends], False),
            ceiling=ceiling,
            inner=tuple([(i, c) for i, c in enumerate(children) if tree.children[c]]),
        )
