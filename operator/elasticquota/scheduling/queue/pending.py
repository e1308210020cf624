"""The pending queue: the waiting pods of one quota in one cycle.

It holds the pods that are still to be considered, and those that stay. By priority, then age, then
uid. A pod that does not fit is passed over (queueing BestEffort), unless it will fit once all
terminating pods are gone: then its room is kept. These pods block the pods behind them:

* in a quota with queueing Strict: the first pod that does not fit, and
* in any other: a pod that has been at the head for too long, as long as it would fit if its quota
  were empty. One that only lacks min, because it is not preemptible, blocks only pods like itself.

A pod at a limit of its user, its group or of applications blocks no pod in any queue: it waits for
usage of its own owner, and not for room. A pod that only lacks a node blocks none either, unless
queueing is Strict: other pods of its quota may run on other nodes. Pods next to it that request the
same count as passed over like itself: room is given in the order of the queue. A pod that can never
be admitted blocks no pod.
"""

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import islice
from typing import Final

from elasticquota import names
from elasticquota.model import workload as workloads
from elasticquota.model.decision import Release
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Gang, Workload
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.queue import order
from elasticquota.scheduling.snapshot import reasons
from elasticquota.scheduling.snapshot.reasons import Reason, Shortage, Waiting
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.structs import Struct


MOST_TRIED: Final = 64
"""So many pods of one queue may find no node in a cycle; the others are not tried."""


class _Blocker(Struct):
    """A pod that blocks the pods behind it in the queue."""

    why: Reason
    """For those behind it."""
    for_all: bool
    """False: for pods that are not preemptible."""
    after: int
    """The place in the queue up to which they are like the pod itself, or ahead of it."""


