"""The preemption targets of one tree in one cycle, and the waiting pods that take their room.

Victims are chosen on trial, and dropped unless the pod that needs their room will fit. At the end
victims that are not needed are spared, the most important first (K 5.1): one large victim may have
made room for two waiting pods.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from elasticquota import names, pool_keys, resources
from elasticquota.forest import preemption_policy
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Eviction
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.reclaim_record import Right
from elasticquota.model.workload import Counted, Gang, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import same_node, victims
from elasticquota.scheduling.queue import workloads
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.structs import replace


_T = TypeVar("_T", bound=Workload)


class Cause(NamedTuple):
    """For which workload of which quota room is made, and by what right."""

    owner: str
    preemptor: Workload
    right: Right


class _Victim(NamedTuple):
    """A victim with its message; without a cause a limit is exceeded."""

    quota: str
    workload: Workload
    message: str
    cause: Cause | None


class PreemptionTargets:
    """The victims of a tree in a cycle, mutable; ``most`` is the number that may be evicted."""

    def __init__(
        self, cluster: ClusterSnapshot, tree: TreeBooks, snapshot: TreeSnapshot, most: int
    ) -> None:
        self.cluster = cluster
        self.tree = tree
        self.snapshot = snapshot
        self.nominated: set[str] = set()
        """Uids of the waiting pods for which victims make room, as nominated in kube-scheduler."""
        self._marks = victims.Marks(cluster.withheld, cluster.awaiting_nodes)
        self._most = most
        self._victims: list[_Victim] = []
        """The victims in the order in which they were chosen."""
        self._uids: set[str] = set()
        self._evicted = 0
        """How many evictions the victims may take: one for each pod of a group."""
        self._orders: dict[str, list[Workload]] = {}
        self._gangs: dict[str, bool] = {}
        """By quota: whether it has gangs."""
        self._leaves_with: dict[str, dict[Key, Workload]] = {}
        """By quota: pod -> the workload that it leaves with."""
        self._protects: dict[str, Resources] = {}
        self._disabled: dict[str, bool] = {}
        """By quota: whether its preemption policy spares its pods."""
        self.overdue: frozenset[str] = frozenset()
        """Quotas whose max, or whose tree's nodes, have been exceeded for the delay."""

    @property
    def full(self) -> bool:
        """Whether this cycle may evict no further victim."""
        return self._evicted >= self._most

    @property
    def quotas(self) -> set[str]:
        """The quotas of the victims."""
        return {victim.quota for victim in self._victims}

    def __len__(self) -> int:
        return len(self._victims)

    def movable(self, quota: str, *, timed_out: bool = False) -> list[Workload]:
        """Workloads of the quota that may still be chosen, the least important first.

        ``timed_out``: also the pods of an elastic tree that no node took in time. They hold no room
        of a node; what may come grows when they go.
        """
        order = self._orders.get(quota)
        if order is None:
            account = self.cluster.account(quota)
            low = self._protected(quota) if account.non_preemptible else resources.EMPTY
            movable = victims.movable(account, self._marks, low)
            if self._is_disabled(quota):
                movable = [pod for pod in movable if pod.key in account.stuck]
            order = victims.in_order(workloads.united(quota, movable, self.cluster))
            self._orders[quota] = order
        if quota in self.tree.timed_out and not timed_out:
            late = self.cluster.account(quota).stuck
            return [pod for pod in order if pod.uid not in self._uids and pod.key not in late]
        return [pod for pod in order if pod.uid not in self._uids]

    def has_gang(self, quota: str) -> bool:
        """Whether a gang of the quota could be evicted when this was first asked in the cycle."""
        found = self._gangs.get(quota)
        if found is None:
            found = any(isinstance(each, Gang) for each in self.movable(quota))
            self._gangs[quota] = found
        return found

    def leaves_with(self, quota: str, pod: Pod) -> Workload | None:
        """The workload of the quota that is evicted for the room of ``pod``; None: none may be."""
        if not (pod.jobs or pod.group):
            return pod if self.may_go(quota, pod) else None
        found = self._leaves_with.get(quota)
        if found is None:
            found = {one.key: each for each in self.movable(quota) for one in each.pods}
            self._leaves_with[quota] = found
        leaving = found.get(pod.key)
        return None if leaving is None or leaving.uid in self._uids else leaving

    def is_external(self, pod: Workload) -> bool:
        """Whether the pod is of no quota of the tree, and may be evicted for a guarantee."""
        return pod.key in self.tree.external_pods.evictable

    def external_pods(self) -> list[Pod]:
        """External pods that may still be chosen, the least important first."""
        found = self.tree.external_pods.evictable.values()
        return victims.in_order(pod for pod, quota in found if self.may_go(quota, pod))

    def external_pods_staying(self) -> list[Pod]:
        """External pods that are not terminating."""
        found = self.tree.external_pods.evictable.values()
        return [pod for pod, quota in found if pod.key not in self.cluster.account(quota).leaving]

    def may_go(self, quota: str, pod: Counted) -> bool:
        """Whether the pod may still be chosen. No label protects an external pod."""
        account = self.cluster.account(quota)
        if quota in self.tree.timed_out and pod.key in account.stuck:
            return False
        if self.is_external(pod):
            pod, low = replace(pod, preemptible=True), resources.EMPTY
        elif self._is_disabled(quota) and pod.key not in account.stuck:
            return False
        else:
            low = resources.EMPTY if pod.preemptible else self._protected(quota)
        return pod.uid not in self._uids and victims.may_go(pod, account, self._marks, low)

    def _is_disabled(self, quota: str) -> bool:
        found = self._disabled.get(quota)
        if found is None:
            found = preemption_policy.is_disabled(self.cluster.forest, quota)
            self._disabled[quota] = found
        return found

    def _protected(self, quota: str) -> Resources:
        """What pods that are not preemptible keep: min, and nothing of other shared resources.

        A quota that is not accepted keeps all of them: it may be refused by mistake.
        """
        forest = self.cluster.forest
        found = self._protects.get(quota)
        if found is None:
            shared = self.tree.runtimes.runtime(self.tree.tree.root).keys() - {names.PODS}
            nothing = dict.fromkeys(shared, 0) if forest.accepted(quota) else resources.EMPTY
            found = self._protects[quota] = {**nothing, **forest.effective_min(quota)}
        return found

    def evict(
        self, quota: str, chosen: Sequence[Workload], message: str, cause: Cause | None = None
    ) -> None:
        """Add victims and count their room as free; without a cause a limit is exceeded."""
        for victim in chosen:
            self._victims.append(_Victim(quota, victim, message, cause))
            self._uids.add(victim.uid)
            self._evicted += len(_evicted(victim))
            self.snapshot.expect_removal(quota, victim)

    def choose(
        self,
        candidates: Sequence[_T],
        need: Resources,
        spare: Resources,
        waiting: tuple[str, Workload] | None,
    ) -> Sequence[_T]:
        """Choose from ``candidates``, in order, those that return ``need``.

        For a workload ``waiting`` with its quota, they are on one node if that is enough, and in
        its pool, where victims return the resource of the pool and that of the whole tree.
        """
        if waiting is None:
            return victims.choose(candidates, need, spare)
        need = _beside_pool(need)
        nodes = self.snapshot.nodes.candidates(*waiting)
        request = waiting[1].request
        return same_node.choose(candidates, need, spare, request, self.snapshot.nodes, nodes)

    def keep(self, quota: str, pod: Workload, mark: int) -> bool:
        """Keep the room for ``pod`` if it will fit; else drop the victims after ``mark``."""
        fits = self.snapshot.will_fit(quota, pod)
        if fits:
            self.snapshot.keep(quota, pod)
            self.nominated.add(pod.uid)
        else:
            self.undo(mark)
        return fits

    def undo(self, mark: int) -> None:
        """Drop the victims after the first ``mark``."""
        for victim in self._victims[mark:]:
            self._spare(victim.quota, victim.workload)
        del self._victims[mark:]

    def evictions(self) -> list[tuple[Eviction, ...]]:
        """The evictions of each victim, without victims that are not needed."""
        stays: set[str] = set()
        by_uid = {victim.workload.uid: victim.quota for victim in self._victims}
        in_order = victims.in_order(victim.workload for victim in self._victims)
        in_order.sort(key=lambda pod: not self.is_external(pod))
        for pod in reversed(in_order):
            quota = by_uid[pod.uid]
            if self._may_stay(quota, pod):
                self._spare(quota, pod)
                stays.add(pod.uid)
        self._victims = [victim for victim in self._victims if victim.workload.uid not in stays]
        gangs = (each.workload for each in self._victims if isinstance(each.workload, Gang))
        with_gangs = {pod.uid for gang in gangs for pod in gang.surplus}
        most = self.cluster.accounting.max_grace // 1000
        return [
            _evictions(victim, most)
            for victim in self._victims
            if victim.workload.uid not in with_gangs
        ]

    def _may_stay(self, quota: str, pod: Workload) -> bool:
        """Whether the pod may stay: it takes no kept room, and no max and no node is exceeded."""
        return not any(
            self.snapshot.takes_kept_room(place, pod.request) or self._exceeds_ceiling(place, pod)
            for place in self.snapshot.places(quota)
        ) and not self.snapshot.needs_node_of(pod)

    def _exceeds_ceiling(self, place: Place, pod: Workload) -> bool:
        if place.quota not in self.overdue:
            return False
        after = resources.add(self.snapshot.staying(place), pod.request)
        limit = self.snapshot.ceiling(place)
        return any(pod.request.get(key, 0) > 0 for key in resources.exceeding(after, limit))

    def _spare(self, quota: str, victim: Workload) -> None:
        self._uids.discard(victim.uid)
        self._evicted -= len(_evicted(victim))
        self.snapshot.cancel_removal(quota, victim)


def _beside_pool(need: Resources) -> Resources:
    """``need`` without what comes with the resource of a pool, but with its key, as 0."""
    inside = {pool_keys.resource(key): n for key, n in need.items() if pool_keys.is_reserved(key)}
    return {key: n if n > inside.get(key, 0) else 0 for key, n in need.items()}


def _evicted(victim: Workload) -> tuple[Counted, ...]:
    """What is evicted with ``victim``: no pod of its group goes on without the gang."""
    return (*victim.pods, *victim.surplus) if isinstance(victim, Gang) else (victim,)


def _evictions(victim: _Victim, most: int) -> tuple[Eviction, ...]:
    """One for each pod; ``most`` is the longest grace in seconds of one that terminates."""
    cause = victim.cause
    return tuple(
        Eviction(
            each.key,
            each.uid,
            victim.quota,
            each.request,
            victim.message,
            owner="" if cause is None else cause.owner,
            grace=most if each.deleting else None,
            preemptor="" if cause is None else cause.preemptor.title,
            right="limit" if cause is None else cause.right,
        )
        for each in _evicted(victim.workload)
    )
