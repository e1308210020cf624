"""Changes that are not decided yet: what was seen marks them, and the engine waits for them."""

import asyncio


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
