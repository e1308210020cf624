"""The fair order of the blocked pods, while idle resources go to one of them after the other.

Between queues by their dominant share, in each queue by its own order. A release changes the share
of its own quota and of quotas that share an ancestor with it; all others keep their position, so
they are not sorted again.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from elasticquota.model.workload import Workload


Turn = tuple[int, int, int, str, str]
"""Sort key between queues, the lowest first. Ends with the name of the quota."""


class FairOrder:
    """Mutable; ``remove`` each released pod."""

    def __init__(
        self, blocked: Iterable[tuple[str, Workload]], turn: Callable[[str, Workload], Turn]
    ) -> None:
        """``blocked`` with their quotas, each queue in its order."""
        self._turn = turn
        self._queues: dict[str, list[Workload]] = {}
        for name, pod in blocked:
            self._queues.setdefault(name, []).append(pod)
        self._heads: dict[str, Turn] = {}
        """By quota, the turn of the first pod in its queue, where nothing was booked since."""

    def pending(self, name: str) -> Sequence[Workload]:
        """The blocked pods of one quota."""
        return self._queues[name]

    def remove(self, name: str, pod: Workload, booked: Iterable[str]) -> None:
        """Remove ``pod``, which was booked in these quotas."""
        self._queues[name].remove(pod)
        for quota in booked:
            self._heads.pop(quota, None)

    def of(self, quotas: AbstractSet[str] | None = None) -> Iterator[tuple[str, Workload]]:
        """The pods of these quotas, or all, until the next is removed."""
        asked = self._queues.keys() if quotas is None else quotas
        for (*_, name), pod in heapq.merge(*map(self._in_turn, asked)):
            yield name, pod

    def _in_turn(self, name: str) -> Iterator[tuple[Turn, Workload]]:
        for place, pod in enumerate(self._queues[name]):
            yield self._turn(name, pod) if place else self._head(name), pod

    def _head(self, name: str) -> Turn:
        found = self._heads.get(name)
        if found is None:
            found = self._heads[name] = self._turn(name, self._queues[name][0])
        return found
