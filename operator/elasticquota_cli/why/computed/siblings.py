"""The table of one level, in which siblings share their parent's runtime (``sharing.level``).

``guaranteed`` is the floor, the part of min that a quota asks for; ``asked`` is the upper limit,
its limited request. What is left after the floors is shared by weight. Lent is the unused part of
min; borrowed is runtime above min.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from elasticquota import quantity, resources
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.resources import EMPTY
from elasticquota.sharing import weight
from elasticquota_cli.why.computed.moment import Moment
from elasticquota_cli.why.parts import report


class _Share(NamedTuple):
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


def levels(moment: Moment, quota: str, keys: list[str]) -> Iterator[report.LevelRow]:
    """The levels from the root down to the siblings of ``quota``, for each resource."""
    forest = moment.cluster.forest
    tree = moment.cluster.trees[forest.tree_of[quota]]
    for parent, _ in pairwise(reversed(forest.path(quota))):
        for key in keys:
            shares = list(_shares(moment, tree, parent, key))
            runtime = tree.runtimes.runtime(parent)[key]
            guaranteed = sum(share.guaranteed for share in shares)
            yield report.LevelRow(
                parent=parent,
                resource=key,
                runtime=quantity.text(key, runtime),
                guaranteed=quantity.text(key, guaranteed),
                left=quantity.text(key, runtime - guaranteed),
                shares=[_row(share, partial(quantity.text, key)) for share in shares],
            )


def _row(share: _Share, text: Callable[[int], str]) -> report.ShareRow:
    return report.ShareRow(
        quota=share.quota,
        min=text(share.min),
        guaranteed=text(share.guaranteed),
        weight=None if share.weight >= weight.UNLIMITED else text(share.weight),
        asked=text(share.asked),
        runtime=text(share.runtime),
        borrowed=text(max(0, share.runtime - share.floor)),
        lent=text(max(0, share.min - share.asked)),
        parents_own_pods=share.itself,
    )


def _shares(moment: Moment, tree: TreeBooks, parent: str, key: str) -> Iterator[_Share]:
    forest, runtimes = moment.cluster.forest, tree.runtimes
    ceiling = EMPTY
    for above in forest.path(parent)[:-1]:
        ceiling = resources.minimum(ceiling, forest.quotas[above].max)
    most = tree.runtimes.runtime(tree.tree.root).get(key, 0)
    for child in tree.tree.children[parent]:
        effective = weight.effective(forest.quotas[child], key, ceiling)
        yield _Share(
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
        yield _Share(
            quota=parent,
            min=0,
            floor=own.used.get(key, 0) if tree.tree.guarantees_use else 0,
            asked=asked,
            weight=min(max(0, ceiling.get(key, most)), most),
            runtime=runtimes.own_runtime(parent)[key],
            itself=True,
        )
