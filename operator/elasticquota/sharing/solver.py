"""One resource flows through a tree: demand up from the pods, runtime down from the root.

Up: a quota asks for what its own pods and its children ask for, each child cut by its own max, and
for no less than its min where lending is off (K 2.3). Down: the root has what is available, and
every other quota gets its part of its parent's runtime by ``level.share`` (semantics 4).

A change goes up only as far as a limited request changes, and spoils the tables it may concern;
``settle`` shares anew at those, from the top down, and goes below a quota only where its runtime
is another one. So an event costs what it changes, and what stands is what a new flow would give.

In a tree that guarantees use (K's guarantee gate) what runs goes up as well: a quota is guaranteed
the larger of its min and what its own pods use and its children are guaranteed, and lends nothing.

Every figure is a column, one entry per seat: what concerns everybody is a pass over a list, and
the siblings at a table are a slice of it.
"""

from collections.abc import Iterable, Sequence

from elasticquota.resources import Resources
from elasticquota.sharing import level, weight
from elasticquota.sharing.index import ROOT, ROOT_TABLE, Table, TreeIndex


Told = Iterable[tuple[int, Resources]]
"""Amounts of own pods by the seat where they come in; who is missing has none."""


_Figures = tuple[list[int], list[int], list[int], list[int]]


