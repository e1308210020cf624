"""The giving order: which of the quotas below one gives first, kept while a cycle books victims.

The one that holds the largest part of its runtime gives first, then the first by name. A victim, or
room that is kept, moves few quotas; the others are not sorted again.
"""

import bisect
from collections.abc import Iterator

from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.scheduling.snapshot.dominant_shares import DominantShares


class GivingOrder:
    """Of one tree in one cycle; mutable."""

    def __init__(self, tree: TreeBooks, shares: DominantShares) -> None:
        self._tree = tree
        self._shares = shares
        self._found: dict[str, _Children] = {}

    def below(self, quota: str) -> Iterator[str]:
        """The children of ``quota`` that hold something, as they are now."""
        found = self._found.get(quota)
        if found is None:
            admitted = self._tree.admitted
            held = [n for n in self._tree.tree.children.get(quota, ()) if admitted[n]]
            found = self._found[quota] = _Children(sorted(held), self._shares)
        return found.in_order()


class _Children:
    """Those of one quota; ``names`` are sorted."""

    def __init__(self, names: list[str], shares: DominantShares) -> None:
        self._names = names
        self._shares = shares
        self._places = {name: -at for at, name in enumerate(names)}
        """Negative, so that of two with the same share the first by name is at the end."""
        self._ranks = {name: shares.held_rank(name) for name in names}
        self._order = sorted((self._ranks[name], self._places[name]) for name in names)
        self._seen = len(shares.moved)

    def in_order(self) -> Iterator[str]:
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
