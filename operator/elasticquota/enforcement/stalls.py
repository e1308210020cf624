"""Stalls: lines in which nobody moves until something of their own quota changes.

A pod that finds no room in its own quota is refused whatever happens elsewhere: room only shrinks
in a round, and what its quota may use and holds is its own. So what such a line came to is kept,
and the next round looks only at the other lines. That is exact as long as nothing is done for those
who are blocked, which takes the fair order of all of them: a quota that holds too much (reclaim),
idle nodes that a blocked pod fits on, and less important pods of its quota (preemption) bring all
lines back.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import resources
from elasticquota.enforcement import reclaim
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Wait
from elasticquota.model.pod import Size
from elasticquota.resources import EMPTY, Resources


class Stall(NamedTuple):
    """What a line came to."""

    waits: tuple[Wait, ...] = ()
    sizes: frozenset[Size] = frozenset()
    """Of the pods that only lack room."""
    head_since: Mapping[str, int] = EMPTY
    """By uid of the pods that are, or were, at its head."""


class Stalls:
    """Mutable; of one tree. ``follow`` before a round, ``note`` after it."""

    def __init__(self) -> None:
        self.lines: dict[str, Stall] = {}
        """By quota."""
        self.moving: set[str] = set()
        """All other quotas of the tree."""
        self.over: dict[str, Resources] = {}
        """By quota, what its own pods hold beyond their runtime; only who holds too much."""
        self.head_since: dict[str, int] = {}
        """That of all these lines."""
        self.beyond: dict[tuple[str, bool], tuple[Wait, ...]] = {}
        """What ``observe`` found in quotas that hold too much, as long as they are as they are."""
        self._offer: Resources = EMPTY
        """What the nodes offer, also of what no quota shares. Between them and the quota no limit
        is closer than its own: nobody's runtime is larger than its parent's."""
        self._sizes: Counter[Size] = Counter()
        """How many lines have a pod of the size that only lacks room."""
        self._overdue: AbstractSet[str] = frozenset()

    def follow(
        self,
        books: Books,
        tree: TreeBooks,
        news: AbstractSet[str] | None,
        overdue: AbstractSet[str],
    ) -> None:
        """Bring back the lines that may come to something else now.

        ``news`` are the quotas of which anything changed, None for all; ``overdue`` are uids.
        """
        if news is None:
            self.move_all()
            self.over.clear()
            self.beyond.clear()
            self.moving = set(tree.tree.order)
            changed: Iterable[str] = tree.tree.order
        else:
            changed = [name for name in news if name in tree.tree.children]
        for name in changed:
            self.move(name)
            self._weigh(books, tree, name)
            for by_max in (False, True):
                self.beyond.pop((name, by_max), None)
        if tree.available != self._offer:
            self._offer = tree.available
            self.move_all()
        turned = overdue ^ self._overdue
        if turned:
            for name in [n for n, line in self.lines.items() if turned & line.head_since.keys()]:
                self.move(name)
        self._overdue = overdue

    def move(self, name: str) -> None:
        """The line of the quota is to be looked at again."""
        line = self.lines.pop(name, None)
        self.moving.add(name)
        if line is None:
            return
        for uid in line.head_since:
            del self.head_since[uid]
        for size in line.sizes:
            self._sizes[size] -= 1
            if not self._sizes[size]:
                del self._sizes[size]

    def move_all(self) -> None:
        """All lines are to be looked at again."""
        self.moving.update(self.lines)
        self.lines.clear()
        self.head_since.clear()
        self._sizes.clear()

    def stop(self, name: str, line: Stall) -> None:
        """Nobody moves in the line of the quota."""
        self.moving.discard(name)
        self.lines[name] = line
        self.head_since.update(line.head_since)
        self._sizes.update(line.sizes)

    def blocks(self, free: Mapping[str, int]) -> bool:
        """Whether a pod that is blocked here would fit in ``free``."""
        return any(resources.fits(dict(size), free) for size in self._sizes)

    def _weigh(self, books: Books, tree: TreeBooks, name: str) -> None:
        over = reclaim.over_use(books, tree, name) if name in books.accounts else EMPTY
        if over:
            self.over[name] = over
        else:
            self.over.pop(name, None)
