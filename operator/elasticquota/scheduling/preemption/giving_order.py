"""The giving order: which of the quotas below one gives first, kept while a cycle books victims.

The one that holds the largest part of its runtime gives first, then the first by name. A victim, or
room that is kept, moves few quotas; the others are not sorted again.
"""

import bisect
from collections.abc import Iterator

from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.scheduling.snapshot.dominant_shares import DominantShares


class GivingOrder:
    """Of the quotas below one, in one cycle; mutable."""

    def __init__(self, tree: TreeBooks, shares: DominantShares, quota: str) -> None:
        admitted = tree.admitted
        self._names = sorted(n for n in tree.tree.children.get(quota, ()) if admitted[n])
        """The children of ``quota`` that hold something."""
        self._shares = shares
        self._places = {name: -at for at, name in enumerate(self._names)}
        """Negative, so that of two with the same share the first by name is at the end."""
        self._ranks = {name: shares.held_rank(name) for name in self._names}
        self._order = sorted((self._ranks[name], self._places[name]) for name in self._names)
        self._seen = len(shares.moved)

    def now(self) -> Iterator[str]:
        """The children, as they are now."""
        moved, self._seen = self._shares.moved[self._seen :], len(self._shares.moved)
        concerned = [name for name in dict.fromkeys(moved) if name in self._places]
        if concerned:
            self._order = [*self._order]  # Who reads the former order goes on with it.
        for name in concerned:
            place = self._places[name]
            del self._order[bisect.bisect_left(self._order, (self._ranks[name], place))]
            rank = self._ranks[name] = self._shares.held_rank(name)
            bisect.insort(self._order, (rank, place))
        return (self._names[-place] for _, place in reversed(self._order))
