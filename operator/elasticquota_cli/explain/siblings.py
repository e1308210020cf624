"""Siblings share what their parent has: the table of one level (``sharing.level``).

``guaranteed`` is the floor, what a quota asks for of its min; ``asked`` the rim, its limited
request; what is left after the floors is shared by weight. Lent is the part of min that nobody
asks for; borrowed is runtime above min.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from elasticquota import resources
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.resources import EMPTY
from elasticquota.sharing import weight
from elasticquota_cli.explain.moment import Moment


@dataclass(frozen=True, slots=True)
class Share:
    quota: str
    min: int
    floor: int
    """What it is guaranteed, asked for or not: min, or what runs where use is guaranteed."""
    asked: int
    weight: int
    runtime: int
    itself: bool = False
    """The pods that sit in the parent itself, as one more child."""

    @property
    def guaranteed(self) -> int:
        return min(self.floor, self.asked)

    @property
    def borrowed(self) -> int:
        return max(0, self.runtime - self.floor)

    @property
    def lent(self) -> int:
        return max(0, self.min - self.asked)


@dataclass(frozen=True, slots=True)
class Level:
    parent: str
    key: str
    runtime: int
    shares: tuple[Share, ...]

    @property
    def guaranteed(self) -> int:
        return sum(share.guaranteed for share in self.shares)


def levels(moment: Moment, quota: str, keys: list[str]) -> Iterator[Level]:
    """From the root down to the level where ``quota`` stands, for each resource."""
    forest = moment.books.forest
    tree = moment.books.trees[forest.tree_of[quota]]
    for parent, _ in pairwise(reversed(forest.path(quota))):
        for key in keys:
            shares = tuple(_shares(moment, tree, parent, key))
            yield Level(parent, key, tree.runtimes.runtime(parent)[key], shares)


def _shares(moment: Moment, tree: TreeBooks, parent: str, key: str) -> Iterator[Share]:
    forest, runtimes = moment.books.forest, tree.runtimes
    ceiling = EMPTY
    for above in forest.path(parent)[:-1]:
        ceiling = resources.minimum(ceiling, forest.quotas[above].max)
    most = tree.runtimes.runtime(tree.tree.root).get(key, 0)
    for child in tree.tree.children[parent]:
        effective = weight.effective(forest.quotas[child], key, ceiling)
        yield Share(
            quota=child,
            min=max(0, forest.effective_min(child).get(key, 0)),
            floor=runtimes.guaranteed(child).get(key, 0),
            asked=runtimes.limited_request(child).get(key, 0),
            weight=min(effective.amount, most) if effective.capped else effective.amount,
            runtime=runtimes.runtime(child)[key],
        )
    own = moment.books.account(parent)
    asked = max(0, own.request(accepted=forest.accepted(parent)).get(key, 0))
    if asked:
        yield Share(
            quota=parent,
            min=0,
            floor=own.used.get(key, 0) if tree.tree.guarantees_use else 0,
            asked=asked,
            weight=min(max(0, ceiling.get(key, most)), most),
            runtime=runtimes.own_runtime(parent)[key],
            itself=True,
        )