class PendingQueue:
    """Mutable; ``queue`` is consumed from its left end."""

    def __init__(
        self,
        snapshot: TreeSnapshot,
        quota: Quota,
        terminating: AbstractSet[str],
        overdue: AbstractSet[str],
        policy: Policy,
    ) -> None:
        """``terminating`` names namespaces; ``overdue`` are uids of pods too long at the head."""
        name = self.name = quota.name
        self._all = order.of(snapshot.cluster, name, terminating)
        self.queue = deque(self._all.workloads)
        self._heads: dict[bool, str] = {}
        """Uids of the waiting pods that newcomers could keep waiting, the first in the order of the
        queue: under True for lack of room, under False for lack of min."""
        self.kept: set[str] = set()
        """Uids of the waiting pods whose room is on its way."""
        self.inadmissible = True
        """No pod was admitted, and none can be until something of the quota itself changes."""
        self._snapshot = snapshot
        self._quota = quota
        self._policy = policy
        self._strict = quota.strict_queue or name in policy.queues.strict
        """No pod passes another."""
        self._overdue = overdue
        self.waiting: dict[str, tuple[Workload, Reason]] = {}
        """The pods that stay in this queue, by uid, in its order, and why."""
        self._refused: dict[Hashable, Reason] = {}
        """Room only shrinks in a cycle: a kind that was refused once is refused again."""
        self._blockers: list[_Blocker] = []
        self._tried = 0
        """How many pods found no node."""
        self._deferred: list[Workload] = []
        """Those that were passed over while only guaranteed ones were considered."""
        self.has_passed = False
        """Whether one of the queue was considered before another one ahead of it."""

    def obstacle(self, workload: Workload) -> Reason | None:
        """Why ``workload`` cannot be released now, or None; keys without min are not compared."""
        reached = self._snapshot.user_limits.reached(self.name, workload)
        if reached is not None:
            return reasons.LimitReached(workload, reached)
        guarantees = self._snapshot.guarantees
        if exceeding := guarantees.exceeding_min(self.name, workload):
            where, keys = exceeding
            low, held = guarantees.of(where), guarantees.non_preemptible(where)
            return reasons.BeyondMin(workload, keys, low, held)
        shortage = self._snapshot.shortage(self.name, workload.request)
        return self._without_node(workload) if shortage is None else self._short(workload, shortage)

    def _short(self, workload: Workload, shortage: Shortage) -> Reason:
        guarantees, where = self._snapshot.guarantees, (shortage.quota, shortage.keys[0])
        users = self._snapshot.largest_users(where) if shortage.where == "ancestor" else ()
        own = reasons.Bounds(guarantees.of(self.name), self._quota.max)
        by = guarantees.nearest(self.name, workload) if shortage.where != "own" else ""
        above = "" if by == self.name else by
        owed = reasons.Guarantee(above, guarantees.of(by)) if by else None
        return reasons.LacksRoom(workload, shortage, own, users, owed)

    def _without_node(self, workload: Workload) -> Reason | None:
        """Why no node takes a pod for which its quota has room, or None."""
        if self._tried >= MOST_TRIED:
            return reasons.ManyTried(MOST_TRIED)
        if self._snapshot.nodes.now(self.name, workload.pods) is not None:
            return None if self._snapshot.is_safe(self.name, workload) else reasons.OthersUnbound()
        self._tried += 1
        where = self._snapshot.cluster.index.where(self.name, workload)
        return reasons.NoNode(workload, self._snapshot.nodes.fit.obstacles(where, workload.request))

    def tried(self, workload: Workload) -> tuple[Workload | None, list[tuple[Workload, Reason]]]:
        """The first variant that may be released now, and what stops those before it.

        A pod that finds no node in several pools counts once.
        """
        before = self._tried
        refused: list[tuple[Workload, Reason]] = []
        for each in self._snapshot.cluster.index.variants(self.name, workload):
            why = self.obstacle(each)
            if why is None:
                self._tried = before
                return each, refused
            refused.append((each, why))
        self._tried = min(self._tried, before + 1)
        return None, refused

    def release(self, workload: Workload) -> list[Release]:
        """Book the workload as admitted."""
        self.inadmissible = False
        self.waiting.pop(workload.uid, None)
        self._snapshot.admit(self.name, workload)
        gang = workload.key if isinstance(workload, Gang) else None
        nodes = self._snapshot.cluster.nodes(self.name)
        return [
            Release(one.key, one.uid, self.name, one.gates.index(names.GATE), "", nodes, gang)
            for one in workloads.counted(workload)
        ]

    def pass_over(self, *, guaranteed: bool) -> list[Workload]:
        """Keep the next pods waiting that are blocked, or like a refused one.

        Returns those that only lack room. ``guaranteed``: so are those that no min covers, until
        ``consider_all``, and the next guaranteed one is at the left end, if one may start. In a
        strict queue, and behind one that has been at the head for too long, no workload passes
        another. Of those that are passed over the first that has room now is at the left end
        instead: the order of the queue holds where nothing need be evicted.
        """
        passed: list[Workload] = []
        while self.queue:
            pod = self.queue[0]
            why = self._known(pod)
            if why is not None:
                self.has_passed |= bool(self._deferred)
                self.waiting[pod.uid] = (self.queue.popleft(), why)
                if isinstance(why, reasons.LACK_ROOM):
                    passed.append(pod)
            elif not guaranteed:
                break
            elif self._snapshot.standing(self.name, pod) < self._snapshot.guarantees.NONE:
                self.has_passed |= bool(self._deferred)
                self._bring_back()
                break
            elif self._strict or pod.uid in self._overdue:
                self._deferred.extend(self.queue)
                self.queue.clear()
            else:
                self._deferred.append(self.queue.popleft())
        return passed

    def consider_all(self) -> None:
        """Consider the others, too, in the order of the queue."""
        self.queue.extendleft(reversed(self._deferred))
        self._deferred.clear()

    def _bring_back(self) -> None:
        tried: set[Hashable] = set()
        for pod in self._deferred:
            kind = self._kind(pod)
            if kind not in tried and any(
                self._snapshot.shortage(self.name, each.request) is None
                and self._snapshot.may_start(self.name, each)
                for each in self._snapshot.cluster.index.variants(self.name, pod)
            ):
                self._deferred.remove(pod)
                self.queue.appendleft(pod)
                return
            tried.add(kind)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """By uid, the places in the queue."""
        return {pod.uid: at for at, pod in enumerate(self._all.workloads)}

    def in_order(self, pods: Iterable[Workload]) -> list[Workload]:
        """Sort pods of the queue as they are in it."""
        return sorted(pods, key=lambda pod: self._places[pod.uid]) if self.has_passed else [*pods]

    def find(self, uid: str) -> Workload | None:
        """The workload of this uid; None: it does not wait in the queue any more."""
        return next((pod for pod in self.queue if pod.uid == uid), None)

    def hold(
        self, workload: Workload, variant: Workload, why: Reason, nodes: Sequence[str]
    ) -> None:
        """Keep the room on its way for a workload for which it was made in an earlier cycle."""
        self.has_passed = True
        self.queue.remove(workload)
        self.waiting[workload.uid] = (workload, why)
        self.inadmissible = False
        self._snapshot.keep(self.name, variant, nodes)
        self.kept.add(workload.uid)

    def keep_waiting(
        self,
        workload: Workload,
        tried: Sequence[tuple[Workload, Reason]],
        make_room: Callable[[str, Sequence[Workload]], bool],
    ) -> bool:
        """Record why the pod waits; return whether it lacks room and none is on its way.

        ``tried`` are its variants, with what stops each. ``make_room`` makes room for one of them,
        and keeps it, if a right of the pod is due.
        """
        lacking = [each for each in tried if isinstance(each[1], reasons.LACK_ROOM)]
        _, why = (lacking or tried)[0]
        self.waiting[workload.uid] = (workload, why)
        self.inadmissible = self.inadmissible and self._is_lasting(workload, why)
        for each, its in tried:
            unsafe = isinstance(its, reasons.OthersUnbound)
            lacks = isinstance(its, reasons.LACK_ROOM)
            if unsafe or (lacks and self._snapshot.will_fit(self.name, each)):
                self._snapshot.keep(self.name, each)
                self.kept.add(workload.uid)
                if unsafe:
                    self._refused[self._kind(workload)] = its
                return False
        if lacking and make_room(self.name, [each for each, _ in lacking]):
            self.kept.add(workload.uid)
            return False
        self._refused[self._kind(workload)] = why
        passed_by_all = isinstance(why, reasons.LimitReached)
        if not (passed_by_all or (isinstance(why, reasons.NoNode) and not self._strict)):
            self._block_others(workload, lacks_room=bool(lacking))
        return bool(lacking)

    def _is_lasting(self, workload: Workload, why: Reason) -> bool:
        """Whether only a change of the quota itself could help ``workload``."""
        lasting = isinstance(why, reasons.LASTING)
        if isinstance(why, reasons.LacksRoom):
            own = self._snapshot.at(self._snapshot.places(self.name)[0])
            asked = why.workload.request
            lasting = bool(own.lack(asked, own.later)) and not own.reads_above(asked)
        are_its_own, is_leaf = self._snapshot.user_limits.are_its_own, not self._quota.is_parent
        return lasting and are_its_own(self.name, workload, is_leaf=is_leaf)

    def head_since(self, since: Mapping[str, int], now: int) -> dict[str, int]:
        """By uid since when pods are, or were, at the head, from the result of the last cycle."""
        heads = {uid: since.get(uid, now) for uid in self._heads.values()}
        return heads | {uid: since[uid] for uid in self.waiting if uid in since}

    def waits(self, nominated: Container[str]) -> Iterator[Waiting]:
        """What stays, in order, then what is in no queue; room is made for ``nominated`` uids."""
        ordered = self.in_order(pod for pod, _ in self.waiting.values())
        length = len(self.waiting)
        for place, pod in enumerate(ordered, start=1):
            kept = pod.uid in self.kept or pod.uid in nominated
            yield Waiting(pod, self.name, self.waiting[pod.uid][1], place, length, kept)
        for outside, why in self._all.outside:
            yield Waiting(outside, self.name, why)

    def _block_others(self, workload: Workload, *, lacks_room: bool) -> None:
        """Make ``workload`` a head, and block the pods behind it, where that is due."""
        head, is_overdue = self._heads.get(lacks_room), workload.uid in self._overdue
        is_first = not head or (self.has_passed and self._places[workload.uid] < self._places[head])
        if not (is_first or is_overdue or self._strict):
            return
        variants = self._snapshot.cluster.index.variants(self.name, workload)
        in_time = any(self._snapshot.could_fit(self.name, each) for each in variants)
        if in_time and is_first:
            self._heads[lacks_room] = workload.uid
        if self._strict and self._snapshot.guarantees.could_stay(self.name, workload):
            self._block(workload, reasons.BehindStrict(workload), for_all=True)
        elif in_time and is_overdue:
            why = reasons.BehindOverdue(workload, self._policy.head_of_line // 1000)
            self._block(workload, why, for_all=lacks_room)

    def _block(self, workload: Workload, why: Reason, *, for_all: bool) -> None:
        """Block the pods behind ``workload`` but for those like it that follow it at once."""
        kind, after = self._kind(workload), self._places[workload.uid]
        for other in islice(self._all.workloads, after + 1, None):
            if for_all or not other.preemptible:
                if self._kind(other) != kind:
                    break
                after = self._places[other.uid]
        self._blockers.append(_Blocker(why, for_all, after))

    def _known(self, workload: Workload) -> Reason | None:
        """What stops it without a trial: a pod ahead of it, or what stopped one like it."""
        for blocker in self._blockers:
            concerned = blocker.for_all or not workload.preemptible
            if concerned and self._places[workload.uid] > blocker.after:
                return blocker.why
        return self._refused.get(self._kind(workload)) if self._refused else None

    def _kind(self, workload: Workload) -> Hashable:
        """What makes two pods of one quota alike to admission."""
        return workload.preemptible, self._snapshot.alike(self.name, workload)
