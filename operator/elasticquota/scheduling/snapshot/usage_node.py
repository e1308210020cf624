"""The usage node: what is booked at one place in a cycle: admitted, kept, and leaving.

Within a min of a whole resource, its own or that of a quota above it, a place takes it in any pool:
the runtime of the pool does not limit it then, and its max does. And within a min of a pool the
runtime of the whole resource does not limit what is taken there.
"""

from elasticquota import pool_keys, resources, totals
from elasticquota.model import pools
from elasticquota.resources import Resources


class UsageNode:
    """What is booked at one place, accounting units; a resource without ``limit`` is unlimited."""

    __slots__ = (
        "above",
        "admitted",
        "claimed",
        "kept",
        "later",
        "leaving",
        "limit",
        "max",
        "min",
    )

    def __init__(self, limit: Resources, admitted: Resources) -> None:
        self.limit = limit
        self.min: Resources = resources.EMPTY
        """Where it has pools, the min of what is counted by pool: of the whole and of pools."""
        self.max: Resources = resources.EMPTY
        """With ``min``: the limit that holds in any case."""
        self.above: UsageNode | None = None
        """Where it has pools: the next place on the way to the root, without the root."""
        self.admitted = dict(admitted)
        self.kept: dict[str, int] = {}
        self.leaving: dict[str, int] = {}
        self.claimed = dict(admitted)
        """Admitted and kept."""
        self.later = dict(admitted)
        """Claimed, once what is leaving is gone."""

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

        The other one is the whole resource for that of a pool, and that of the pool for the whole.
        """
        found: dict[str, int] = {}
        for key, missing in short.items():
            other = pool_keys.resource(key)
            if other == key:
                other = pool_keys.key(pools.named(request), key)
            asked = request.get(other, 0)
            if not (asked and self.has_min(other, asked, beside)):
                found[key] = missing
            elif key in self.max and beside.get(key, 0) + request[key] > self.max[key]:
                found[key] = beside.get(key, 0) + request[key] - self.max[key]
        return found

    def reads_above(self, request: Resources) -> bool:
        """Whether what ``request`` lacks here depends on what is booked above."""
        above = self.above
        return above is not None and (
            any(request.get(key, 0) > 0 for key in above.min) or above.reads_above(request)
        )

    def book(self, amounts: Resources, *, kept: bool = False) -> None:
        """Book an admission, or room that is ``kept`` for a workload that will fit."""
        totals.add(self.kept if kept else self.admitted, amounts)
        totals.add(self.claimed, amounts)
        totals.add(self.later, amounts)

    def expect_removal(self, amounts: Resources, *, undo: bool = False) -> None:
        """Count a part of what is admitted as free later; ``undo``: no longer."""
        add, subtract = (totals.subtract, totals.add) if undo else (totals.add, totals.subtract)
        add(self.leaving, amounts)
        subtract(self.later, amounts)

    def leave_late(self, amounts: Resources, *, undo: bool = False) -> None:
        """Count what was not admitted here as admitted, and as leaving; ``undo``: no longer."""
        change = totals.subtract if undo else totals.add
        change(self.admitted, amounts)
        change(self.leaving, amounts)
