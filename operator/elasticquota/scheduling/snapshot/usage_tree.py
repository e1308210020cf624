"""The usage nodes of one tree in one cycle: one at each place with a limit.

A node is created from what is admitted there when it is first read; most cycles read few.
"""

from collections.abc import Sequence
from typing import NamedTuple

from elasticquota import resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
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
        self._cluster = cluster
        self._tree = tree
        self._found: dict[Place, UsageNode] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._paths: dict[str, tuple[UsageNode, ...]] = {}

    @property
    def root(self) -> str:
        """The name of the root quota."""
        return self._tree.tree.root

    def places(self, quota: str) -> tuple[Place, ...]:
        """From the quota to the root; a parent's own pods come first.

        Pods of no quota count at the root alone.
        """
        found = self._places.get(quota)
        if found is None and quota not in self._tree.tree.children:
            found = self._places[quota] = (Place(self._tree.tree.root),)
        elif found is None:
            found = tuple(Place(name) for name in self._cluster.forest.path(quota))
            if not self._cluster.forest.is_leaf(quota):
                found = (Place(quota, itself=True), *found)
            self._places[quota] = found
        return found

    def below_root(self, quota: str) -> Sequence[str]:
        """The names of the quota and those above it, without the root."""
        found = self._names.get(quota)
        if found is None:
            root = self._tree.tree.root
            names = (place.quota for place in self.places(quota) if not place.itself)
            found = self._names[quota] = tuple(name for name in names if name != root)
        return found

    def non_preemptible(self, quota: str) -> Resources:
        """What the pods in and below a quota hold that may not be evicted."""
        return self._tree.non_preemptible.get(quota, EMPTY)

    def path(self, quota: str) -> tuple[UsageNode, ...]:
        """The usage nodes of the quota's places."""
        found = self._paths.get(quota)
        if found is None:
            found = tuple([self.at(place) for place in self.places(quota)])
            self._paths[quota] = found
        return found

    def at(self, place: Place) -> UsageNode:
        """The usage node of a place."""
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = self._opened(place)
        return found

    def claimed(self, quota: str) -> Resources:
        """What a quota and all below it use, with what is kept for them."""
        return self.at(Place(quota)).claimed

    def used(self, quota: str) -> Resources:
        """What the pods of a quota and of all below it that have a node hold."""
        return self._tree.used[quota]

    def claimed_in_all(self, quota: str) -> Resources:
        """The same, with the pods of an elastic tree that no node took in time."""
        late = self._tree.timed_out.get(quota)
        return resources.add(self.claimed(quota), late) if late else self.claimed(quota)

    def _opened(self, place: Place) -> UsageNode:
        found, name = self._without_pools(place), place.quota
        pools = self._cluster.pools_of(self._tree.tree.id) if self._cluster.has_pools else None
        if pools is not None and name != self._tree.tree.root:
            least = self._cluster.forest.effective_min(name)
            found.whole = {key: most for key, most in least.items() if pools.counts(key)}
            found.max = self._tree.cap(name, self._cluster.forest.quotas[name].max)
            places = self.places(name)
            above = places[places.index(place) + 1]
            found.above = None if above.quota == self._tree.tree.root else self.at(above)
        return found

    def _without_pools(self, place: Place) -> UsageNode:
        tree, runtimes, name = self._tree, self._tree.runtimes, place.quota
        if place.itself:
            account = self._cluster.account(name)
            held = account.held_in_time if tree.timed_out else account.admitted
            return UsageNode(runtimes.own_runtime(name), held)
        if name == tree.tree.root:
            return UsageNode(*tree.at_nodes())
        limit: Resources = runtimes.runtime(name)
        if name in tree.timed_out:
            # They take no runtime, but they may get a node at any time: its max holds with them.
            most = tree.cap(name, self._cluster.forest.quotas[name].max)
            limit = resources.cut(limit, most)
        return UsageNode(limit, tree.counted(name, tree.admitted[name]))
