"""Room is what a tree can still admit: runtime less admitted at every quota, and the nodes' total.

A working copy for one round: each release and each victim is booked here at once, so a batch never
hands out the same unit twice. Runtime counts waiting pods as request, so it stays constant
meanwhile (algorithm 6).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from elasticquota import resources
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Shortage:
    """The first place on the way to the root that has not enough left."""

    where: Literal["own", "ancestor", "nodes"]
    quota: str
    keys: tuple[str, ...]
    limit: Resources
    left: Resources


class Room:
    """Mutable; one instance per tree and round."""

    def __init__(self, books: Books, tree: TreeBooks) -> None:
        self._forest = books.forest
        self._books = books
        self._tree = tree
        self._runtimes: dict[str, Resources] = {}
        self._admitted: dict[str, Resources] = dict(tree.admitted)
        self._own: dict[str, Resources] = {}
        self._shares: dict[str, Fraction] = {}
        """Dominant shares of quotas in which nothing was booked since."""

    def shortage(self, quota: str, request: Resources) -> Shortage | None:
        """Why ``request`` does not fit below the runtimes of the path and the nodes, or None."""
        for place, held, limit in self._limits(quota):
            after = resources.add(held, request)
            keys = tuple(
                key for key in resources.exceeding(after, limit) if request.get(key, 0) > 0
            )
            if keys:
                return Shortage(
                    self._kind(place, quota), place, keys, limit, resources.subtract(limit, held)
                )
        left = self.left_on_nodes()
        keys = resources.exceeding(request, left)
        return Shortage("nodes", self._tree.tree.root, keys, left, left) if keys else None

    def left_on_nodes(self) -> Resources:
        """What the tree's nodes could still hold; negative when over-committed.

        What they do not count, as a hand-written total need not, limits nobody.
        """
        limit = self._tree.available
        left = resources.subtract(limit, self._admitted[self._tree.tree.root])
        return resources.masked(left, limit.keys())

    def admitted(self, quota: str) -> Resources:
        return self._admitted[quota]

    def take(self, quota: str, request: Resources) -> None:
        """Book one admission on the whole path."""
        for name in self._forest.path(quota):
            self._admitted[name] = resources.add(self._admitted[name], request)
            self._shares.pop(name, None)
        self._own[quota] = resources.add(self._own_admitted(quota), request)

    def dominant_share(self, quota: str) -> Fraction:
        """The largest admitted/runtime over the resources: the lowest is served next."""
        found = self._shares.get(quota)
        if found is None:
            admitted, held, of = self._admitted[quota], 0, 1
            for key, most in self._runtime(quota).items():
                # held / of is the largest so far; compared crosswise, as fractions are slow.
                if most > 0 and admitted.get(key, 0) * of > held * most:
                    held, of = admitted.get(key, 0), most
            found = self._shares[quota] = Fraction(held, of)
        return found

    def _kind(self, place: str, quota: str) -> Literal["own", "ancestor", "nodes"]:
        """The root's runtime is what the nodes offer."""
        if place == quota:
            return "own"
        return "nodes" if place == self._tree.tree.root else "ancestor"

    def _limits(self, quota: str) -> list[tuple[str, Resources, Resources]]:
        """(quota, admitted, runtime) from the quota to the root; a parent's own pods come first."""
        places: list[tuple[str, Resources, Resources]] = [
            (name, self._admitted[name], self._runtime(name)) for name in self._forest.path(quota)
        ]
        if not self._forest.is_leaf(quota):
            own_runtime = self._tree.runtimes.own_runtime(quota)
            places.insert(0, (quota, self._own_admitted(quota), own_runtime))
        return places

    def _runtime(self, quota: str) -> Resources:
        if quota not in self._runtimes:
            self._runtimes[quota] = self._tree.runtimes.runtime(quota)
        return self._runtimes[quota]

    def _own_admitted(self, quota: str) -> Resources:
        """What the quota's own pods hold, without its children's."""
        return self._own.get(quota, self._books.account(quota).admitted)
