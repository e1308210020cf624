"""A process is dead when it hears nothing although the API server can be heard.

A watch that is silent while others are not must be begun by a new process, for this one would go on
by a world that is gone. An API server that nobody here hears of is an outage: a restart mends
nothing, and costs what is remembered and minutes of back-off when the API server is back. So the
silence of a watch counts only while something else is heard, and from the end of an outage on.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final


SILENCE: Final = 300.0
"""Seconds without any sign of one watch; a watch begins again by itself after some 70."""
OUTAGE: Final = 120.0
"""Seconds without any sign of anything; some small read is made every minute at least."""

Heartbeats = Callable[[], Mapping[str, float]]
"""Name of each watch or other client -> when it last heard of the API server."""


class Liveness:
    """``silent()`` is to be asked every few seconds; empty means alive."""

    def __init__(self, heartbeats: Heartbeats, clock: Callable[[], float] = time.monotonic) -> None:
        self._heartbeats = heartbeats
        self._clock = clock
        self._newest = self._resumed = clock()

    def silent(self) -> dict[str, int]:
        """For how many seconds which of them has heard nothing, although others have."""
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
