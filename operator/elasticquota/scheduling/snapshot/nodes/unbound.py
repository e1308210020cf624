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
from elasticquota.resources import Resources


NO_PRIORITY: Final = 2**31
"""Above every priority of Kubernetes."""

_MOST_NODES: Final = 64
"""How many nodes a search checks one by one."""

_MOST_SEARCHES: Final = 100
"""How many searches one cycle makes; after them only the count of slots makes a pod certain."""


class _Largest:
    """The most that one of some pods requests, by resource."""

    def __init__(self) -> None:
        self.amounts: dict[str, int] = {}
        self.size: Size = frozenset()

    def add(self, amounts: Resources) -> None:
        """Count the request of one more pod."""
        if self.is_less(amounts):
            self.amounts = resources.maximum(self.amounts, amounts)
            self.size = frozenset(resources.positive(self.amounts).items())

    def is_less(self, amounts: Resources) -> bool:
        """Whether a pod that requests ``amounts`` would raise it."""
        known = self.amounts
        for key, amount in amounts.items():  # noqa: SIM110 - a generator takes twice as long
            if amount > known.get(key, 0):
                return True
        return False

    def beside(self, others: Sequence["_Largest"]) -> Size:
        """The size of the largest, of ``others`` too."""
        if not any(self.is_less(each.amounts) for each in others):
            return self.size
        found = _Largest()
        for each in (self, *others):
            found.add(each.amounts)
        return found.size


class _PodClass:
    """Pods that the same nodes admit."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.count = 0
        self.largest = _Largest()
        self.total: dict[str, int] = {}
        self.preemptors: dict[Size, int] = {}
        """By size, the highest priority of the pods that may preempt."""
        self.highest = -NO_PRIORITY
        """The highest of these."""

    def add(self, pod: Pod) -> None:
        """Count ``pod``."""
        self.count += 1
        self.largest.add(pod.request)
        totals.add(self.total, pod.request)
        if _may_preempt(pod):
            before = self.preemptors.get(pod.size, pod.priority)
            self.preemptors[pod.size] = max(pod.priority, before)
            self.highest = max(self.highest, pod.priority)

    def dangerous(self, least: int) -> set[Size]:
        """The sizes of those that may preempt a pod of priority ``least``."""
        if self.highest <= least:
            return set()
        return {size for size, priority in self.preemptors.items() if priority > least}


class _NodeGroup:
    """The nodes that admit ``pods``, and all unbound pods that can come there."""

    def __init__(self, where: Where) -> None:
        self.pods = _PodClass(where)
        self.shared: list[_NodeGroup] = []
        """The groups that have a node in common with this one, itself included."""
        self.coming = 0
        """How many pods can come there."""
        self.largest = _Largest()

    def share(self, other: "_NodeGroup") -> None:
        """Count the pods of the other one."""
        self.shared.append(other)
        self.coming += other.pods.count
        self.largest.add(other.pods.largest.amounts)


class Unbound:
    """Mutable; one per tree and cycle."""

    def __init__(self, fit: NodeFit) -> None:
        self._fit = fit
        self._groups: dict[Where, _NodeGroup] = {}
        self._highest = -NO_PRIORITY
        """Of those that may preempt."""
        self._lowest = NO_PRIORITY
        self._searches = 0
        self._slots: dict[tuple[Where, Size], int] = {}
        """How many pods of a size the nodes have room for, as it was before this cycle."""

    def add(self, where: Where, pod: Pod) -> None:
        """Count ``pod``, which is expected or released and has no node yet."""
        if not _is_ours(pod):
            return
        group = self._group(where)
        group.pods.add(pod)
        for each in group.shared:
            each.coming += 1
            each.largest.add(pod.request)
        self._lowest = min(self._lowest, pod.priority)
        self._highest = max(self._highest, group.pods.highest)

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
        # A pod that is less important than all others can be preempted by pods that had no victim.
        groups = self._shared(more) if least == before else [*self._shared(more), *self._all()]
        return all(self._is_certain(group, more, least) for group in groups)

    def can_spare(self, nodes: AbstractSet[str], where: Where, pod: Pod, least: int) -> bool:
        """Whether ``pod``, one of the unbound, is as certain when it may not go to ``nodes``."""
        if not _may_preempt(pod) or pod.priority <= min(least, self._lowest):
            return True
        group = self._group(where)
        size = group.largest.size
        fewer = sum(self._fit.slots(node, dict(size)) for node in self._fitting(where, size, nodes))
        return group.coming <= fewer or self._has_a_node(group, pod.size, (), nodes)

    @property
    def exhausted(self) -> bool:
        """Whether searches are over for this cycle, so that a pod may be uncertain for that."""
        return self._searches > _MOST_SEARCHES

    def _is_certain(self, group: _NodeGroup, more: Mapping[Where, _PodClass], least: int) -> bool:
        """Whether the preemptors of a group find a node there when ``more`` are released too."""
        own = more.get(group.pods.where)
        sizes = group.pods.dangerous(least) | (own.dangerous(least) if own else set())
        if not sizes or not group.coming:  # or there is nothing to wait for
            return True
        there = [more[each.pods.where] for each in group.shared if each.pods.where in more]
        size = group.largest.beside([pods.largest for pods in there])
        if group.coming + sum(pods.count for pods in there) <= self._slots_of(group, size):
            return True
        return all(self._has_a_node(group, each, there) for each in sizes)

    def _has_a_node(
        self,
        group: _NodeGroup,
        size: Size,
        more: Sequence[_PodClass],
        spared: AbstractSet[str] = frozenset(),
    ) -> bool:
        """Whether one node has room for it beside all others that could come there."""
        self._searches += 1
        if self.exhausted:
            return False
        request = dict(size)
        classes = [*(each.pods for each in group.shared), *more]
        fitting = sorted(self._fitting(group.pods.where, size, spared))
        for node in fitting[:_MOST_NODES]:
            beside = resources.subtract({}, request)
            for pods in classes:
                if node in self._fit.admitted(pods.where):
                    totals.add(beside, pods.total)
            if self._fit.has(node, request, beside):
                return True
        return False

    def _all(self) -> Iterable[_NodeGroup]:
        return self._groups.values()

    def _shared(self, wheres: Iterable[Where]) -> list[_NodeGroup]:
        """Those that have a node in common with one of these."""
        found = {id(each): each for where in wheres for each in self._group(where).shared}
        return list(found.values())

    def _group(self, where: Where) -> _NodeGroup:
        found = self._groups.get(where)
        if found is None:
            found = _NodeGroup(where)
            mine = self._fit.admitted(where)
            for other in self._groups.values():
                if not mine.isdisjoint(self._fit.admitted(other.pods.where)):
                    found.share(other)
                    other.share(found)
            found.share(found)
            self._groups[where] = found
        return found

    def _fitting(self, where: Where, size: Size, spared: AbstractSet[str]) -> AbstractSet[str]:
        fitting = self._fit.fitting(where, size)
        return fitting - spared if spared else fitting

    def _slots_of(self, group: _NodeGroup, size: Size) -> int:
        key = (group.pods.where, size)
        found = self._slots.get(key)
        if found is None:
            request = dict(size)
            nodes = self._fit.fitting(*key)
            found = self._slots[key] = sum(self._fit.slots(node, request) for node in nodes)
        return found


def _is_ours(pod: Pod) -> bool:
    return pod.scheduler == names.STOCK_SCHEDULER


def _may_preempt(pod: Pod) -> bool:
    return pod.may_preempt and _is_ours(pod)
