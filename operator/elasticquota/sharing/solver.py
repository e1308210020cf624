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

Every value is a list with one entry per slot (``index``); the siblings of a table are a slice.
"""

from collections.abc import Sequence

from elasticquota.resources import Resources
from elasticquota.sharing import level, weight
from elasticquota.sharing.index import ROOT, ROOT_TABLE, Claim, Table, TreeIndex


BySlot = Sequence[tuple[int, Resources]]
"""Amounts of own pods by their slot; a slot that is missing has none."""


_Figures = tuple[list[int], list[int], list[int], list[int]]
_Claimed = tuple[list[int], list[int], list[int], list[weight.EffectiveWeight]]
"""Min, what lending leaves of it, max and uncapped weight, by slot."""


class ResourceSolver:
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
        before: "ResourceSolver | None" = None,
    ) -> None:
        """``before``: the solver of the resource in the index that ``index.kept`` is about."""
        self._key = key
        self._index = index
        claims = index.claims
        self._mins: list[int] = []
        self._kept: list[int] = []
        """By slot, the least that a quota asks for: its min where lending is off."""
        self._caps: list[int] = []
        self._uncapped: list[weight.EffectiveWeight] = []
        if before is not None:
            for first, end, was in index.runs():
                self._read(claims[len(self._mins) : first])
                mins, kept, caps, uncapped = before.claimed(was, was + end - first)
                self._mins += mins
                self._kept += kept
                self._caps += caps
                self._uncapped += uncapped
        self._read(claims[len(self._mins) :])
        self._available, self._within_reach = available, 0
        self._weights = self._capped_weights(available)
        self._floors = self._usages = self._mins
        self._shares = [0] * len(claims)
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
        self._reusable: ResourceSolver | None = None
        self.set_requests(asked)
        self.set_usages(held)

    def _read(self, claims: Sequence[Claim]) -> None:
        """Append what the claims of the next slots say."""
        key = self._key
        mins = [max(0, claim.min.get(key, 0)) for claim in claims]
        self._mins += mins
        self._kept += [low if claim.keeps else 0 for low, claim in zip(mins, claims, strict=True)]
        self._caps += [max(0, claim.quota.max.get(key, weight.UNLIMITED)) for claim in claims]
        self._uncapped += [weight.effective(claim.quota, key, claim.ceiling) for claim in claims]

    def claimed(self, first: int, end: int) -> _Claimed:
        """What the claims of these slots say: reading them is most of the time of a new solver."""
        return (
            self._mins[first:end],
            self._kept[first:end],
            self._caps[first:end],
            self._uncapped[first:end],
        )

    def follow(self, before: "ResourceSolver") -> None:
        """Quotas changed: reuse the shares of ``before`` where total and figures are the same."""
        self._reusable = before

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
        claim, key = self._index.claims[slot], self._key
        low = max(0, claim.min.get(key, 0))
        kept = low if claim.keeps else 0
        cap = max(0, claim.quota.max.get(key, weight.UNLIMITED))
        effective = weight.effective(claim.quota, key, claim.ceiling)
        before = self._mins[slot], self._kept[slot], self._caps[slot], self._uncapped[slot]
        if (low, kept, cap, effective) == before:
            return
        self._mins[slot], self._kept[slot], self._caps[slot] = low, kept, cap
        self._uncapped[slot] = effective
        self._weights[slot] = (
            min(effective.amount, self._shares[ROOT]) if effective.capped else effective.amount
        )
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
        self.moved.add(ROOT)
        weights, self._weights = self._weights, self._capped_weights(available)
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
        self._mark_all_stale()

    def set_request(self, slot: int, request: int) -> None:
        """Set what the own pods at ``slot`` ask for.

        A share below the old and the new limited request does not change, nor does any other share
        of the table: only unmet demand changed, and its units come after the last one handed out.
        """
        while True:
            self._requests[slot] = request = max(request, self._kept[slot])
            limited, before = min(request, self._caps[slot]), self._hi[slot]
            self._hi[slot] = limited
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
        usages, floors = self._column(held), self._mins.copy()
        for first, end, tables in reversed(self._index.levels):
            floors[first:end] = _larger(floors[first:end], usages[first:end])
            for _, start, stop, head in tables:
                usages[head] = sum(floors[start:stop])
        self._usages, self._floors = usages, floors
        self._lo = _smaller(self._hi, floors)
        self._mark_all_stale()

    def set_usage(self, slot: int, usage: int) -> None:
        """Set what the own pods at ``slot`` use; counts as in ``set_usages``."""
        while self._index.guarantees_use:
            self._usages[slot] = usage
            floor, before = max(self._mins[slot], usage), self._floors[slot]
            if floor == before or slot == ROOT:
                return
            self._floors[slot] = floor
            self._lo[slot] = min(self._hi[slot], floor)
            table = self._index.table_at[slot]
            self._mark_stale(table)
            _, _, _, slot = self._index.tables[table]
            usage = self._usages[slot] + floor - before

    def settle(self) -> None:
        """Share again wherever a change may have moved a share."""
        self._reach_for_guarantees()
        shares, hi, lo, weights = self._shares, self._hi, self._lo, self._weights
        totals, stale, sums = self._totals, self.stale, self._sums
        inner, before = self._index.inner, self._reusable
        heads = tuple(self._index.table_of) if before else ()
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
                if sums[table] <= total and all(weights[first:end]):
                    shares[first:end] = hi[first:end]
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

    def share(self, slot: int) -> int:
        """Return the runtime at this slot."""
        return self._shares[slot]

    def shares(self, first: int, end: int) -> list[int]:
        """Return the runtimes at these slots."""
        return self._shares[first:end]

    def request(self, slot: int) -> int:
        """Return what a quota asks for, before its own max cuts it."""
        return self._requests[slot]

    def asked(self, table: int) -> int:
        """Return the sum of the limited requests of a table."""
        return self._sums[table]

    def limited(self, slot: int) -> int:
        """Return the part of a quota's request that goes up to its parent; the root has no max."""
        return self._hi[slot]

    def allocated(self, slot: int) -> int:
        """Return what own pods use plus what children are guaranteed; only in guarantee mode."""
        return self._usages[slot]

    def guaranteed(self, slot: int) -> int:
        """Return the guarantee: min, or in guarantee mode the larger of min and allocated."""
        return self._floors[slot]

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

    def _capped_weights(self, available: int) -> list[int]:
        return [
            amount if amount <= available or not capped else available
            for amount, capped in self._uncapped
        ]

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
