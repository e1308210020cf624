"""Changes that are not decided yet: what was seen marks them, and the engine waits for them."""

import asyncio
from collections.abc import Callable
from typing import Final


SOONEST: Final = 0.2
"""Seconds until a timer wakes the engine, at least: what is due already must make no busy loop."""


class PendingChanges:
    """Create it inside the event loop; times are seconds of the loop's clock."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.there = asyncio.Event()
        """Set while there is a change; the engine clears it."""
        self.first = 0.0
        """When the first one of these was made."""
        self.last = 0.0

    def touch(self) -> None:
        """Record a change."""
        self.last = self._loop.time()
        if not self.there.is_set():
            self.first = self.last
            self.there.set()

    def touch_from_thread(self) -> None:
        """Record a change that another thread has seen."""
        self._loop.call_soon_threadsafe(self.touch)


class EngineTimer:
    """Wakes the engine once by ``touch``, when the time that was set last is over."""

    def __init__(self, touch: Callable[[], None]) -> None:
        self._touch = touch
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None) -> None:
        """Replace what was set; None: nothing is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(SOONEST, seconds), self._touch)
