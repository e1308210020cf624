"""The fair order: which of several queues has the next turn, while their first ones are booked.

What is booked in a cycle only moves a turn back: shares grow, and mins are used up. So the turn of
the one that seems to be next is looked at again when something was booked since, and it waits if
another one comes before it now.
"""

import heapq
from collections.abc import Callable, Sequence

from elasticquota.model.workload import Workload


Turn = tuple[int, int, int, str, str]
"""Sort key between queues, the lowest first. Ends with the name of the quota."""


class FairOrder:
    """Mutable; holds one workload of each queue."""

    def __init__(self, turn: Callable[[str, Workload], Turn], booked: Sequence[str]) -> None:
        """``booked`` grows with whatever may move a turn."""
        self._turn = turn
        self._booked = booked
        self._heap: list[tuple[Turn, int, Workload]] = []

    def push(self, name: str, workload: Workload) -> None:
        """Add the first workload of a queue."""
        heapq.heappush(self._heap, self._entry(name, workload))

    def pop(self) -> tuple[str, Workload] | None:
        """Remove and return the one whose turn it is, with its quota; None: there is none."""
        while self._heap:
            turn, seen, workload = self._heap[0]
            name = turn[-1]
            if seen != len(self._booked):
                heapq.heapreplace(self._heap, entry := self._entry(name, workload))
                if self._heap[0] is not entry:
                    continue
            heapq.heappop(self._heap)
            return name, workload
        return None

    def _entry(self, name: str, workload: Workload) -> tuple[Turn, int, Workload]:
        return self._turn(name, workload), len(self._booked), workload
