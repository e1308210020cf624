"""Inadmissible queues: no pod moves in them until something of their own quota changes.

A pod that finds no room in its own quota is refused whatever happens elsewhere: room only shrinks
in a cycle, and the quota's usage and limits are its own. So the result of such a queue is kept, and
the next cycle reads only the other queues. Reclaim from other quotas does not help such a pod
either. These events make queues active again:

* another min of a quota above, or other pods below it that are not preemptible, the queues with a
  pod that is not preemptible: it stays within each min on its path, and says which one it lacks;
* a victim of a quota, its own queue, in the same cycle: it may leave room for one of its own pods;
* a pod for which room was made in the last cycle that was carried out, its own queue;
* less important pods (preemption), or a min beyond the runtime, the queue of that quota, always;
* idle nodes that a pod of any inadmissible queue fits on, below every max on its path, all queues:
  idle resources go by the fair order of all;
* a quota that holds a larger part of its runtime for the delay than the queue's would with one of
  its pods, that queue: pods are whole, and runtimes are not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import names, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.pod import Size
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.node_reservations import Kind
from elasticquota.scheduling.snapshot.reasons import Waiting


class Inadmissible(NamedTuple):
    """The result of an inadmissible queue."""

    waits: tuple[Waiting, ...] = ()
    shared: str = ""
    """The nearest quota on its path whose max it shares with other queues."""
    kinds: frozenset[Kind] = frozenset()
    """Of the pods that idle nodes could help: they only lack room, and not below a max of theirs
    alone."""
    sizes: frozenset[Size] = frozenset()
    """Of the pods that another quota could give a fair share."""
    least_share: int = 0
    """The smallest share that the quota would have with one of these (``dominant_shares``)."""
    head_since: Mapping[str, int] = EMPTY
    """By uid of the pods that are, or were, at its head."""
    within_min: bool = False
    """One of its pods is not preemptible, and waits for every min on its path."""


class InadmissibleQueues:
    """Mutable; of one tree. ``follow`` before a cycle, ``deactivate`` after it."""

    def __init__(self) -> None:
        self.queues: dict[str, Inadmissible] = {}
        """By quota."""
        self.active: set[str] = set()
        """All other quotas of the tree."""
        self.over: dict[str, Resources] = {}
        """By quota, what its own pods hold beyond their runtime, where it is not zero."""
        self.head_since: dict[str, int] = {}
        """By uid, ``head_since`` of all inadmissible queues."""
        self.by_max: dict[str, bool] = {}
        """By quota that holds too much, whether ``observe`` compared it with max, not runtime."""
        self._offer: Resources = EMPTY
        """What the nodes offer, also of what no quota shares. Between them and the quota no limit
        is closer than its own: no runtime is larger than the parent's."""
        self.kinds: Counter[tuple[str, Kind]] = Counter()
        """By quota and kind: how many queues that share the max of the quota have a pod of this
        kind that idle nodes could help."""
        self._overdue: AbstractSet[str] = frozenset()
        self._mins: dict[str, tuple[Resources, Resources]] = {}
        """By quota with children: its min, and what its pods hold that are not preemptible."""

    def follow(
        self,
        cluster: ClusterSnapshot,
        tree: TreeBooks,
        changed: Iterable[str],
        overdue: AbstractSet[str],
    ) -> None:
        """Activate the queues that may have another result now.

        ``changed`` are the changed quotas; the first time all of the tree. ``overdue`` are uids.
        """
        moved = set()
        for name in changed:
            self.activate(name)
            if self._has_other_min(cluster, tree, name):
                moved.add(name)
            self.over.pop(name, None)
            self.by_max.pop(name, None)
            if name not in tree.tree.children:  # of another tree, or gone
                self.active.discard(name)
            elif name in cluster.accounts and (over := over_use(cluster, tree, name)):
                self.over[name] = over
        offers, turned = tree.available != self._offer, overdue ^ self._overdue
        path = cluster.forest.path
        self._offer, self._overdue = tree.available, overdue
        if moved or offers or turned:
            helped = {
                name
                for name, its in self.queues.items()
                if offers
                or turned & its.head_since.keys()
                or (its.within_min and moved & set(path(name)))
            }
            self.activate_each(helped)

    def _has_other_min(self, cluster: ClusterSnapshot, tree: TreeBooks, name: str) -> bool:
        """Whether less or more of the min of a quota with children is left for other pods."""
        before = self._mins.pop(name, None)
        if not tree.tree.children.get(name) or name == tree.tree.root:
            return before is not None
        firm = dict(tree.non_preemptible[name])
        now = self._mins[name] = cluster.forest.effective_min(name), firm
        return now != before

    def activate(self, name: str) -> None:
        """Activate the queue of the quota."""
        pending = self.queues.pop(name, None)
        self.active.add(name)
        if pending is None:
            return
        for uid in pending.head_since:
            del self.head_since[uid]
        for kind in pending.kinds:
            self.kinds[pending.shared, kind] -= 1
            if not self.kinds[pending.shared, kind]:
                del self.kinds[pending.shared, kind]

    def activate_each(self, quotas: AbstractSet[str]) -> bool:
        """Activate the queues of these quotas; return whether one was inadmissible."""
        inadmissible = quotas & self.queues.keys()
        for name in inadmissible:
            self.activate(name)
        return bool(inadmissible)

    def deactivate(self, name: str, pending: Inadmissible) -> None:
        """Mark the queue of the quota as inadmissible."""
        self.active.discard(name)
        self.queues[name] = pending
        self.head_since.update(pending.head_since)
        for kind in pending.kinds:
            self.kinds[pending.shared, kind] += 1


def over_use(cluster: ClusterSnapshot, tree: TreeBooks, name: str) -> dict[str, int]:
    """What the quota's own pods use beyond its runtime; terminating pods count as returned."""
    if name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
        return {}
    return resources.beyond(cluster.account(name).held, tree.runtimes.own_runtime(name))
