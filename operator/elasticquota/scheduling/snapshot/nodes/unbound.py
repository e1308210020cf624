"""Unbound pods: released or admitted, and on no node yet. The scheduler places them freely.

So a pod may find the node taken on which it was expected. Then it waits, unless it may preempt: the
scheduler then evicts a less important pod for it, even one within the min of its quota. So pods are
released only as long as every unbound pod that may preempt finds room wherever all others go:

* either its nodes have room for that many pods of the largest size on its way there (each pod takes
  the room of one of that size at most),
* or one node has room for it beside all that could come there.

Pods cannot wait for each other: an unbound pod has room for certain, and gets it. Where several
pods that are released together could only take each other's room, there is nothing to wait for, and
they go.

Only expected pods count (``expected_pods``), and of these only pods of the scheduler of Kubernetes:
another one may never run, and preempts by rules of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names, resources, totals
from elasticquota.ledger.nodes.node_fit import NodeFit, Where
from elasticquota.model.pod import Pod, Size


NO_PRIORITY: Final = 2**31
"""Above every priority of Kubernetes."""

_MOST_NODES: Final = 64
"""How many nodes a search checks one by one."""

_MOST_SEARCHES: Final = 100
"""How many searches one cycle makes; after them only the count of slots makes a pod certain."""


class _PodClass:
    """Unbound pods that the same nodes admit."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.count = 0
        self.largest: dict[str, int] = {}
        """The most that one of them requests, by resource."""
        self.total: dict[str, int] = {}
        self.preemptors: dict[Size, int] = {}
        """By size, the highest priority of the pods that may preempt."""

    def add(self, pod: Pod) -> None:
        """Count ``pod``."""
        self.count += 1
        totals.raise_to(self.largest, pod.request)
        totals.add(self.total, pod.request)
        if _may_preempt(pod):
            before = self.preemptors.get(pod.size, pod.priority)
            self.preemptors[pod.size] = max(pod.priority, before)

    def dangerous(self, least: int) -> set[Size]:
        """The sizes of those that may preempt a pod of priority ``least``."""
        return {size for size, priority in self.preemptors.items() if priority > least}


