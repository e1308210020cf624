"""The agenda is the time of a virtual cluster: it jumps to whatever is due next."""

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final


SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND

_FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)

Deed = Callable[[], None]


class Timeline:
    """Times are milliseconds; what is due at the same moment happens in the order of noting."""

    def __init__(self) -> None:
        self.now = 0
        self._due: list[tuple[int, int, Deed]] = []
        self._numbers = itertools.count()

    def at(self, time: int, deed: Deed) -> None:
        """Note ``deed`` for ``time``, or for now if that is past."""
        heapq.heappush(self._due, (max(time, self.now), next(self._numbers), deed))

    def after(self, wait: int, deed: Deed) -> None:
        self.at(self.now + wait, deed)

    def play(self, until: int) -> None:
        """Let everything happen that is due up to ``until``."""
        while self._due and self._due[0][0] <= until:
            self.now, _, deed = heapq.heappop(self._due)
            deed()
        self.now = max(self.now, until)

    def stamp(self) -> str:
        """Now as the API server writes it: whole seconds."""
        return (_FIRST + timedelta(milliseconds=self.now)).strftime("%Y-%m-%dT%H:%M:%SZ")
