"""The usage node: what is booked at one place in a cycle: admitted, kept, and leaving.

Within a min of a whole resource, its own or that of a quota above it, a place takes it in any pool:
the runtime of the pool does not limit it then, and its max does. And within a min of a pool the
runtime of the whole resource does not limit what is taken there.
"""

from typing import NamedTuple

from elasticquota import resources, totals
from elasticquota.model import pools
from elasticquota.resources import Resources


class _Sums(NamedTuple):
    """Those of a node that change; most nodes of a cycle are only read."""

    admitted: dict[str, int]
    claimed: dict[str, int]
    later: dict[str, int]
    kept: dict[str, int]
    leaving: dict[str, int]


class UsageNode:
    """What is booked at one place, accounting units; a resource without ``limit`` is unlimited."""

    __slots__ = ("_own", "above", "limit", "max", "min", *_Sums._fields)

    def __init__(self, limit: Resources, admitted: Resources) -> None:
        self.limit = limit
        self.min: Resources = resources.EMPTY
        """Where it has pools, the min of what is counted by pool: of the whole and of pools."""
        self.max: Resources = resources.EMPTY
        """With ``min``: the limit that holds in any case."""
        self.above: UsageNode | None = None
        """Where it has pools: the next place on the way to the root, without the root."""
        self.admitted = self.claimed = self.later = admitted
        """Claimed: admitted and kept. Later: claimed, once what is leaving is gone."""
        self.kept = self.leaving = resources.EMPTY
        self._own: _Sums | None = None

    def _sums(self) -> _Sums:
        if self._own is None:
            found = self.admitted
            self._own = _Sums(dict(found), dict(found), dict(found), {}, {})
            self.admitted, self.claimed, self.later, self.kept, self.leaving = self._own
        return self._own

    @property
    def staying(self) -> dict[str, int]:
        """Admitted, without what leaves."""
        return resources.subtract(self.admitted, self.leaving)

    def held(self, key: str) -> int:
        """The same of one resource."""
        return self.admitted.get(key, 0) - self.leaving.get(key, 0)

    @property
    def taken(self) -> Resources:
        """What is not available now; kept room is first taken from what leaves."""
        if not self.kept:
            return self.admitted
        uncovered = resources.positive(resources.subtract(self.kept, self.leaving))
        return resources.add(self.admitted, uncovered)

    def lack(
        self, request: Resources, beside: Resources, limit: Resources | None = None
    ) -> dict[str, int]:
        """What ``request`` lacks of ``limit``, or its own, when ``beside`` is taken already."""
        own, limit = limit is None, self.limit if limit is None else limit
        short: dict[str, int] = {}
        for key, asked in request.items():
            if asked > 0 and key in limit:
                missing = beside.get(key, 0) + asked - limit[key]
                if missing > 0:
                    short[key] = missing
        by_pool = own and (self.min or self.above is not None)
        return self._beyond_min(short, request, beside) if short and by_pool else short

    def has_min(self, key: str, asked: int, beside: Resources) -> bool:
        """Whether a min of the resource, here or above, covers what is ``asked`` beside."""
        if beside.get(key, 0) + asked <= self.min.get(key, 0):
            return True
        above = self.above
        return above is not None and above.has_min(key, asked, above.claimed)

    def _beyond_min(
        self, short: dict[str, int], request: Resources, beside: Resources
    ) -> dict[str, int]:
        """What is still ``short`` where a min of the whole counts in each pool, and one of it here.

        ``pools.counterpart`` says which is the other one.
        """
        still_short: dict[str, int] = {}
        for key, missing in short.items():
            other = pools.counterpart(request, key)
            asked = request.get(other, 0)
            if not (asked and self.has_min(other, asked, beside)):
                still_short[key] = missing
            elif key in self.max and beside.get(key, 0) + request[key] > self.max[key]:
                still_short[key] = beside.get(key, 0) + request[key] - self.max[key]
        return still_short

    def reads_above(self, request: Resources) -> bool:
        """Whether what ``request`` lacks here depends on what is booked above."""
        above = self.above
        return above is not None and (
            any(request.get(key, 0) > 0 for key in above.min) or above.reads_above(request)
        )

    def book(self, amounts: Resources, *, kept: bool = False) -> None:
        """Book an admission, or room that is ``kept`` for a workload that will fit."""
        own = self._sums()
        totals.add(own.kept if kept else own.admitted, amounts)
        totals.add(own.claimed, amounts)
        totals.add(own.later, amounts)

    def expect_removal(self, amounts: Resources, *, undo: bool = False) -> None:
        """Count a part of what is admitted as free later; ``undo``: no longer."""
        own = self._sums()
        add, subtract = (totals.subtract, totals.add) if undo else (totals.add, totals.subtract)
        add(own.leaving, amounts)
        subtract(own.later, amounts)

    def leave_late(self, amounts: Resources, *, undo: bool = False) -> None:
        """Count what was not admitted here as admitted, and as leaving; ``undo``: no longer."""
        own = self._sums()
        change = totals.subtract if undo else totals.add
        change(own.admitted, amounts)
        change(own.leaving, amounts)
