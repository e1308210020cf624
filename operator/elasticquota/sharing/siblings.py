"""Siblings: the children of one parent with their figures of one resource, and how they share it.

Kept as columns, one entry per child in the order of names; the last entry stands for the pods that
sit in the parent itself, which share with its children as one more child would, without min or max.
All amounts are accounting units, none negative.
"""

from collections.abc import Sequence

from elasticquota.sharing import level
from elasticquota.sharing.weight import Wish


class Siblings:
    """Mutable. ``shares`` are those of ``total`` unless ``stale``; who becomes stale queues up."""

    __slots__ = (
        "_most_capped",
        "caps",
        "floors",
        "hi",
        "hi_sum",
        "keeps",
        "lo",
        "mins",
        "queue",
        "requests",
        "shares",
        "stale",
        "table",
        "total",
        "weights",
        "wishes",
    )

    def __init__(
        self,
        table: str,
        mins: list[int],
        caps: list[int],
        wishes: list[Wish],
        keeps: Sequence[bool],
        requests: Sequence[int],
        holdings: Sequence[int],
    ) -> None:
        """``caps`` are the max of the children, ``keeps`` says where lending is off, ``holdings``
        what is guaranteed beside min because it runs (zeros unless the tree guarantees use).
        """
        self.table = table
        self.queue: list[Siblings] = []
        self.mins = mins
        self.caps = caps
        self.wishes = wishes
        self.keeps = keeps
        self.floors = list(map(max, mins, holdings))
        self.weights = [amount for amount, _ in wishes]
        self._most_capped = max([amount for amount, capped in wishes if capped], default=0)
        self.total = 0
        self.shares = [0] * len(mins)
        self.stale = True
        self.ask_all(requests)

    def weigh(self, available: int, before: int) -> None:
        """What the tree can give has changed, and weights are capped by that."""
        if self._most_capped <= available and self._most_capped <= before:
            return
        self.weights = [
            min(amount, available) if capped else amount for amount, capped in self.wishes
        ]
        self.spoil()

    def refill(self, total: int) -> None:
        """There is this much to share now."""
        if total != self.total:
            self.total = total
            self.spoil()

    def ask_all(self, requests: Sequence[int]) -> None:
        """All of them ask for this much now."""
        self.requests = list(requests)
        if any(self.keeps):
            self.requests = [
                max(asked, low) if keep else asked
                for asked, low, keep in zip(requests, self.mins, self.keeps, strict=True)
            ]
        self.hi = list(map(min, self.requests, self.caps))
        self.hi_sum = sum(self.hi)
        self.lo = list(map(min, self.hi, self.floors))
        self.spoil()

    def ask(self, place: int, request: int) -> bool:
        """A child asks for this much now. Whether its limited request changed by that.

        A share below the old and the new limited request stays what it is, and so do all others:
        only unmet demand moved, which is behind the last unit handed out.
        """
        if self.keeps[place] and request < self.mins[place]:
            request = self.mins[place]
        self.requests[place] = request
        cap = self.caps[place]
        limited = min(cap, request)
        before = self.hi[place]
        if limited == before:
            return False
        self.hi[place] = limited
        self.hi_sum += limited - before
        floor = self.floors[place]
        guaranteed = min(floor, limited)
        if guaranteed != self.lo[place]:
            self.lo[place] = guaranteed
            self.spoil()
        elif self.shares[place] >= min(limited, before):
            self.spoil()
        return True

    def hold(self, place: int, holding: int) -> bool:
        """So much of a child's use is guaranteed now. Whether its floor changed by that."""
        floor = max(self.mins[place], holding)
        if floor == self.floors[place]:
            return False
        self.floors[place] = floor
        self.lo[place] = min(self.hi[place], floor)
        self.spoil()
        return True

    def spoil(self) -> None:
        """The shares are no longer right."""
        if not self.stale:
            self.stale = True
            self.queue.append(self)

    def divide(self) -> list[int]:
        """Share ``total`` anew."""
        most = max(self.hi)
        if self.hi_sum <= self.total and all(self.weights):
            self.shares = self.hi.copy()
        elif self.hi_sum == most:
            self._give_all_to(self.hi.index(most))
        else:
            self.shares = level.share(self.total, self.lo, self.hi, self.weights, self.floors)
        self.stale = False
        return self.shares

    def _give_all_to(self, place: int) -> None:
        """Nobody else asks for anything, as in a chain of only children."""
        most = self.hi[place] if self.weights[place] else self.lo[place]
        self.shares = [0] * len(self.hi)
        self.shares[place] = min(self.total, most)
