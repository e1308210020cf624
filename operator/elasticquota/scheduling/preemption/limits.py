"""Limits: usage beyond a max, or beyond what the nodes of a tree offer, is evicted after its delay.

It is the search for victims without a taker. The quota whose max is exceeded, and each below it,
keeps its min as a borrower does for a guarantee (``floors``), so a max is reached to the full. What
is beyond the nodes goes while each quota keeps its runtime. The default quota is exempt from that,
because its pods may be on any nodes.

A device that no node offers any more is above nothing: it returns with its driver, and an eviction
returns nothing. When the first node offers it again, all delays begin.
"""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from elasticquota import names, resources
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.model.quota import NOT_EVER
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption.clearing import Clearing
from elasticquota.scheduling.preemption.rights import Branch, Rights
from elasticquota.scheduling.preemption.search import VictimSearch
from elasticquota.scheduling.preemption.targets import PreemptionTargets, Victim
from elasticquota.scheduling.snapshot.dominant_shares import WHOLE
from elasticquota.scheduling.snapshot.usage_tree import Place


class Limits:
    """Of one tree in one cycle."""

    def __init__(self, targets: PreemptionTargets, over: Mapping[str, Resources]) -> None:
        """``over``: by quota, what its own pods hold beyond its runtime before any eviction."""
        self._targets = targets
        self._root = targets.tree.tree.root
        nodes = targets.cluster.nodes_by_tree.get(targets.tree.tree.id, NONE)
        gone = self._vanished = nodes.vanished(targets.tree.runtimes.runtime(self._root))
        left = {name: resources.without(excess, gone) for name, excess in over.items()}
        self.over = {name: excess for name, excess in left.items() if excess} if gone else over
        """The same without the devices that no node offers any more."""

    def exceeded(self, delay: int) -> dict[str, int]:
        """By quota whose max is exceeded, or whose tree's nodes are: after how long that goes.

        In milliseconds: ``delay``, or the quota's own.
        """
        found = {}
        for place in self._places():
            own = self._own_delay(place)
            if own != NOT_EVER and self.excess(place):
                found[place.quota] = delay if own is None else own
        return found

    def enforce(self, search: VictimSearch, lasting: Collection[str]) -> None:
        """Evict what is beyond the limits of ``targets.overdue``, those of the leaves first.

        ``lasting`` are the quotas above their runtime for the administrator's delay. A limit with a
        delay of its own counts for the others too.
        """
        forest = self._targets.cluster.forest
        overdue = [each for each in self._places() if each.quota in self._targets.overdue]
        overdue.sort(key=lambda place: (-len(forest.path(place.quota)), place))
        for place in overdue:
            giving = self.over if self._own_delay(place) is not None else lasting
            rights = _RightsOfLimit(self._targets, place, giving)
            search.return_excess(rights, place.quota, partial(self.excess, place))

    def excess(self, place: Place) -> Resources:
        """What stays at ``place`` beyond its max, or beyond the nodes of the tree."""
        limit = self._targets.snapshot.ceiling(place)
        if self._vanished and place.quota == self._root:
            limit = resources.without(limit, self._vanished)
        return resources.beyond(self._targets.snapshot.at(place).staying, limit)

    def _places(self) -> AbstractSet[Place]:
        """The quotas whose max limits others below them, and the root, whose nodes do."""
        return {
            place
            for name in self.over
            for place in self._targets.snapshot.places(name)
            if place.quota != self._root or name != names.DEFAULT_QUOTA
        }

    def _own_delay(self, place: Place) -> int | None:
        """The delay of a max with one of its own; None: the administrator's, as for the nodes."""
        if place.quota == self._root:
            return None
        return self._targets.cluster.forest.quotas[place.quota].over_max_delay


class _RightsOfLimit(Rights):
    """Who may go down to the limit of one quota."""

    def __init__(self, targets: PreemptionTargets, place: Place, giving: Collection[str]) -> None:
        super().__init__(targets)
        self._place, self._giving = place, giving
        self._is_nodes = place.quota == targets.tree.tree.root

    def branch(self, quota: str) -> Branch | None:
        if quota not in self._giving or (self._is_nodes and quota == names.DEFAULT_QUOTA):
            return None
        places = self._targets.snapshot.places(quota)
        if self._is_nodes:
            return Branch(places[:-1])
        if self._place not in places:  # only the own pods of a parent
            return None
        return Branch(places[: places.index(self._place) + 1])

    def victim(self, quota: str, workload: Workload, others: Clearing) -> Victim | None:
        branch = self.branch(quota)
        if branch is None or self._is_young(workload):
            return None
        if self._is_nodes and not self._floors.leaves_share(
            branch.places[:1], workload, others.lacking, others.taken, WHOLE
        ):
            return None
        rank = self._floors.rank(branch.places, workload, others.lacking, others.taken)
        return Victim(quota, workload) if rank is not None and self._may_go(rank) else None
