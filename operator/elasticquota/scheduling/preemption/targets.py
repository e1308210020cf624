"""The preemption targets of one tree in one cycle, and the waiting pods that take their room.

Victims are chosen on trial, and dropped unless the pod that needs their room will fit. At the end
victims that are not needed are spared, the most important first (K 5.1): one large victim may have
made room for two waiting pods.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from elasticquota import pool_keys, resources
from elasticquota.forest import preemption_policy
from elasticquota.model.clocks import Nomination
from elasticquota.model.decision import Eviction
from elasticquota.model.pod import Pod
from elasticquota.model.reclaim_record import Right
from elasticquota.model.workload import Counted, Gang, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.preemption.floors import Floors
from elasticquota.scheduling.queue import workloads
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.structs import replace


class Cause(NamedTuple):
    """For which workload of which quota room is made, and by what right."""

    owner: str
    preemptor: Workload
    right: Right


class Victim(NamedTuple):
    """Without a cause a limit is exceeded."""

    quota: str
    workload: Workload
    cause: Cause | None = None
    node: str = ""
    """The node that is cleared; empty: it goes for amounts."""
    exchanged: bool = False
    """One of its size gets its place, beyond the runtime of its quota."""
    over: Resources = resources.EMPTY
    """At the end: what its quota's own pods held beyond its runtime before any eviction."""
    by: str = ""
    """At the end, of an external pod: the quota whose guarantee covers the preemptor."""

    @property
    def evicted(self) -> tuple[Counted, ...]:
        """What is evicted with it: no pod of its group goes on without the gang."""
        gang = self.workload
        return (*gang.pods, *gang.surplus) if isinstance(gang, Gang) else (gang,)


