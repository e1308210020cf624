"""The usage node: what is booked at one place in a cycle: admitted, kept, and leaving."""

from elasticquota import resources, totals
from elasticquota.resources import Resources


class UsageNode:
    """What is booked at one place, accounting units; a resource without ``limit`` is unlimited."""

    __slots__ = ("admitted", "claimed", "kept", "later", "leaving", "limit")

    def __init__(self, limit: Resources, admitted: Resources) -> None:
        self.limit = limit
        self.admitted = dict(admitted)
        self.kept: dict[str, int] = {}
        self.leaving: dict[str, int] = {}
        self.claimed = dict(admitted)
        """Admitted and kept."""
        self.later = dict(admitted)
        """Claimed, once what is leaving is gone."""

    @property
    def taken(self) -> Resources:
        """What is not available now; kept room is first taken from what leaves."""
        if not self.kept:
            return self.admitted
        uncovered = resources.positive(resources.subtract(self.kept, self.leaving))
        return resources.add(self.admitted, uncovered)

    def lack(self, request: Resources, beside: Resources) -> dict[str, int]:
        """What ``request`` lacks of the limit when ``beside`` is taken already."""
        limit = self.limit
        short: dict[str, int] = {}
        for key, asked in request.items():
            if asked > 0 and key in limit:
                missing = beside.get(key, 0) + asked - limit[key]
                if missing > 0:
                    short[key] = missing
        return short

    def admit(self, amounts: Resources) -> None:
        """Book an admission."""
        totals.add(self.admitted, amounts)
        totals.add(self.claimed, amounts)
        totals.add(self.later, amounts)

    def keep(self, amounts: Resources) -> None:
        """Keep room for a workload that will fit."""
        totals.add(self.kept, amounts)
        totals.add(self.claimed, amounts)
        totals.add(self.later, amounts)

    def expect_removal(self, amounts: Resources) -> None:
        """Count a part of what is admitted as free later."""
        totals.add(self.leaving, amounts)
        totals.subtract(self.later, amounts)

    def cancel_removal(self, amounts: Resources) -> None:
        """Undo ``expect_removal``; pass the same amounts."""
        totals.subtract(self.leaving, amounts)
        totals.add(self.later, amounts)
