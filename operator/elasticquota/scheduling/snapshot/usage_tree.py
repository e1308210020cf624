"""The usage nodes of one tree in one cycle: one at each place with a limit.

A node is created from what is admitted there when it is first read; most cycles read few.
"""

from functools import partial
from typing import NamedTuple

from elasticquota import memo, pool_keys, resources, totals
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.usage_node import UsageNode


class Place(NamedTuple):
    """Where a limit applies: at a quota and all below it, or at the pods in a parent itself."""

    quota: str
    itself: bool = False


class UsageTree:
    """Mutable, as each of its nodes."""

    def __init__(self, cluster: ClusterSnapshot, tree: TreeBooks) -> None:
        self._cluster, self._tree, self._root = cluster, tree, tree.tree.root
        self._found: dict[Place, UsageNode] = {}
        self._of_quotas: dict[str, UsageNode] = {}
        self.places = memo.of(partial(_places, cluster, tree))
        self.below_root = memo.of(partial(_below_root, cluster, tree))
        self._paths: dict[str, tuple[UsageNode, ...]] = {}
        self._given_up: dict[str, dict[str, int]] = {}
        """By quota: of what no node took in time, the part of victims of this cycle."""

    def path(self, quota: str) -> tuple[UsageNode, ...]:
        """The usage nodes of the quota's places."""
        found = self._paths.get(quota)
        if found is None:
            found = self._paths[quota] = tuple([self.at(place) for place in self.places(quota)])
        return found

    def of(self, quota: str) -> UsageNode:
        """The usage node of a quota and of all below it."""
        found = self._of_quotas.get(quota)
        if found is None:
            found = self._of_quotas[quota] = self.at(Place(quota))
        return found

    def at(self, place: Place) -> UsageNode:
        """The usage node of a place."""
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = self._opened(place)
        return found

    def _opened(self, place: Place) -> UsageNode:
        found, name = self._without_pools(place), place.quota
        pools = self._cluster.pools.get(self._tree.tree.id)
        if pools is not None and name != self._root:
            least = self._cluster.forest.effective_min(name)
            found.min = {k: m for k, m in least.items() if pools.counts(pool_keys.resource(k))}
            found.max = self.cap(name)
            places = self.places(name)
            above = places[places.index(place) + 1]
            found.above = None if above.quota == self._root else self.at(above)
        return found

    def _without_pools(self, place: Place) -> UsageNode:
        tree, runtimes, name = self._tree, self._tree.runtimes, place.quota
        if place.itself:
            return UsageNode(runtimes.own_runtime(name), self._cluster.account(name).held_in_time)
        if name == self._root:
            return UsageNode(*tree.at_nodes())
        return UsageNode(self._limit(name), tree.counted(name, tree.admitted[name]))

    def _limit(self, name: str) -> Resources:
        """Runtime; what no node took in time takes none of it, and may get a node at any time.

        So max holds with it.
        """
        limit: Resources = self._tree.runtimes.runtime(name)
        return resources.cut(limit, self.cap(name)) if name in self._tree.timed_out else limit

    def cap(self, name: str) -> Resources:
        """What the max of a quota leaves beside the pods that no node took in time."""
        most = self._cluster.forest.quotas[name].max
        late = self._tree.timed_out.get(name)
        if not late:
            return most
        late = resources.subtract(late, self._given_up.get(name, EMPTY))
        return {key: amount - late.get(key, 0) for key, amount in most.items()}

    def give_up(self, quota: str, amounts: Resources, *, undo: bool = False) -> None:
        """Count ``amounts`` of a victim that no node took in time as leaving; ``undo``: not so."""
        for place in self.places(quota):
            if place.itself:
                continue
            name, usage = place.quota, self.at(place)
            gone = self._given_up.setdefault(name, {})
            (totals.subtract if undo else totals.add)(gone, amounts)
            if name == self._root:
                self._raise_offer(gone)
                continue
            # Until it is gone its max holds with it.
            usage.leave_late(resources.masked(amounts, self.cap(name).keys()), undo=undo)
            usage.limit = self._limit(name)
            if usage.max:
                usage.max = self.cap(name)

    def _raise_offer(self, gone: Resources) -> None:
        """Share at the root what may come for others when pods that timed out are gone."""
        late = self._tree.timed_out.get(self._root, EMPTY)
        nodes = self._cluster.nodes_by_tree.get(self._tree.tree.id, NONE)
        before, after = nodes.shared(late), nodes.shared(resources.subtract(late, gone))
        offered, _ = self._tree.at_nodes()
        more = {key: after.get(key, 0) - before.get(key, 0) for key in offered}
        self.at(Place(self._root)).limit = resources.add(offered, more)


def _places(cluster: ClusterSnapshot, tree: TreeBooks, quota: str) -> tuple[Place, ...]:
    """From the quota to the root; a parent's own pods come first.

    Pods of no quota count at the root alone.
    """
    if quota not in tree.tree.children:
        return (Place(tree.tree.root),)
    own = () if cluster.forest.is_leaf(quota) else (Place(quota, itself=True),)
    return (*own, *map(Place, cluster.forest.path(quota)))


def _below_root(cluster: ClusterSnapshot, tree: TreeBooks, quota: str) -> tuple[str, ...]:
    """The names of the quota and those above it, without the root."""
    return cluster.forest.path(quota)[:-1] if quota in tree.tree.children else ()
