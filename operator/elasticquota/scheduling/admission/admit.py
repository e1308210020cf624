"""Admit: waiting pods that fit below every runtime on their path are released, fairest first.

All waiting pods are one sequence. Between quotas a pod within min goes first, then that of the
queue of highest priority where such are set (``model.queue_order``), then the lowest dominant
admitted/runtime, then age; inside a quota the order of its queue. At its turn a pod is released, or
room is kept or made for it, or it gets a reason and is passed over, unless its queue blocks
(``pending``). Room that was made for a pod is its own until it starts, in later cycles too. Pods
that are not preemptible also need to fit min, because reclaim can never evict them. A group is
admitted as one pod (``queue``), so it is never admitted in part.
"""

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import resources
from elasticquota.model import workload as workloads
from elasticquota.model.clocks import Nomination
from elasticquota.model.decision import Release
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption import preempt
from elasticquota.scheduling.queue.fair_order import FairOrder, Turn
from elasticquota.scheduling.queue.inadmissible import Inadmissible, InadmissibleQueues
from elasticquota.scheduling.queue.pending import PendingQueue
from elasticquota.scheduling.snapshot import reasons
from elasticquota.scheduling.snapshot.reasons import LACK_ROOM, Reason, Waiting
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place


class Admitted(NamedTuple):
    """What is said of a release."""

    request: Resources
    used: Resources
    """What its quota held then, of what it requests."""
    waits_for_node: bool
    """Its node has yet to come."""