class ResourceSolver:
    """Mutable; amounts are accounting units of one resource. ``settle`` before reading shares."""

    def __init__(self, key: str, index: TreeIndex, available: int, asked: Told, held: Told) -> None:
        self._key = key
        self._index = index
        claims = index.claims
        self._mins = [max(0, claim.min.get(key, 0)) for claim in claims]
        self._kept = [
            low if claim.keeps else 0 for low, claim in zip(self._mins, claims, strict=True)
        ]
        """What they ask for at least."""
        self._caps = [max(0, claim.quota.max.get(key, weight.UNLIMITED)) for claim in claims]
        self._wishes = [weight.effective(claim.quota, key, claim.ceiling) for claim in claims]
        self._available, self._within_reach = available, 0
        self._weights = self._weighed(available)
        self._floors = self._holdings = self._mins
        self._shares = [0] * len(claims)
        self._shares[ROOT] = available
        self._totals = [0] * len(index.tables)
        """By table, what was shared there last."""
        self.moved: set[int] = set()
        """Seats whose share became another one; whoever reads this empties it."""
        self.all_moved = True
        """Likewise, when too much changed to say."""
        self.stale = bytearray(len(index.tables))
        """By table, whether the shares at it are to be made anew."""
        self._queues: list[list[Table]] = [[] for _ in index.levels]
        """By level, the stale tables."""
        self._before: ResourceSolver | None = None
        self.ask_all(asked)
        self.hold_all(held)

    def follow(self, before: "ResourceSolver") -> None:
        """Quotas changed: what was shared the same ``before`` is not shared anew."""
        self._before = before

    def given(self, head: str, total: int, figures: _Figures) -> list[int]:
        """The shares of ``total`` below ``head`` if they were made of these figures, or nothing."""
        table = self._index.table_of.get(head, -1)
        if table < 0 or self.stale[table] or self._totals[table] != total:
            return []
        _, first, stop, _ = self._index.tables[table]
        return self._shares[first:stop] if self._figures(first, stop) == figures else []

    def claim(self, slot: int, asked: int) -> None:
        """Something else may be claimed at ``slot``, which is not the root's.

        ``asked`` is what comes in there, from own pods or from the table that it heads.
        """
        claim, key = self._index.claims[slot], self._key
        low = max(0, claim.min.get(key, 0))
        kept = low if claim.keeps else 0
        cap = max(0, claim.quota.max.get(key, weight.UNLIMITED))
        effective = weight.effective(claim.quota, key, claim.ceiling)
        before = self._mins[slot], self._kept[slot], self._caps[slot], self._wishes[slot]
        if (low, kept, cap, effective) == before:
            return
        self._mins[slot], self._kept[slot], self._caps[slot] = low, kept, cap
        self._wishes[slot] = effective
        self._weights[slot] = (
            min(effective.amount, self._shares[ROOT]) if effective.capped else effective.amount
        )
        self._spoil(self._index.table_at[slot])
        self.hold(slot, self._holdings[slot])
        self._lo[slot] = min(self._hi[slot], self._floors[slot])
        self.ask(slot, asked)

    def offer(self, available: int, within_reach: int = 0) -> None:
        """The tree can give this much now, and up to ``within_reach`` for what is guaranteed."""
        self._available, self._within_reach = available, within_reach
        self._have(available)

    def _have(self, available: int) -> None:
        """The root has this much; weights are capped by it."""
        before, self._shares[ROOT] = self._shares[ROOT], available
        if available == before:
            return
        self.moved.add(ROOT)
        weights, self._weights = self._weights, self._weighed(available)
        for table, first, end, head in self._index.tables:
            if head == ROOT or weights[first:end] != self._weights[first:end]:
                self._spoil(table)

    def ask_all(self, asked: Told) -> None:
        """Everybody's own pods ask for something else now."""
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
        self._spoil_all()

    def ask(self, slot: int, request: int) -> None:
        """Own pods that come in at ``slot`` ask for this much now.

        A share below the old and the new limited request stays what it is, and so do all others at
        the table: only unmet demand moved, which is behind the last unit handed out.
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
                self._spoil(table)
            self._sums[table] = request = self._sums[table] + limited - before
            _, _, _, slot = self._index.tables[table]

    def hold_all(self, held: Told) -> None:
        """Everybody's own pods use something else now; counts only where use is guaranteed."""
        if not self._index.guarantees_use:
            return
        holdings, floors = self._column(held), self._mins.copy()
        for first, end, tables in reversed(self._index.levels):
            floors[first:end] = _larger(floors[first:end], holdings[first:end])
            for _, start, stop, head in tables:
                holdings[head] = sum(floors[start:stop])
        self._holdings, self._floors = holdings, floors
        self._lo = _smaller(self._hi, floors)
        self._spoil_all()

    def hold(self, slot: int, holding: int) -> None:
        """Own pods that come in at ``slot`` use this much now; counts as in ``hold_all``."""
        while self._index.guarantees_use:
            self._holdings[slot] = holding
            floor, before = max(self._mins[slot], holding), self._floors[slot]
            if floor == before or slot == ROOT:
                return
            self._floors[slot] = floor
            self._lo[slot] = min(self._hi[slot], floor)
            table = self._index.table_at[slot]
            self._spoil(table)
            _, _, _, slot = self._index.tables[table]
            holding = self._holdings[slot] + floor - before

    def settle(self) -> None:
        """Share anew wherever a change may have moved a share."""
        self._reach_for_guarantees()
        shares, hi, lo, weights = self._shares, self._hi, self._lo, self._weights
        totals, stale, sums = self._totals, self.stale, self._sums
        inner, before = self._index.inner, self._before
        heads = tuple(self._index.table_of) if before else ()
        for queue in self._queues:
            for table, first, stop, head in queue:
                total = totals[table] = shares[head]
                were = shares[first:stop]
                stale[table] = False
                end = stop - 1
                if hi[end]:
                    end = stop
                else:  # Pods in the parent itself are rare, and without them one is often alone.
                    shares[end] = 0
                if sums[table] <= total and all(weights[first:end]):
                    shares[first:end] = hi[first:end]
                elif end - first == 1:
                    shares[first] = min(total, hi[first] if weights[first] else lo[first])
                elif before and (
                    given := before.given(heads[table], total, self._figures(first, stop))
                ):
                    shares[first:stop] = given
                else:
                    shares[first:end] = level.share(
                        total,
                        lo[first:end],
                        hi[first:end],
                        weights[first:end],
                        self._floors[first:end],
                    )
                if not self.all_moved and shares[first:stop] != were:
                    self.moved.update(_unlike(were, shares, first))
                for slot, below in inner[table]:
                    if not stale[below] and shares[slot] != totals[below]:
                        self._spoil(below)
            queue.clear()
        self._before = None

    def _reach_for_guarantees(self) -> None:
        """The root has what is guaranteed to those who ask for it, as far as it is within reach."""
        if self._within_reach > self._available and self._index.tables:
            _, first, stop, _ = self._index.tables[ROOT_TABLE]
            guaranteed = min(self._within_reach, sum(self._lo[first:stop]))
            self._have(max(self._available, guaranteed))

    def share(self, slot: int) -> int:
        """The runtime of who has this seat."""
        return self._shares[slot]

    def request(self, slot: int) -> int:
        """What a quota asks for, before its own max cuts it."""
        return self._requests[slot]

    def asked(self, table: int) -> int:
        """What all at a table ask for together."""
        return self._sums[table]

    def limited(self, slot: int) -> int:
        """What of a quota's request goes up to its parent; the root is cut by nothing."""
        return self._hi[slot]

    def allocated(self, slot: int) -> int:
        """What a quota's own pods use and its children are guaranteed, where use is guaranteed."""
        return self._holdings[slot]

    def guaranteed(self, slot: int) -> int:
        """The floor on which a quota stands: min, or what runs where use is guaranteed."""
        return self._floors[slot]

    def _figures(self, first: int, stop: int) -> _Figures:
        """All that shares are made of, besides the total."""
        return (
            self._lo[first:stop],
            self._hi[first:stop],
            self._weights[first:stop],
            self._floors[first:stop],
        )

    def _column(self, told: Told) -> list[int]:
        column, key = [0] * len(self._shares), self._key
        for slot, amounts in told:
            if (amount := amounts.get(key, 0)) > 0:
                column[slot] = amount
        return column

    def _weighed(self, available: int) -> list[int]:
        return [
            amount if amount <= available or not capped else available
            for amount, capped in self._wishes
        ]

    def _spoil(self, table: int) -> None:
        """The shares at a table are no longer right."""
        if not self.stale[table]:
            self.stale[table] = True
            self._queues[self._index.level_of[table]].append(self._index.tables[table])

    def _spoil_all(self) -> None:
        self.all_moved = True
        self.stale = bytearray(b"\1" * len(self.stale))
        self._queues = [list(tables) for _, _, tables in self._index.levels]


def _smaller(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Entry by entry."""
    return [x if x < y else y for x, y in zip(a, b, strict=True)]  # noqa: FURB136 - half the time


def _larger(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x if x > y else y for x, y in zip(a, b, strict=True)]  # noqa: FURB136 - half the time


def _unlike(were: Sequence[int], shares: Sequence[int], first: int) -> list[int]:
    """The seats from ``first`` on whose share is not what it was."""
    return [slot for slot, before in enumerate(were, first) if shares[slot] != before]
