"""The snapshot of a tree in one cycle: runtime less admitted at every quota, and the nodes' total.

A working copy: each release, each victim and all kept room are booked here at once, so a cycle
never admits into the same unit twice. Runtime counts waiting pods as request, so it stays constant
meanwhile (algorithm 6). Room of terminating pods and victims is not used yet, but a pod that will
fit in it has its room kept, also from smaller pods that would take the first unit that comes free.
"""

import heapq
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Final, Literal

from elasticquota import memo, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import Nomination
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.dominant_shares import DominantShares
from elasticquota.scheduling.snapshot.guarantees import GuaranteeCheck
from elasticquota.scheduling.snapshot.nodes import unbound
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.scheduling.snapshot.nodes.node_reservations import NodeReservations
from elasticquota.scheduling.snapshot.reasons import Shortage
from elasticquota.scheduling.snapshot.usage_tree import Place, UsageTree
from elasticquota.scheduling.snapshot.user_limits import UserLimits


_LARGEST: Final = 3


class TreeSnapshot:
    """Mutable; one per tree and cycle."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        tree: TreeBooks,
        others: Iterable[tuple[str, Pod]] = (),
        expected: ExpectedPods | None = None,
        reserved: Iterable[NodeReservations] = (),
    ) -> None:
        """``others`` are pods of other trees that start on its nodes in this cycle.

        ``reserved`` has what these trees keep there.
        """
        self.cluster = cluster
        self.tree = tree
        self.user_limits = UserLimits(cluster.user_usage)
        """What limits of users, groups and applications leave."""
        usage_tree = UsageTree(cluster, tree)
        self.at, self.places, self._path = usage_tree.at, usage_tree.places, usage_tree.path
        self._give_up, self._cap = usage_tree.give_up, usage_tree.cap
        self.shares = DominantShares(usage_tree)
        """Which quotas have used most of their runtime."""
        self.guarantees = GuaranteeCheck(cluster, tree, usage_tree)
        """What min gives."""
        expected = expected or ExpectedPods()
        self.nodes = NodeCapacity(cluster, tree.tree.id, others, expected, reserved)
        """What is left on each node."""
        self.largest_users = memo.of(partial(_largest_users, tree))
        self._leaving = False
        self._beyond_min: set[int] = set()
        """The kinds of waiting workloads that no min on their path covers (``alike``)."""
        self._kind_of: dict[str, int] = {}
        """By uid (``alike``)."""
        self._kinds: dict[Hashable, int] = {}
        for name in cluster.leaving & tree.used.keys():
            self._expect_removal(name, cluster.account(name).returning)
        if tree.external_pods.returning:
            self._expect_removal(NO_QUOTA, tree.external_pods.returning)

    def lack(
        self, place: Place, request: Resources, *, to_max: bool = False, now: bool = False
    ) -> dict[str, int]:
        """What ``request`` still lacks at ``place`` once all that leaves is gone, or ``now``.

        Of the runtime, or, ``to_max``, of max.
        """
        usage_node = self.at(place)
        limit = self.ceiling(place) if to_max else None
        return usage_node.lack(request, usage_node.taken if now else usage_node.later, limit)

    def lacks(self, places: Iterable[Place], request: Resources, **how: bool) -> bool:
        """Whether ``request`` lacks something at one of ``places`` (``lack``)."""
        return any(self.lack(place, request, **how) for place in places)

    def shortage(self, quota: str, request: Resources) -> Shortage | None:
        """Why ``request`` does not fit now below the runtimes of the path and the nodes, or None.

        A resource that the nodes do not count, as a hand-written total may omit it, limits no pod.
        """
        places = self.places(quota)
        for place, usage_node in zip(places, self._path(quota), strict=True):
            keys = tuple(sorted(usage_node.lack(request, usage_node.taken)))
            if keys:
                left = self.free(place, resources.masked(usage_node.limit, keys))
                is_root = place.quota == self.tree.tree.root
                where: Literal["own", "nodes", "ancestor"] = "nodes" if is_root else "ancestor"
                where = "own" if place == places[0] else where
                return Shortage(where, place.quota, keys, usage_node.limit, left)
        return None

    def alike(self, quota: str, workload: Workload) -> int:
        """Equal for waiting workloads of a quota that need the same room, within the same limits.

        A number, as it is asked often: what it stands for is slow to make, and to hash.
        """
        found = self._kind_of.get(workload.uid)
        if found is None:
            limit_key = self.user_limits.limit_key(quota, workload)
            same = quota, workload.size, workload.constraints, limit_key
            found = self._kind_of[workload.uid] = self._kinds.setdefault(same, len(self._kinds))
        return found

    def standing(self, quota: str, workload: Workload) -> int:
        """The best standing of its variants (``guarantees``).

        What is claimed only grows in a cycle, so a kind that no min covers keeps that standing.
        """
        kind = self.alike(quota, workload)
        if kind in self._beyond_min:
            return self.guarantees.NONE
        of = self.guarantees.standing
        best = min([of(quota, each) for each in self.cluster.index.variants(quota, workload)])
        if best == self.guarantees.NONE:
            self._beyond_min.add(kind)
        return best

    def is_safe(self, quota: str, workload: Workload) -> bool:
        """Whether its admission causes no preemption; it has room now.

        A pod within min does not wait to the end for pods that have no node, nor for a search that
        is too long.
        """
        if self.nodes.safe(quota, workload.pods, self.least_priority):
            return True
        if not self.guarantees.guaranteed(quota, workload):
            return False
        exhausted = self.nodes.reservations.unbound.exhausted
        return exhausted or not self.nodes.expected.hold_up(quota)

    @cached_property
    def least_priority(self) -> int:
        """The lowest priority of the tree's pods."""
        found = (self.cluster.account(name).least_priority for name in self.tree.used)
        return min((each for each in found if each is not None), default=unbound.NO_PRIORITY)

    def will_fit(self, quota: str, workload: Workload) -> bool:
        """Whether it fits as soon as all that leaves is gone."""
        return (
            self._leaving
            and not self.lacks(self.places(quota), workload.request)
            and self.allows(quota, workload)
            and self.nodes.later(quota, workload.pods) is not None
        )

    def allows(self, quota: str, workload: Workload) -> bool:
        """Whether the limits of its user allow ``workload``, and min if it is not preemptible."""
        reached = self.user_limits.reached(quota, workload)
        return reached is None and not self.guarantees.exceeding_min(quota, workload)

    def still_fits(self, workload: Workload, nomination: Nomination) -> Sequence[str] | None:
        """The nodes that have room, or get it, for a workload for which it was made; None: none do.

        Others than its own where another pod took that room: what was cleared for that one is left.
        Every max must hold, while the runtimes may have changed.
        """
        quota, nodes = nomination.quota, nomination.nodes
        capped = self.capped(quota, workload, exchanges=nomination.exchanges)
        is_limited = self.user_limits.reached(quota, workload) is not None
        if is_limited or self.lacks(capped, workload.request, to_max=True):
            return None
        still = self.nodes.still(quota, workload.pods, nodes) if nodes else None
        return self.nodes.later(quota, workload.pods) if still is None else still

    def starts_idle(self, workload: Workload, nomination: Nomination) -> bool:
        """Whether it has room now that is kept for no pod, below every max, whatever its share."""
        capped = self.capped(nomination.quota, workload, exchanges=nomination.exchanges)
        fits = self.below_max((place.quota for place in capped), workload.request)
        return fits and self.may_start(nomination.quota, workload)

    def may_start(self, quota: str, workload: Workload) -> bool:
        """Whether limits of users and the nodes let it start now, without a preemption."""
        has_node = self.allows(quota, workload) and self.nodes.now(quota, workload.pods) is not None
        return has_node and self.is_safe(quota, workload)

    def could_fit(self, quota: str, workload: Workload) -> bool:
        """Whether ``workload`` would fit if nothing else were admitted."""
        limits = [usage_node.limit for usage_node in self._path(quota)]
        fits = all(map(partial(resources.fits, workload.request), limits))
        return fits and self.guarantees.could_stay(quota, workload)

    def below_max(self, path: Iterable[str], request: Resources) -> bool:
        """Whether every max of the quotas has room for ``request``; at the root, the nodes."""
        return not self.lacks(map(Place, path), request, to_max=True, now=True)

    def beyond(self, place: Place) -> dict[str, int]:
        """What is claimed at ``place`` beyond its limit, once all that leaves is gone."""
        usage_node = self.at(place)
        return resources.beyond(usage_node.later, usage_node.limit)

    def takes_kept_room(self, place: Place, request: Resources) -> bool:
        """Whether ``request`` would take room that is kept at ``place`` for others."""
        return not self.lack(place, request).keys().isdisjoint(self.at(place).kept)

    def free(self, place: Place, limit: Resources) -> dict[str, int]:
        """What ``limit`` leaves at ``place`` now, without room that is kept there."""
        taken = self.at(place).taken
        return {key: most - taken.get(key, 0) for key, most in limit.items()}

    def idle(self) -> dict[str, int]:
        """What the nodes of the tree have left now, without room that is kept."""
        root = Place(self.tree.tree.root)
        return self.free(root, self.at(root).limit)

    def ceiling(self, place: Place) -> Resources:
        """The limit that holds in any case: max; at the root what the nodes offer."""
        if place.quota == self.tree.tree.root:
            return self.at(place).limit
        return self._cap(place.quota)

    def capped(self, quota: str, workload: Workload, *, exchanges: bool) -> Sequence[Place]:
        """The places on the path whose max holds for a workload too that victims make room for.

        If it takes the place of others, not what the nodes offer together: pods on a node that is
        gone, or shrank, exceed that sum, and the exchange is on another node. A queued job books
        no node, so for it the sum holds, and for all others while a job holds room beside its pods.
        """
        places = self.places(quota)
        booked = exchanges and self.nodes.are_all and workload.pods and not self._holds_beside_nodes
        return places[:-1] if booked else places

    @cached_property
    def _holds_beside_nodes(self) -> bool:
        """Whether jobs of the tree hold room that their pods have not drawn, so no node has it."""
        shared = self.at(Place(self.tree.tree.root)).limit.keys()
        accounts = map(self.cluster.account, self.tree.used)
        return any(each.jobs and resources.masked(each.reserved, shared) for each in accounts)

    def admit(self, quota: str, workload: Workload) -> None:
        """Book an admission on the whole path."""
        self._book(quota, workload, kept=False)
        self.nodes.book(quota, workload.pods)

    def keep(self, quota: str, workload: Workload, nodes: Sequence[str] | None = None) -> None:
        """Keep room for a workload that will fit, on ``nodes`` if they are chosen already."""
        self._book(quota, workload, kept=True)
        self.nodes.keep(quota, workload.pods, nodes)

    def _book(self, quota: str, workload: Workload, *, kept: bool) -> None:
        for place, usage_node in zip(self.places(quota), self._path(quota), strict=True):
            usage_node.book(workload.request, kept=kept)
            self.shares.forget(place.quota)
        self.guarantees.count(quota, workload)
        self.user_limits.count(quota, workload)
        if not workload.pods:
            self._holds_beside_nodes = True

    def expect_removal(self, quota: str, victim: Workload, *, undo: bool = False) -> None:
        """Count the room of ``victim``, a workload of the quota itself, as free later.

        ``undo``: no longer.
        """
        request = victim.request
        if quota in self.tree.timed_out:
            # No node took these in time, so they take no room.
            stuck = self.cluster.account(quota).stuck
            late = resources.add(*(pod.request for pod in victim.pods if pod.key in stuck))
            self._give_up(quota, late, undo=undo)
            request = resources.subtract(request, late)
        self._expect_removal(quota, request, undo=undo)
        for pod in victim.pods:
            self.nodes.expect_removal(pod, undo=undo)

    def _expect_removal(self, quota: str, amounts: Resources, *, undo: bool = False) -> None:
        self._leaving = True
        self.guarantees.forget()
        for place in self.places(quota):
            self.at(place).expect_removal(amounts, undo=undo)
            self.shares.forget(place.quota)


def _largest_users(tree: TreeBooks, of: tuple[str, str]) -> Sequence[tuple[str, int]]:
    """Which children of a quota used most of a resource when the cycle began, and how much.

    At most three; for messages, so it is not updated by what the cycle books.
    """
    quota, key = of
    used = [(name, tree.admitted[name].get(key, 0)) for name in tree.tree.children[quota]]
    most = heapq.nsmallest(_LARGEST, used, key=lambda each: (-each[1], each[0]))
    return [each for each in most if each[1] > 0]
