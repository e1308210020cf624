"""The solver computes the shares of one resource in a tree: requests go up, runtime comes down.

Up: a quota asks for what its own pods and its children ask for. Each child's request is cut by its
own max. Where lending is off, a quota asks for at least its min (K 2.3). Down: the root has what is
available, and every other quota gets its part of its parent's runtime by ``level.share``
(semantics 4).

A change goes up only as far as a limited request changes. It marks the tables that it may concern
as stale. ``settle`` shares again at the stale tables, from the top down, and goes below a quota
only where its runtime changed. So an event costs only what it changes, and the result equals that
of a new solver.

In a tree that guarantees use (K's guarantee gate), usage goes up as well: a quota is guaranteed the
larger of its min and its allocated amount, and lends nothing. Allocated is what its own pods use
plus what its children are guaranteed.

Two choices of Koordinator change the way down. In a tree that limits by max, every quota has its
max, as far as its parent has it, whatever others ask for. Where min is not scaled, guarantees
that do not fit stay whole, so that siblings may have more together than their parent; the parent's
own runtime still limits what they use.

Every value is a list with one entry per slot (``index``); the siblings of a table are a slice.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota.resources import Resources
from elasticquota.sharing import level
from elasticquota.sharing.claims import Claims
from elasticquota.sharing.figures import ResourceFigures
from elasticquota.sharing.index import ROOT, ROOT_TABLE, FormerSlots, Table, TreeIndex


BySlot = Iterable[tuple[int, Resources]]
"""Amounts of own pods by their slot; a slot that is missing has none."""


_MOST_LATE: Final = 64
"""The most changed requests that are taken by themselves; beyond that, all are copied."""
_Figures = tuple[list[int], list[int], list[int], list[int]]


class ResourceSolver(ResourceFigures):
    """The shares of one resource in one tree; mutable, ``settle`` before reading shares.

    All amounts are accounting units of the resource.
    """

    def __init__(
        self,
        key: str,
        index: TreeIndex,
        available: int,
        asked: BySlot,
        held: BySlot,
        before: "tuple[ResourceSolver, FormerSlots] | None" = None,
    ) -> None:
        """``before``: quotas changed, and what stayed equal is taken from that solver."""
        self._key = key
        self._index = index
        self._reusable = None if before is None else before[0]
        claims = None if before is None else (before[0].claims, before[1])
        self.claims: Claims = Claims(key, index, claims)
        self._caps, self._kept = self.claims.caps, self.claims.kept
        self._available, self._within_reach = available, 0
        self._weights = self.claims.capped_weights(available)
        self._floors = self._usages = self.claims.mins
        self._shares = [0] * len(index.claims)
        self._shares[ROOT] = available
        self._totals = [0] * len(index.tables)
        """By table, the total that was shared there last."""
        self.moved: set[int] = set()
        """Slots whose share changed; the reader empties it."""
        self.all_moved = True
        """Any share may have changed; the reader resets it."""
        self.stale = bytearray(len(index.tables))
        """By table, whether its shares must be computed again."""
        self._queues: list[list[Table]] = [[] for _ in index.levels]
        """By level, the stale tables."""
        self._taken: ResourceFigures | None = None
        """The figures of now; None: they have changed since they were taken."""
        self._lists_taken: dict[str, list[int]] = {}
        """Those of its lists that have not changed since."""
        self._late: dict[int, tuple[int, int]] = {}
        """By slot, request and limited request that have changed since."""
        self.set_requests(asked)
        self.set_usages(held)

    def differing(self, before: "ResourceSolver", was: Sequence[int]) -> list[int]:
        """Return the slots with another share than they had ``before``, or with none then."""
        shares, old = self._shares, before._shares  # noqa: SLF001 - another of this class
        return [slot for slot, place in enumerate(was) if place < 0 or shares[slot] != old[place]]

    def shares_below(self, head: str, total: int, figures: _Figures) -> list[int]:
        """Return the shares of ``total`` below ``head``; empty if they came from other figures."""
        table = self._index.table_of.get(head, -1)
        if table < 0 or self.stale[table] or self._totals[table] != total:
            return []
        _, first, stop, _ = self._index.tables[table]
        return self._shares[first:stop] if self._figures(first, stop) == figures else []

    def claim(self, slot: int, asked: int) -> None:
        """Follow a changed claim at ``slot``, which must not be the root's.

        ``asked`` is the request there, from own pods or from the table that it heads.
        """
        if not self.claims.follow(slot):
            return
        self._changes("floors")
        self._weights[slot] = self.claims.capped_weight(slot, self._shares[ROOT])
        self._mark_stale(self._index.table_at[slot])
        self.set_usage(slot, self._usages[slot])
        self._lo[slot] = min(self._hi[slot], self._floors[slot])
        self.set_request(slot, asked)

    def set_capacity(self, available: int, within_reach: int = 0) -> None:
        """Set what the tree can give, and up to ``within_reach`` for what is guaranteed."""
        self._available, self._within_reach = available, within_reach
        self._set_total(available)

    def _set_total(self, available: int) -> None:
        """Set the share of the root, which also caps the weights."""
        before, self._shares[ROOT] = self._shares[ROOT], available
        if available == before:
            return
        self._changes("shares")
        self.moved.add(ROOT)
        weights, self._weights = self._weights, self.claims.capped_weights(available)
        for table, first, end, head in self._index.tables:
            if head == ROOT or weights[first:end] != self._weights[first:end]:
                self._mark_stale(table)

    def set_requests(self, asked: BySlot) -> None:
        """Set what own pods ask for, for all slots."""
        requests, caps, kept = self._column(asked), self._caps, self._kept
        keeping, hi, sums = any(kept), requests.copy(), [0] * len(self.stale)
        for first, end, tables in reversed(self._index.levels):
            if keeping:
                requests[first:end] = _larger(requests[first:end], kept[first:end])
            hi[first:end] = _smaller(requests[first:end], caps[first:end])
            for table, start, stop, head in tables:
                sums[table] = requests[head] = sum(hi[start:stop])
        self._requests, self._hi, self._sums = requests, hi, sums
        self._lo = _smaller(hi, self._floors)
        self._late = {}
        self._changes("requests")
        self._mark_all_stale()

    def set_request(self, slot: int, request: int) -> None:
        """Set what the own pods at ``slot`` ask for.

        A share below the old and the new limited request does not change, nor does any other share
        of the table: only unmet demand changed, and its units come after the last one handed out.
        """
        self._taken = None
        late = self._late if self._lists_taken else None
        while True:
            self._requests[slot] = request = max(request, self._kept[slot])
            limited, before = min(request, self._caps[slot]), self._hi[slot]
            self._hi[slot] = limited
            if late is not None:
                late[slot] = (request, limited)
            table = self._index.table_at[slot]
            if limited == before or slot == ROOT:
                return
            guaranteed = min(self._floors[slot], limited)
            if guaranteed != self._lo[slot] or self._shares[slot] >= min(limited, before):
                self._lo[slot] = guaranteed
                self._mark_stale(table)
            self._sums[table] = request = self._sums[table] + limited - before
            _, _, _, slot = self._index.tables[table]

    def set_usages(self, held: BySlot) -> None:
        """Set what own pods use, for all slots; counts only in guarantee mode (semantics 4)."""
        if not self._index.guarantees_use:
            return
        usages, floors = self._column(held), self.claims.mins.copy()
        for first, end, tables in reversed(self._index.levels):
            floors[first:end] = _larger(floors[first:end], usages[first:end])
            for _, start, stop, head in tables:
                usages[head] = sum(floors[start:stop])
        self._usages, self._floors = usages, floors
        self._lo = _smaller(self._hi, floors)
        self._changes("floors")
        self._mark_all_stale()

    def set_usage(self, slot: int, usage: int) -> None:
        """Set what the own pods at ``slot`` use; counts as in ``set_usages``."""
        while self._index.guarantees_use:
            self._changes("floors")
            self._usages[slot] = usage
            floor, before = max(self.claims.mins[slot], usage), self._floors[slot]
            if floor == before or slot == ROOT:
                return
            self._floors[slot] = floor
            self._lo[slot] = min(self._hi[slot], floor)
            table = self._index.table_at[slot]
            self._mark_stale(table)
            _, _, _, slot = self._index.tables[table]
            usage = self._usages[slot] + floor - before

    def settle(self) -> None:  # noqa: C901, PLR0912 - one loop without calls: every solve runs it
        """Share again wherever a change may have moved a share."""
        self._reach_for_guarantees()
        shares, hi, lo, weights = self._shares, self._hi, self._lo, self._weights
        totals, stale, sums = self._totals, self.stale, self._sums
        inner, before = self._index.inner, self._reusable
        heads = tuple(self._index.table_of) if before else ()
        if self._lists_taken and any(self._queues):
            self._changes("shares")
        for queue in self._queues:
            for table, first, stop, head in queue:
                total = totals[table] = shares[head]
                were = shares[first:stop]
                stale[table] = False
                end = stop - 1
                if hi[end]:
                    end = stop
                else:  # Pods in the parent itself are rare; without them an only child is frequent.
                    shares[end] = 0
                if self._index.limits_by_max:
                    shares[first:stop] = [min(cap, total) for cap in self._caps[first:stop]]
                elif sums[table] <= total and all(weights[first:end]):
                    shares[first:end] = hi[first:end]
                elif not self._index.scales_min and sum(lo[first:end]) >= total:
                    shares[first:end] = lo[first:end]
                elif end - first == 1:
                    shares[first] = min(total, hi[first] if weights[first] else lo[first])
                elif before and (
                    reused := before.shares_below(heads[table], total, self._figures(first, stop))
                ):
                    shares[first:stop] = reused
                else:
                    shares[first:end] = level.share(
                        total,
                        lo[first:end],
                        hi[first:end],
                        weights[first:end],
                        self._floors[first:end],
                    )
                if not self.all_moved and shares[first:stop] != were:
                    self.moved.update(_changed(were, shares, first))
                for slot, below in inner[table]:
                    if not stale[below] and shares[slot] != totals[below]:
                        self._mark_stale(below)
            queue.clear()
        self._reusable = None

    def _reach_for_guarantees(self) -> None:
        """Raise the root's share to the guarantees that are asked for, as far as within reach."""
        if self._within_reach > self._available and self._index.tables:
            _, first, stop, _ = self._index.tables[ROOT_TABLE]
            guaranteed = min(self._within_reach, sum(self._lo[first:stop]))
            self._set_total(max(self._available, guaranteed))

    def taken(self) -> ResourceFigures:
        """Return the figures of now, which no later change shows in; ``settle`` before."""
        if self._taken is None:
            taken = self._lists_taken
            if "requests" not in taken or len(self._late) > _MOST_LATE:
                taken["requests"], taken["hi"] = self._requests.copy(), self._hi.copy()
                self._late = {}
            if "shares" not in taken:
                taken["shares"] = self._shares.copy()
            if "floors" not in taken:
                taken["floors"], taken["usages"] = self._floors.copy(), self._usages.copy()
            late, sums = self._late.copy(), self._sums.copy()
            self._taken = ResourceFigures(late=late, sums=sums, **taken)
        return self._taken

    def _changes(self, *lists: str) -> None:
        """Note that the figures differ from those that were taken, and these lists as a whole."""
        self._taken = None
        for each in lists:
            self._lists_taken.pop(each, None)

    def _figures(self, first: int, stop: int) -> _Figures:
        """Everything besides the total that decides the shares of a table."""
        return (
            self._lo[first:stop],
            self._hi[first:stop],
            self._weights[first:stop],
            self._floors[first:stop],
        )

    def _column(self, by_slot: BySlot) -> list[int]:
        column, key = [0] * len(self._shares), self._key
        for slot, amounts in by_slot:
            if (amount := amounts.get(key, 0)) > 0:
                column[slot] = amount
        return column

    def _mark_stale(self, table: int) -> None:
        if not self.stale[table]:
            self.stale[table] = True
            self._queues[self._index.level_of[table]].append(self._index.tables[table])

    def _mark_all_stale(self) -> None:
        self.all_moved = True
        self.stale = bytearray(b"\1" * len(self.stale))
        self._queues = [list(tables) for _, _, tables in self._index.levels]


def _smaller(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Entry by entry."""
    return [x if x < y else y for x, y in zip(a, b, strict=True)]  # noqa: FURB136 - half the time


def _larger(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x if x > y else y for x, y in zip(a, b, strict=True)]  # noqa: FURB136 - half the time


def _changed(were: Sequence[int], shares: Sequence[int], first: int) -> list[int]:
    """The slots from ``first`` on whose share changed."""
    return [slot for slot, before in enumerate(were, first) if shares[slot] != before]
