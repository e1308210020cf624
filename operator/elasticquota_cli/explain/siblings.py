"""The table of one level, in which siblings share their parent's runtime (``sharing.level``).

``guaranteed`` is the floor, the part of min that a quota asks for; ``asked`` is the upper limit,
its limited request. What is left after the floors is shared by weight. Lent is the unused part of
min; borrowed is runtime above min.
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
    """One row of the table; amounts in accounting units."""

    quota: str
    min: int
    floor: int
    """Its guarantee, used or not: min, or running pods if the tree guarantees use."""
    asked: int
    weight: int
    runtime: int
    itself: bool = False
    """Whether it stands for the parent's own pods, which share like one more child."""

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
    """The table of one parent and one resource."""

    parent: str
    key: str
    runtime: int
    shares: tuple[Share, ...]

    @property
    def guaranteed(self) -> int:
        return sum(share.guaranteed for share in self.shares)


def levels(moment: Moment, quota: str, keys: list[str]) -> Iterator[Level]:
    """The levels from the root down to the siblings of ``quota``, for each resource."""
    forest = moment.cluster.forest
    tree = moment.cluster.trees[forest.tree_of[quota]]
    for parent, _ in pairwise(reversed(forest.path(quota))):
        for key in keys:
            shares = tuple(_shares(moment, tree, parent, key))
            yield Level(parent, key, tree.runtimes.runtime(parent)[key], shares)


def _shares(moment: Moment, tree: TreeBooks, parent: str, key: str) -> Iterator[Share]:
    forest, runtimes = moment.cluster.forest, tree.runtimes
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
    own = moment.cluster.account(parent)
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
