"""Unbound pods: released or admitted, and on no node yet. The scheduler places them as it likes.

So a pod may find the node taken on which it was expected. Then it waits, unless it may preempt: the
scheduler takes the place of a less important pod for it, though that one be within the min of its
quota. So pods are released only as long as every unbound pod that may preempt finds room wherever
all others go:

* either its nodes have room for so many pods of the largest size that is on its way there (each pod
  takes the room of one of that size at most),
* or one node has room for it beside all that could come there.

Mutual waiting is impossible: who is unbound has a place for certain, and gets it. Where several
pods that are released together could only take the place of each other, there is nothing to wait
for, and they go.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from elasticquota import resources
from elasticquota.ledger import account
from elasticquota.ledger.node_fit import NodeFit, Where
from elasticquota.model.pod import Pod, Size


NO_PRIORITY: Final = 2**31
"""Above all that Kubernetes has."""

_MOST_NODES: Final = 64
"""So many nodes are looked at one by one."""

_MOST_SEARCHES: Final = 100
"""So often in one round; then nothing is certain that is not so at first sight."""


class _Group:
    """Pods that the same nodes take."""

    def __init__(self) -> None:
        self.count = 0
        self.largest: dict[str, int] = {}
        """The most that one of them asks for, by resource."""
        self.total: dict[str, int] = {}
        self.preemptors: dict[Size, int] = {}
        """Of those that may preempt the highest priority, by size."""

    def add(self, pod: Pod) -> None:
        self.count += 1
        self.largest = resources.maximum(self.largest, pod.request)
        account.add(self.total, pod.request)
        if pod.may_preempt:
            before = self.preemptors.get(pod.size, pod.priority)
            self.preemptors[pod.size] = max(pod.priority, before)

    def dangerous(self, least: int) -> list[Size]:
        """The sizes of those that may preempt a pod of priority ``least``."""
        return [size for size, priority in self.preemptors.items() if priority > least]


class Unbound:
    """Mutable; one instance per tree and round."""

    def __init__(self, fit: NodeFit) -> None:
        self._fit = fit
        self._groups: dict[Where, _Group] = {}
        self._coming: dict[Where, tuple[int, dict[str, int]]] = {}
        """How many can come onto the nodes that ``Where`` means, and the largest of each resource.
        """
        self._highest = -NO_PRIORITY
        """Of those that may preempt."""
        self._lowest = NO_PRIORITY
        self._searches = 0
        self._meet: dict[tuple[Where, Where], bool] = {}
        self._slots: dict[tuple[Where, Size], int] = {}
        """How many pods of a size the nodes have room for, as it was before this round."""

    def add(self, where: Where, pod: Pod) -> None:
        group = self._groups.get(where)
        if group is None:
            self._coming[where] = self._sum(where, self._groups)
            group = self._groups[where] = _Group()
        group.add(pod)
        for other, (count, largest) in self._coming.items():
            if self._may_meet(where, other):
                self._coming[other] = count + 1, resources.maximum(largest, pod.request)
        self._lowest = min(self._lowest, pod.priority)
        if pod.may_preempt:
            self._highest = max(self._highest, pod.priority)

    def allow(self, wheres: Sequence[Where], pods: Sequence[Pod], least: int) -> bool:
        """Whether ``pods`` can be released together, so that every unbound pod that may preempt
        finds a node wherever the others go. ``wheres`` are theirs; ``least`` is the lowest priority
        of the pods that are admitted.
        """
        before = min(least, self._lowest)
        least = min(before, *(pod.priority for pod in pods))
        highest = max((pod.priority for pod in pods if pod.may_preempt), default=-NO_PRIORITY)
        if max(self._highest, highest) <= least:
            return True
        more: dict[Where, _Group] = {}
        for where, pod in zip(wheres, pods, strict=True):
            more.setdefault(where, _Group()).add(pod)
        return all(
            self._is_certain(where, sizes, more)
            for where in self._groups.keys() | more.keys()
            # Who is less important than all others makes preemptors of those who were none.
            if least < before or any(self._may_meet(where, other) for other in more)
            if (sizes := self._dangerous(where, more, least))
        )

    def can_spare(self, nodes: AbstractSet[str], where: Where, pod: Pod, least: int) -> bool:
        """Whether the same holds when ``pod``, one of the unbound, may not go to ``nodes``."""
        if not pod.may_preempt or pod.priority <= min(least, self._lowest):
            return True
        return self._is_certain(where, {pod.size}, {}, nodes)

    def _dangerous(self, where: Where, more: dict[Where, _Group], least: int) -> set[Size]:
        groups = (found[where] for found in (self._groups, more) if where in found)
        return {size for group in groups for size in group.dangerous(least)}

    def _is_certain(
        self,
        where: Where,
        sizes: set[Size],
        more: dict[Where, _Group],
        spared: AbstractSet[str] = frozenset(),
    ) -> bool:
        before, largest = self._coming.get(where) or self._sum(where, self._groups)
        if not before:
            return True
        count, largest_more = self._sum(where, more)
        size = frozenset(resources.positive(resources.maximum(largest, largest_more)).items())
        slots = self._slots_of(where, size)
        if spared:
            fewer = self._fit.fitting(where, size) & spared
            slots -= sum(self._fit.slots(node, dict(size)) for node in fewer)
        return before + count <= slots or all(
            self._has_a_node(where, each, more, spared) for each in sizes
        )

    def _has_a_node(
        self,
        where: Where,
        size: Size,
        more: dict[Where, _Group],
        spared: AbstractSet[str],
    ) -> bool:
        """Whether one node has room for it beside all others that could come there."""
        request = dict(size)
        self._searches += 1
        if self._searches > _MOST_SEARCHES:
            return False
        for node in islice(sorted(self._fit.fitting(where, size) - spared), _MOST_NODES):
            beside = resources.subtract({}, request)
            for groups in (self._groups, more):
                for other, group in groups.items():
                    if node in self._fit.admitted(other):
                        account.add(beside, group.total)
            if self._fit.has(node, request, beside):
                return True
        return False

    def _sum(self, where: Where, groups: dict[Where, _Group]) -> tuple[int, dict[str, int]]:
        count, largest = 0, dict[str, int]()
        for group in self._meeting(where, groups):
            count += group.count
            largest = resources.maximum(largest, group.largest)
        return count, largest

    def _meeting(self, where: Where, groups: dict[Where, _Group]) -> Iterator[_Group]:
        return (group for other, group in groups.items() if self._may_meet(where, other))

    def _may_meet(self, one: Where, other: Where) -> bool:
        """Whether a node takes pods of both."""
        if one == other:
            return True
        found = self._meet.get((one, other))
        if found is None:
            found = not self._fit.admitted(one).isdisjoint(self._fit.admitted(other))
            self._meet[one, other] = self._meet[other, one] = found
        return found

    def _slots_of(self, where: Where, size: Size) -> int:
        found = self._slots.get((where, size))
        if found is None:
            nodes, request = self._fit.fitting(where, size), dict(size)
            found = self._slots[where, size] = sum(self._fit.slots(node, request) for node in nodes)
        return found