class Admission:
    """The admission of one tree's cycle; mutable. ``admit_all`` once, then ``release`` others."""

    def __init__(
        self,
        snapshot: TreeSnapshot,
        terminating: AbstractSet[str],
        overdue: AbstractSet[str],
        inadmissible: InadmissibleQueues,
        policy: Policy,
    ) -> None:
        """Releases are booked in ``snapshot``; queues of ``inadmissible`` are not read.

        ``terminating`` names namespaces; ``overdue`` are uids of pods that have been at the head of
        their queue for too long.
        """
        cluster = self._cluster = snapshot.cluster
        self._snapshot = snapshot
        self.overdue = overdue
        self._inadmissible = inadmissible
        self._job_queues = policy.queues
        quotas = cluster.forest.quotas
        self._queues = {
            name: PendingQueue(snapshot, quotas[name], terminating, overdue, policy)
            for name in inadmissible.active
            if name in cluster.accounts and cluster.forest.accepted(name)
        }
        self._waits: dict[str, tuple[Waiting, ...]] = {}
        self.releases: list[Release] = []
        self.admitted: dict[str, Admitted] = {}
        """By uid of what is released, what its message says."""
        self.blocked: list[tuple[str, Workload]] = []
        """Waiting pods that only lack room and for which none is on its way, in fair order."""
        self.nominations: dict[str, Nomination] = {}
        """By uid, those for which room was made in an earlier cycle and is still on its way."""
        self.released: dict[str, Counted] = {}
        """By uid, what is released, as it counts."""
        self._firsts: list[tuple[str, Workload]] | None = []

    @property
    def first_blocked(self) -> Sequence[tuple[str, Workload]]:
        """Of the blocked pods the first of every quota and kind."""
        if self._firsts is None:
            firsts: dict[Hashable, tuple[str, Workload]] = {}
            for each in self.blocked:
                firsts.setdefault(self._snapshot.alike(*each), each)
            self._firsts = [*firsts.values()]
        return self._firsts

    def admit_all(
        self,
        make_room: Callable[[str, Sequence[Workload]], bool],
        nominations: Mapping[str, Nomination],
    ) -> None:
        """Release what fits, and keep or make room for what will fit, one workload at a time.

        First those for which room was made in an earlier cycle (``nominations``, by uid; those
        without nodes find them in this order), then the guaranteed ones of all queues, then all
        others. ``make_room`` makes room for a blocked one; it gets its variants, which lack room.
        """
        self._start_nominated(nominations)
        for pending in self._queues.values():
            self._pass_over(pending, guaranteed=True)
        self._admit(make_room, guaranteed=True)
        for pending in self._queues.values():
            pending.consider_all()
        self._admit(make_room, guaranteed=False)
        self._sort_blocked()

    def _admit(
        self, make_room: Callable[[str, Sequence[Workload]], bool], *, guaranteed: bool
    ) -> None:
        queues = {name: its.queue for name, its in self._queues.items() if its.queue}
        for name, pod in self._in_turn(queues):
            pending = self._queues[name]
            fitting, refused = pending.tried(pod)
            if fitting is not None:
                self._release(name, fitting)
            elif pending.keep_waiting(pod, refused, make_room):
                if self._firsts is not None:
                    self._firsts.append((name, pod))
                self.blocked.append((name, pod))
            self._pass_over(pending, guaranteed=guaranteed)

    def _start_nominated(self, nominations: Mapping[str, Nomination]) -> None:
        waiting = [
            (self.turn(each.quota, pod), pod, each)
            for uid, each in nominations.items()
            if each.quota in self._queues and (pod := self._queues[each.quota].find(uid))
        ]
        nodes, held = self._snapshot.nodes, dict[str, Sequence[str]]()
        for _, pod, its in waiting:
            held[pod.uid] = its.nodes or nodes.later(its.quota, pod.pods) or ()
            nodes.hold(its.quota, pod.pods, held[pod.uid])
        waiting.sort(key=lambda each: each[0])
        for _, pod, nomination in waiting:
            nodes.hold(nomination.quota, pod.pods, held[pod.uid], undo=True)
            pending = self._queues[nomination.quota]
            fitting, refused = pending.tried(pod)
            lacking = (variant for variant, why in refused if isinstance(why, LACK_ROOM))
            idle = (each for each in lacking if self._snapshot.starts_idle(each, nomination))
            if fitting is None and (fitting := next(idle, None)) is None:
                self._hold(pod, refused, nomination)
            else:
                pending.queue.remove(pod)
                self._release(nomination.quota, fitting)

    def _hold(
        self, workload: Workload, refused: Sequence[tuple[Workload, Reason]], nomination: Nomination
    ) -> None:
        """Keep the room of a nominated workload, on its nodes if they still do."""
        fitting = [
            (variant, why, tuple(nodes))
            for variant, why in refused
            if isinstance(why, (*LACK_ROOM, reasons.OthersUnbound))
            and (nodes := self._snapshot.still_fits(variant, nomination)) is not None
        ]
        if fitting:
            variant, why, nodes = max(fitting, key=lambda each: each[2] == nomination.nodes)
            self._queues[nomination.quota].hold(workload, variant, why, nodes)
            self.nominations[workload.uid] = nomination._replace(nodes=nodes)

    def _release(self, name: str, variant: Workload) -> None:
        """Release a workload in the pool of ``variant``."""
        released = self._queues[name].release(variant)
        self.releases.extend(released)
        held = self._snapshot.at(Place(name)).admitted
        used = {key: held.get(key, 0) for key in variant.request}
        waits = any(map(self._snapshot.nodes.waits_for_node, variant.pods))
        admitted = Admitted(variant.request, used, waits)
        self.admitted.update((one.uid, admitted) for one in released)
        self.released.update((part.uid, part) for part in workloads.counted(variant))

    def _pass_over(self, pending: PendingQueue, *, guaranteed: bool) -> None:
        if passed := pending.pass_over(guaranteed=guaranteed):
            self.blocked.extend((pending.name, pod) for pod in passed)

    def lacks_node(self, name: str, workload: Workload) -> bool:
        """Whether the quota of a blocked pod has room for it, but no node has."""
        return isinstance(self._queues[name].waiting[workload.uid][1], reasons.NoNode)

    def _sort_blocked(self) -> None:
        """Bring the blocked workloads of each queue in its order."""
        by_queue = _by_queue(self.blocked)
        in_order = {
            name: iter(pending.in_order(by_queue.get(name, ())))
            for name, pending in self._queues.items()
            if pending.has_passed
        }
        if in_order:
            firsts = {pod.uid for _, pod in self.first_blocked}
            self.blocked = [
                (name, next(in_order[name]) if name in in_order else pod)
                for name, pod in self.blocked
            ]
            # The same ones whichever queues are considered: the others keep their result.
            self._firsts = [each for each in self.blocked if each[1].uid in firsts]

    def release(self, name: str, workload: Workload, variant: Workload) -> None:
        """Release a blocked pod after all."""
        self._release(name, variant)
        self.blocked.remove((name, workload))
        self._firsts = None

    def in_turn(self) -> Iterator[tuple[str, Workload]]:
        """The blocked pods in fair order, while some of them are released."""
        return self._in_turn(_by_queue(self.blocked))

    def _in_turn(self, queues: Mapping[str, deque[Workload]]) -> Iterator[tuple[str, Workload]]:
        return iter(FairOrder(self.turn, self._snapshot.shares.moved, queues))

    def turn(self, name: str, workload: Workload) -> Turn:
        """The sort key between queues at this moment.

        For equal shares: the pod that waits longer, so that two quotas take turns.
        """
        return (
            self._snapshot.standing(name, workload),
            self._job_queues.urgency(name),
            self._snapshot.shares.rank(name),
            workload.created,
            name,
        )

    def is_settled(self) -> bool:
        """Whether no limit is exceeded, and neither preemption nor idle resources help a pod."""
        idle = self._snapshot.idle()
        return not (
            self._inadmissible.over
            or self.could_help_inadmissible()
            or any(
                self._idle_for(name, each.request, idle)
                and self._snapshot.nodes.has(self._snapshot.nodes.kind(name, each))
                for name, pod in self.first_blocked
                for each in self._cluster.index.variants(name, pod)
            )
            or any(preempt.can_preempt(self._cluster, name, pod) for name, pod in self.blocked)
        )

    def could_help_inadmissible(self) -> bool:
        """Whether idle nodes could help a pod whose queue is inadmissible."""
        idle = self._snapshot.idle()
        return any(
            self._idle_for(name, dict(kind.size), idle) and self._snapshot.nodes.has(kind)
            for name, kind in self._inadmissible.kinds
        )

    def at_head(self, since: Mapping[str, int], now: int) -> dict[str, int]:
        """Pod uid -> at the head since, from the result of the last cycle.

        A pod that was at the head keeps its time when a more important one comes before it.
        """
        heads = dict(self._inadmissible.head_since)
        for pending in self._queues.values():
            heads |= pending.head_since(since, now)
        return heads

    def kept(self) -> set[str]:
        """Uids of waiting pods whose room is on its way."""
        return {uid for pending in self._queues.values() for uid in pending.kept}

    def waiting(self, uids: AbstractSet[str]) -> Iterator[tuple[str, Workload, Reason]]:
        """Those of ``uids`` that wait in an active queue, with their quotas, and why."""
        for name, pending in self._queues.items():
            for uid in sorted(uids & pending.waiting.keys()):
                yield name, *pending.waiting[uid]

    def waits(self, nominated: Container[str] = ()) -> dict[str, tuple[Waiting, ...]]:
        """What stays in the active queues; no pod is released after this.

        ``nominated`` are the uids of those for which victims make room.
        """
        queues, account = self._queues, self._cluster.account
        for name in self._inadmissible.active:
            infeasible = (Waiting(pod, name, why) for pod, why in account(name).infeasible_pods)
            queued = queues[name].waits(nominated) if name in queues else ()
            self._waits[name] = (*queued, *infeasible)
        return dict(self._waits)

    def save_inadmissible(self, head_since: Mapping[str, int]) -> None:
        """Keep the result of the inadmissible queues for the next cycle, after ``waits``."""
        helped = {
            name for name, pod in self.blocked if preempt.can_preempt(self._cluster, name, pod)
        }
        # A pod that may go to another pool is helped by what changes there.
        helped |= {each.quota for each in self._cluster.flexible.values()}
        inactive = [
            name
            for name, pending in self._queues.items()
            if pending.inadmissible
            and not pending.kept
            and name not in helped
            # A pod that waits for a min beyond the runtime may be helped.
            and not self._snapshot.guarantees.guarantees_more(
                name, [pod for pod, _ in pending.waiting.values()]
            )
        ]
        for name in self._inadmissible.active - self._queues.keys():
            self._inadmissible.deactivate(name, Inadmissible(self._waits[name]))
        firsts = _by_queue(self.first_blocked)
        for name in inactive:
            inadmissible = self._inadmissible_result(name, firsts.get(name, ()), head_since)
            self._inadmissible.deactivate(name, inadmissible)

    def _inadmissible_result(
        self, name: str, firsts: Sequence[Workload], head_since: Mapping[str, int]
    ) -> Inadmissible:
        """``firsts`` are the first blocked one of each kind in the queue."""
        snapshot, path = self._snapshot, self._cluster.forest.path(name)
        shared = path[1] if self._cluster.forest.is_leaf(name) and len(path) > 1 else name
        own = () if shared == name else (name,)
        kinds = [snapshot.nodes.kind(name, x) for x in firsts if snapshot.below_max(own, x.request)]
        return Inadmissible(
            self._waits[name],
            shared,
            frozenset(kinds),
            frozenset([pod.size for pod in firsts]),
            min([snapshot.shares.rank_with(name, pod.request) for pod in firsts], default=0),
            {uid: head_since[uid] for uid in self._queues[name].waiting if uid in head_since},
            bool(self._cluster.account(name).non_preemptible_waiting),
        )

    def _idle_for(self, name: str, request: Resources, idle: Resources) -> bool:
        """Whether ``idle`` has room for ``request``, and every max on its path."""
        return resources.fits(request, idle) and self._snapshot.below_max(
            self._cluster.forest.path(name), request
        )


def _by_queue(pods: Sequence[tuple[str, Workload]]) -> dict[str, deque[Workload]]:
    queues: dict[str, deque[Workload]] = {}
    for name, pod in pods:
        queues.setdefault(name, deque()).append(pod)
    return queues