class Unbound:
    """Mutable; one per tree and cycle."""

    def __init__(self, fit: NodeFit) -> None:
        self._fit = fit
        self._coming: dict[Where, list[_PodClass]] = {}
        """The class of each, then those with a node in common, which can come onto its nodes."""
        self._highest = -NO_PRIORITY
        """Of those that may preempt."""
        self._lowest = NO_PRIORITY
        self._searches = 0
        self._slots: dict[tuple[Where, Size, AbstractSet[str]], int] = {}
        """How many pods of a size the nodes have room for, as it was before this cycle."""
        self._kept_off: dict[str, dict[str, int]] = {}
        """By node, what those request that are kept off it."""

    def add(self, where: Where, pod: Pod) -> None:
        """Count ``pod``, which is expected or released and has no node yet."""
        if not _is_ours(pod):
            return
        self._shared(where)[0].add(pod)
        self._lowest = min(self._lowest, pod.priority)
        if _may_preempt(pod):
            self._highest = max(self._highest, pod.priority)

    def allow(self, wheres: Sequence[Where], pods: Sequence[Pod], least: int) -> bool:
        """Whether ``pods`` can be released together without a preemption.

        That is: every unbound pod that may preempt finds a node wherever the others go. ``wheres``
        are theirs; ``least`` is the lowest priority of the admitted pods.
        """
        before = min(least, self._lowest)
        least = min(before, *(pod.priority for pod in pods))
        highest = max((pod.priority for pod in pods if _may_preempt(pod)), default=-NO_PRIORITY)
        if max(self._highest, highest) <= least:
            return True
        more: dict[Where, _PodClass] = {}
        for where, pod in zip(wheres, pods, strict=True):
            more.setdefault(where, _PodClass(where)).add(pod)
        concerned = {id(each): each for where in more for each in self._shared(where)}
        # A pod that is less important than all others can be preempted by pods that had no victim.
        others = () if least == before else (each for each, *_ in self._coming.values())
        return all(self._is_certain(each, more, least) for each in (*concerned.values(), *others))

    def can_spare(self, nodes: AbstractSet[str], where: Where, pod: Pod, least: int) -> bool:
        """Whether ``pod``, one of the unbound, is as certain when it may not go to ``nodes``."""
        if not _may_preempt(pod) or pod.priority <= min(least, self._lowest):
            return True
        if pod.priority <= self._lowest and not self._has_less_important(where, nodes, pod):
            return True
        coming = self._shared(where)
        has_slots = self._has_slots(where, coming, nodes)
        return has_slots or self._has_a_node(where, pod.size, coming, nodes)

    def keep_off(self, nodes: Iterable[str], pod: Pod) -> None:
        """Note that ``pod``, one of the unbound, may not go to ``nodes``, which admit it."""
        for node in nodes if _is_ours(pod) else ():
            totals.add(self._kept_off.setdefault(node, {}), pod.request)

    def _has_less_important(self, where: Where, spared: AbstractSet[str], pod: Pod) -> bool:
        """Whether ``pod`` may find a pod to preempt on a node that is not ``spared``."""
        others = self._fit.admitted(where) - spared
        return len(others) > _MOST_NODES or any(
            there.priority < pod.priority for node in others for there, _ in self._fit.on(node)
        )

    @property
    def exhausted(self) -> bool:
        """Whether searches are over for this cycle, so that a pod may be uncertain for that."""
        return self._searches > _MOST_SEARCHES

    def _is_certain(self, pods: _PodClass, more: Mapping[Where, _PodClass], least: int) -> bool:
        """Whether the preemptors of a class find a node when ``more`` are released too."""
        own, shared = more.get(pods.where), self._shared(pods.where)
        sizes = pods.dangerous(least) | (own.dangerous(least) if own else set())
        if not sizes or not any(each.count for each in shared):  # nothing to wait for
            return True
        coming = [*shared, *(more[each.where] for each in shared if each.where in more)]
        return self._has_slots(pods.where, coming) or all(
            self._has_a_node(pods.where, size, coming) for size in sizes
        )

    def _has_a_node(
        self,
        where: Where,
        size: Size,
        coming: Sequence[_PodClass],
        spared: AbstractSet[str] = frozenset(),
    ) -> bool:
        """Whether one node has room for it beside all that could come there."""
        self._searches += 1
        if self.exhausted:
            return False
        request = dict(size)
        for node in sorted(self._fit.fitting(where, size) - spared)[:_MOST_NODES]:
            beside = resources.subtract({}, request)
            for each in coming:
                if node in self._fit.admitted(each.where):
                    totals.add(beside, each.total)
            beside = resources.subtract(beside, self._kept_off.get(node, {}))
            if self._fit.has(node, request, beside):
                return True
        return False

    def _shared(self, where: Where) -> Sequence[_PodClass]:
        shared = self._coming.get(where)
        if shared is None:
            shared, mine = [_PodClass(where)], self._fit.admitted(where)
            for other, its in self._coming.items():
                if not mine.isdisjoint(self._fit.admitted(other)):
                    shared.append(its[0])
                    its.append(shared[0])
            self._coming[where] = shared
        return shared

    def _has_slots(
        self, where: Where, coming: Sequence[_PodClass], spared: AbstractSet[str] = frozenset()
    ) -> bool:
        """Whether the nodes have room for that many pods of the largest size."""
        count, largest = 0, dict[str, int]()
        for each in coming:
            count += each.count
            totals.raise_to(largest, each.largest)
        size = frozenset(largest.items())
        slots = self._slots.get((where, size, spared))
        if slots is None:
            nodes = self._fit.fitting(where, size) - spared
            slots = sum(self._fit.slots(node, largest) for node in nodes)
            self._slots[where, size, spared] = slots
        return count <= slots


def _is_ours(pod: Pod) -> bool:
    return pod.scheduler == names.STOCK_SCHEDULER


def _may_preempt(pod: Pod) -> bool:
    return pod.may_preempt and _is_ours(pod)
