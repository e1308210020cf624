"""Slots: the position of every quota in the lists of numbers of the solvers.

The root has slot 0. The children of one quota form a *table*: consecutive slots, in the order of
names. The quota itself is the *head* of the table. The last slot of a table is for the pods that
are directly in the head; they share with its children like one more child without min and max. So
the pods of a quota without children have the slot of the quota. Those of a quota with children have
the last slot of its table.

Slots are numbered table by table, and tables level by level from the root down. So a value for all
quotas is one list. Each level and each table is a slice of it, and a head comes before its table.
All resources use the same slots.
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
"""The slot of the root, which is in no table."""
ROOT_TABLE: Final = 0
"""The table of the root's children, if it has any."""


_UNBOUNDED: Final = Quota(Key("", ""), "", "")
"""A quota without max and weight: for pods directly in a parent quota, and for the root."""


class SlotClaim(NamedTuple):
    """What the quota of one slot claims: its own fields and those that bound it from above."""

    quota: Quota
    min: Resources
    """Effective min."""
    keeps: bool
    """Whether lending is off."""
    ceiling: Resources
    """The smallest max of all quotas above it; a missing key is unlimited."""


Table = tuple[int, int, int, int]
"""The siblings below one head: table number, first slot, slot after the last, slot of the head.

Not a NamedTuple: every solve unpacks every table, and a plain tuple takes a third of the time.
"""


class IndexLevel(NamedTuple):
    """The slots and tables at one distance from the root."""

    first: int
    end: int
    tables: Sequence[Table]


class FormerSlots(NamedTuple):
    """Where the slots of an index were in the index before it."""

    was: list[int]
    """By slot, the slot that its quota, or the pods of its quota, had; -1 if there was none."""
    fresh: list[int]
    """Slots that had none, or another claim."""


class TreeIndex:
    """The slots of all quotas of one tree, and what each of them claims."""

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self.guarantees_use = tree.guarantees_use
        self.limits_by_max = tree.limits_by_max
        self.scales_min = tree.scales_min
        keeps = not forest.quotas[tree.root].allow_lent
        self.slot_of = {tree.root: ROOT}
        self.own_slot: dict[str, int] = {}
        """Quota name -> the slot of its own pods."""
        self.claims = [SlotClaim(_UNBOUNDED, forest.effective_min(tree.root), keeps, EMPTY)]
        """By slot."""
        self.owners = [tree.root]
        """By slot, the name of its quota; for a last slot, of the quota that its pods are in."""
        self.table_at = [-1]
        """By slot, the number of the table that it is in; -1 for the root."""
        self.tables: list[Table] = []
        self.table_of: dict[str, int] = {}
        """Name of the head -> number of its table; in the order of numbers."""
        self.inner: list[list[tuple[int, int]]] = []
        """By table: the slots in it that are heads, each with the number of its table."""
        self.level_of: list[int] = []
        """By table, its distance from the root."""
        for name in tree.order:
            self.own_slot[name] = self.slot_of[name]
            if tree.children[name]:
                self._add_table(name, tree, forest)
        self.levels = tuple(self._by_level())
        """The first level is the slot of the root."""

    def __contains__(self, name: str) -> bool:
        return name in self.slot_of

    def update_claims(self, names: Iterable[str], forest: Forest) -> set[int]:
        """Update the claims of quotas that keep their slots; the root must not be among them.

        Return the slots whose claim may have changed: theirs, and those below a changed max.
        """
        written: set[int] = set()
        for name in names:
            slot, quota = self.slot_of[name], forest.quotas[name]
            before = self.claims[slot]
            keeps = self.guarantees_use or not quota.allow_lent
            self.claims[slot] = SlotClaim(quota, forest.effective_min(name), keeps, before.ceiling)
            written.add(slot)
            if name in self.table_of and quota.max != before.quota.max:
                written.update(self._update_ceilings(self.table_of[name]))
        return written

    def former(self, before: "TreeIndex") -> FormerSlots:
        """Find the slots of ``before`` again."""
        slots, own_slots, claims = before.slot_of, before.own_slot, before.claims
        here = self.slot_of
        was = [
            (slots if here[name] == slot else own_slots).get(name, -1)
            for slot, name in enumerate(self.owners)
        ]
        fresh = [
            slot
            for slot, (old, claim) in enumerate(zip(was, self.claims, strict=True))
            if old < 0 or claims[old] != claim
        ]
        return FormerSlots(was, fresh)

    def by_slot(self, own: Mapping[str, Resources]) -> list[tuple[int, Resources]]:
        """Return amounts of own pods by the slot of these pods, from those by quota name."""
        return [(self.own_slot[name], amounts) for name, amounts in own.items()]

    def _add_table(self, parent: str, tree: Tree, forest: Forest) -> None:
        """Add a table for the children of ``parent``, which has its slot already."""
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
            least = quota.min if forest.accepted(child) else EMPTY
            self.claims.append(SlotClaim(quota, least, keeps, ceiling))
        self.own_slot[parent] = len(self.claims)
        self.owners.append(parent)
        self.claims.append(SlotClaim(_UNBOUNDED, EMPTY, False, ceiling))
        self.tables.append((table, first, len(self.claims), head))
        self.table_of[parent] = table
        self.table_at += [table] * (len(self.claims) - first)
        self.inner.append([])
        self.level_of.append(depth)

    def _update_ceilings(self, table: int) -> Iterator[int]:
        """Set the ceiling of all slots of a table and below it; yield these slots."""
        tables = [table]
        for each in tables:
            _, first, stop, head = self.tables[each]
            above = self.claims[head]
            ceiling = resources.minimum(above.ceiling, above.quota.max)
            for slot in range(first, stop):
                self.claims[slot] = self.claims[slot]._replace(ceiling=ceiling)
                yield slot
            tables.extend(below for _, below in self.inner[each])

    def _by_level(self) -> Iterator[IndexLevel]:
        yield IndexLevel(ROOT, ROOT + 1, ())
        for _, group in itertools.groupby(self.tables, lambda table: self.level_of[table[0]]):
            tables = tuple(group)
            yield IndexLevel(tables[0][1], tables[-1][2], tables)
