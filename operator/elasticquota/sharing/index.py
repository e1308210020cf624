"""Seats: every quota of a tree has a number, the same for the flows of all resources.

The root has the first seat. A quota with children has a table, where its children sit in the order
of names; the last seat at it is for the pods that sit in the quota itself, which share with its
children as one more child would, without min or max. So pods come in at the seat of a childless
quota, or at the last seat of a quota's own table.

Seats are numbered table by table and tables level by level, away from the root. So a figure of
everybody is one list, in which a level and a table are slices, and heads come before their tables.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from elasticquota import resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources


ROOT: Final = 0
"""The seat of the root, which sits at no table."""
ROOT_TABLE: Final = 0
"""That of its children, if it has any."""


_UNWRITTEN: Final = Quota(Key("", ""), "", "")
"""Stands for whom no max and no weight bounds: the pods in a parent itself, and the root."""


class Claim(NamedTuple):
    """What is written of who has a seat."""

    quota: Quota
    min: Resources
    """Effective min."""
    keeps: bool
    """Whether lending is off."""
    ceiling: Resources
    """The smallest max of all quotas above it; a missing key is unlimited."""


Table = tuple[int, int, int, int]
"""Those who share what one parent has: number, first seat, the seat after the last, the head's.

The head is the parent itself. No NamedTuple: this is taken apart for every table in every solve,
and that takes a third of the time this way.
"""


class Level(NamedTuple):
    """Those at one distance from the root: their seats and tables."""

    first: int
    end: int
    tables: Sequence[Table]


class TreeIndex:
    """Where everybody sits at one moment."""

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self.guarantees_use = tree.guarantees_use
        keeps = not forest.quotas[tree.root].allow_lent
        self.slot_of = {tree.root: ROOT}
        self.entrance: dict[str, int] = {}
        """Where the request of a quota's own pods comes in."""
        self.claims = [Claim(_UNWRITTEN, forest.effective_min(tree.root), keeps, EMPTY)]
        """By seat."""
        self.owners = [tree.root]
        """By seat, whose pods or children it is about."""
        self.table_at = [-1]
        """By seat; the root sits at none."""
        self.tables: list[Table] = []
        self.table_of: dict[str, int] = {}
        """By the name of its head, the number of a table; in the order of numbers."""
        self.inner: list[list[tuple[int, int]]] = []
        """By table, the seats of those who head another, and the number of that."""
        self.level_of: list[int] = []
        """By table, how far it is from the root."""
        for name in tree.order:
            self.entrance[name] = self.slot_of[name]
            if tree.children[name]:
                self._lay(name, tree, forest)
        self.levels = tuple(self._by_level())
        """The root's own seat is the first level."""

    def __contains__(self, name: str) -> bool:
        return name in self.slot_of

    def update_claims(self, names: Iterable[str], forest: Forest) -> set[int]:
        """Write what quotas claim that sit where they sat, and none of which is the root.

        Return the seats whose claim may be another: theirs, and those below another max.
        """
        written: set[int] = set()
        for name in names:
            slot, quota = self.slot_of[name], forest.quotas[name]
            before = self.claims[slot]
            keeps = self.guarantees_use or not quota.allow_lent
            self.claims[slot] = Claim(quota, forest.effective_min(name), keeps, before.ceiling)
            written.add(slot)
            if name in self.table_of and quota.max != before.quota.max:
                written.update(self._cover_anew(self.table_of[name]))
        return written

    def told(self, own: Mapping[str, Resources]) -> list[tuple[int, Resources]]:
        """Amounts of own pods by the seat where they come in."""
        return [(self.entrance[name], amounts) for name, amounts in own.items()]

    def _lay(self, parent: str, tree: Tree, forest: Forest) -> None:
        """A table for the children of ``parent``, who sits already."""
        table, head, first = len(self.tables), self.slot_of[parent], len(self.claims)
        ceiling, depth = EMPTY, 1
        if head != ROOT:
            above = self.table_at[head]
            ceiling = resources.minimum(self.claims[head].ceiling, forest.quotas[parent].max)
            depth = self.level_of[above] + 1
            self.inner[above].append((head, table))
        for slot, child in enumerate(tree.children[parent], first):
            quota = forest.quotas[child]
            keeps = tree.guarantees_use or not quota.allow_lent
            self.slot_of[child] = slot
            self.owners.append(child)
            self.claims.append(Claim(quota, forest.effective_min(child), keeps, ceiling))
        self.entrance[parent] = len(self.claims)
        self.owners.append(parent)
        self.claims.append(Claim(_UNWRITTEN, EMPTY, False, ceiling))
        self.tables.append((table, first, len(self.claims), head))
        self.table_of[parent] = table
        self.table_at += [table] * (len(self.claims) - first)
        self.inner.append([])
        self.level_of.append(depth)

    def _cover_anew(self, table: int) -> Iterator[int]:
        """All who sit at a table or below have another ceiling."""
        tables = [table]
        for each in tables:
            _, first, stop, head = self.tables[each]
            above = self.claims[head]
            ceiling = resources.minimum(above.ceiling, above.quota.max)
            for slot in range(first, stop):
                self.claims[slot] = self.claims[slot]._replace(ceiling=ceiling)
                yield slot
            tables.extend(below for _, below in self.inner[each])

    def _by_level(self) -> Iterator[Level]:
        yield Level(ROOT, ROOT + 1, ())
        for _, group in itertools.groupby(self.tables, lambda table: self.level_of[table[0]]):
            tables = tuple(group)
            yield Level(tables[0][1], tables[-1][2], tables)
