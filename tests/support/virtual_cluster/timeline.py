"""The time of a virtual cluster: it jumps to the next event."""

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final


SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND

_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)

Deed = Callable[[], None]


class Timeline:
    """Times are milliseconds; events of one moment happen in the order in which they were added."""

    def __init__(self) -> None:
        self.now = 0
        self._due: list[tuple[int, int, Deed]] = []
        self._numbers = itertools.count()

    def at(self, time: int, action: Deed) -> None:
        """Schedule ``action`` for ``time``, or for now if that is past."""
        heapq.heappush(self._due, (max(time, self.now), next(self._numbers), action))

    def after(self, wait: int, action: Deed) -> None:
        self.at(self.now + wait, action)

    def play(self, until: int) -> None:
        """Run everything that is due up to ``until``."""
        while self._due and self._due[0][0] <= until:
            self.now, _, action = heapq.heappop(self._due)
            action()
        self.now = max(self.now, until)

    def stamp(self) -> str:
        """Now as the API server writes it: whole seconds."""
        return (_FIRST + timedelta(milliseconds=self.now)).strftime("%Y-%m-%dT%H:%M:%SZ")
