"""The fair order: which of several queues has the next turn, while their first ones are booked.

What is booked in a cycle only moves a turn back: shares grow, and mins are used up. So the turn of
the one that seems to be next is looked at again when something was booked since, and it waits if
another one comes before it now.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from elasticquota.model.workload import Workload


Turn = tuple[int, int, int, str, str]
"""Sort key between queues, the lowest first. Ends with the name of the quota."""


class FairOrder:
    """Mutable; takes the first workload of one queue after the other."""

    def __init__(
        self,
        turn: Callable[[str, Workload], Turn],
        booked: Sequence[str],
        queues: Mapping[str, deque[Workload]],
    ) -> None:
        """``booked`` grows with whatever may move a turn; ``queues`` are by quota."""
        self._turn, self._booked, self._queues = turn, booked, queues
        self._heap: list[tuple[Turn, int, Workload]] = []
        for name in queues:
            self._push(name)

    def __iter__(self) -> Iterator[tuple[str, Workload]]:
        """Remove the one whose turn it is from its queue, with its quota, until all are empty."""
        while self._heap:
            turn, seen, workload = self._heap[0]
            name = turn[-1]
            if seen != len(self._booked):
                heapq.heapreplace(self._heap, entry := self._entry(name, workload))
                if self._heap[0] is not entry:
                    continue
            heapq.heappop(self._heap)
            self._queues[name].popleft()
            yield name, workload
            self._push(name)

    def _push(self, name: str) -> None:
        if queue := self._queues[name]:
            heapq.heappush(self._heap, self._entry(name, queue[0]))

    def _entry(self, name: str, workload: Workload) -> tuple[Turn, int, Workload]:
        return self._turn(name, workload), len(self._booked), workload