class PreemptionTargets:
    """The victims of a tree in a cycle, mutable; ``most`` is the number that may be evicted."""

    def __init__(self, snapshot: TreeSnapshot, most: int, min_runtime: int = 0) -> None:
        self.cluster, self.tree, self.snapshot = snapshot.cluster, snapshot.tree, snapshot
        self.is_young = victims.YoungPods(snapshot.cluster.time, min_runtime)
        self.floors = Floors(snapshot)
        self.nominated: dict[str, Nomination] = {}
        """By uid, the waiting workloads for which room is made."""
        self._most = most
        self._victims: dict[str, Victim] = {}
        """By uid, in the order in which they were chosen."""
        self._evicted = 0
        """How many evictions the victims may take: one for each pod of a group."""
        self._orders: dict[str, list[Workload]] = {}
        self.overdue: frozenset[str] = frozenset()
        """Quotas whose max, or whose tree's nodes, have been exceeded for the delay."""

    @property
    def full(self) -> bool:
        """Whether this cycle may evict no further victim."""
        return self._evicted >= self._most

    @property
    def victims(self) -> Sequence[Victim]:
        """The victims in the order in which they were chosen."""
        return [*self._victims.values()]

    def __len__(self) -> int:
        return len(self._victims)

    def has(self, pod: Pod) -> bool:
        """Whether the pod is one of the pods of a victim."""
        return pod.uid in {one.uid for its in self._victims.values() for one in its.workload.pods}

    def candidates(self, quota: str, *, timed_out: bool = False) -> Iterator[Workload]:
        """Workloads of the quota that may still be chosen, the least important first.

        None for which a node is cleared: who went for it would have gone for another one, who may
        have no right to that room. ``timed_out``: also the pods of an elastic tree that no node
        took in time. They hold no room of a node; what may come grows when they go.
        """
        order, account = self._orders.get(quota), self.cluster.account(quota)
        spares = not timed_out and quota in self.tree.timed_out
        if order is None:
            low = self._protected(quota) if account.non_preemptible else resources.EMPTY
            withheld, awaiting = self.cluster.withheld, self.cluster.awaiting_nodes
            spared = preemption_policy.is_disabled(self.cluster.forest, quota)
            movable = (
                each
                for each in account.running
                if each.uid not in withheld
                and not (spared and each.key not in account.stuck)
                and victims.may_go(each, account, low, awaiting)
            )
            order = victims.in_order(workloads.united(quota, movable, self.cluster))
            self._orders[quota] = order
        reserved = self.snapshot.nodes.reservations.reserved
        for victim in order:
            if (
                victim.uid not in self._victims
                and not (spares and victims.holds_no_room(victim, account))
                and not (reserved and any(pod.uid in reserved for pod in victim.pods))
            ):
                yield victim

    def is_external(self, workload: Workload) -> bool:
        """Whether the pod is of no quota of the tree, and may be evicted for a guarantee."""
        found = self.tree.external_pods.evictable
        return bool(found) and any(each.key in found for each in workload.pods)

    def external(self) -> Iterator[tuple[str, Sequence[Workload]]]:
        """External pods and gangs that may still be chosen, the least important first.

        Each with its quota. No label protects one.
        """
        for each in self._external:
            if each.uid not in self._victims:
                yield self.tree.external_pods.evictable[each.pods[0].key][1], (each,)

    @cached_property
    def _external(self) -> Sequence[Workload]:
        cluster, found = self.cluster, dict[str, list[Pod]]()
        for pod, quota in self.tree.external_pods.evictable.values():
            each, account = replace(pod, preemptible=True), cluster.account(quota)
            may_go = victims.may_go(each, account, resources.EMPTY, cluster.awaiting_nodes)
            if may_go and pod.uid not in cluster.withheld:
                found.setdefault(quota, []).append(pod)
        united = (workloads.of_pods(quota, pods, cluster) for quota, pods in found.items())
        return victims.in_order(chain.from_iterable(united))

    def evict(self, victim: Victim) -> None:
        """Add a victim and count its room as free."""
        self._victims[victim.workload.uid] = victim
        self._evicted += len(victim.evicted)
        self.snapshot.expect_removal(victim.quota, victim.workload)

    def nominate(
        self, quota: str, workload: Workload, nodes: Sequence[str], *, exchanges: bool = False
    ) -> None:
        """Keep the room of the victims for ``workload``, on ``nodes`` where they are known."""
        self.snapshot.keep(quota, workload, nodes)
        self.nominated[workload.uid] = Nomination(quota, tuple(nodes), exchanges)

    def confirm_exchange(self, victim: Victim) -> None:
        """Note that ``victim`` goes for one of its size, beyond a runtime."""
        self._victims[victim.workload.uid] = victim._replace(exchanged=True)

    def lacking_one_of(self, evicted: AbstractSet[str]) -> set[str]:
        """Uids of the workloads one of whose victims is held back, and not among ``evicted``."""
        return {
            victim.cause.preemptor.uid
            for victim in self._victims.values()
            if victim.cause and any(one.uid not in evicted for one in victim.evicted)
        }

    def undo(self, mark: int) -> None:
        """Drop the victims after the first ``mark``."""
        for victim in self.victims[mark:]:
            self._spare(victim)

    def spare_if(self, mark: int, is_enough: Callable[[], bool]) -> None:
        """Drop those after the first ``mark`` that ``is_enough`` does not need.

        The most important first; those on a node that is cleared stay.
        """
        chosen = (each.workload for each in self.victims[mark:] if not each.node)
        for workload in reversed(victims.in_order(chosen)):
            victim = self._victims[workload.uid]
            self.snapshot.expect_removal(victim.quota, workload, undo=True)
            if is_enough():
                del self._victims[workload.uid]
                self._evicted -= len(victim.evicted)
            else:
                self.snapshot.expect_removal(victim.quota, workload)

    def evictions(self, over: Mapping[str, Resources]) -> list[tuple[Eviction, ...]]:
        """The evictions of each victim, without victims that are not needed.

        ``over``: by quota, what its own pods hold beyond its runtime.
        """
        in_order = victims.in_order(victim.workload for victim in self._victims.values())
        in_order.sort(key=lambda pod: not self.is_external(pod))
        for pod in reversed(in_order):
            if self._may_stay(self._victims[pod.uid].quota, pod):
                self._spare(self._victims[pod.uid])
        for uid, victim in self._victims.items():
            held = over.get(victim.quota, resources.EMPTY)
            self._victims[uid] = victim._replace(over=held, by=self._by(victim))
        gangs = [each.workload for each in self.victims if isinstance(each.workload, Gang)]
        with_gangs = {pod.uid for gang in gangs for pod in gang.surplus}
        going = (victim for uid, victim in self._victims.items() if uid not in with_gangs)
        return [self._evictions_of(victim) for victim in going]

    def _by(self, victim: Victim) -> str:
        cause = victim.cause
        if cause is None or cause.right != "min" or not self.is_external(victim.workload):
            return ""
        nearest = self.snapshot.guarantees.nearest
        return nearest(cause.owner, cause.preemptor, counted=True) or cause.owner

    def _may_stay(self, quota: str, workload: Workload) -> bool:
        """Whether the pod may stay: it takes no kept room, and no max and no node is exceeded."""
        snapshot, request = self.snapshot, workload.request
        is_needed = any(
            snapshot.takes_kept_room(place, request) or self._exceeds_ceiling(place, request)
            for place in snapshot.places(quota)
        )
        return not is_needed and not snapshot.nodes.needs_node_of(workload)

    def _exceeds_ceiling(self, place: Place, request: Resources) -> bool:
        if place.quota not in self.overdue:
            return False
        after = resources.add(self.snapshot.at(place).staying, request)
        exceeded = resources.exceeding(after, self.snapshot.ceiling(place))
        return any(request.get(key, 0) > 0 for key in exceeded)

    def _spare(self, victim: Victim) -> None:
        del self._victims[victim.workload.uid]
        self._evicted -= len(victim.evicted)
        self.snapshot.expect_removal(victim.quota, victim.workload, undo=True)

    def _protected(self, quota: str) -> Resources:
        """What pods that are not preemptible keep: min, and nothing of other shared resources.

        Of a resource with a min of the whole they keep it in any pool.

        A quota that is not accepted keeps all of them: it may be refused by mistake.
        """
        forest = self.cluster.forest
        least = forest.effective_min(quota)
        if not forest.accepted(quota):
            return least
        others = (key for key in self.floors.shared if pool_keys.resource(key) not in least)
        return {**dict.fromkeys(others, 0), **least}

    def _evictions_of(self, victim: Victim) -> tuple[Eviction, ...]:
        """One for each pod; one that terminates already gets the longest grace that counts."""
        cause, most = victim.cause, self.cluster.accounting.max_grace // 1000
        return tuple(
            Eviction(
                each.key,
                each.uid,
                victim.quota,
                each.request,
                owner="" if cause is None else cause.owner,
                grace=most if each.deleting else None,
                preemptor="" if cause is None else cause.preemptor.title,
                right="limit" if cause is None else cause.right,
            )
            for each in victim.evicted
        )
