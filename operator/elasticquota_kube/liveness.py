"""Decides whether a process is dead: one watch is silent although the API server answers others.

Then a new process must start the watch again, because this one would decide from a stale cache. If
the API server answers no request at all, that is an outage. A restart would not help, and would
lose the state in memory and cost minutes of back-off when the API server is back. So the silence of
a watch counts only while other requests are answered, and only from the end of an outage on.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final


SILENCE: Final = 300.0
"""Seconds without any sign of one watch; a watch starts again by itself after about 70."""
OUTAGE: Final = 120.0
"""Seconds without any sign of all of them; some small read is made at least every minute."""

Heartbeats = Callable[[], Mapping[str, float]]
"""Name of each watch or other client -> when the API server last answered it."""


class Liveness:
    """Call ``silent()`` every few seconds; an empty answer means alive."""

    def __init__(self, heartbeats: Heartbeats, clock: Callable[[], float] = time.monotonic) -> None:
        self._heartbeats = heartbeats
        self._clock = clock
        self._newest = self._resumed = clock()

    def silent(self) -> dict[str, int]:
        """The clients that hear nothing although others do, each with its seconds of silence."""
        now, heard = self._clock(), self._heartbeats()
        newest = max(heard.values(), default=now)
        if newest - self._newest > OUTAGE:
            self._resumed = newest
        self._newest = max(newest, self._newest)
        if now - newest > OUTAGE:
            return {}
        return {
            name: round(now - at)
            for name, at in sorted(heard.items())
            if now - max(at, self._resumed) > SILENCE
        }
