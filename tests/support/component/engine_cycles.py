"""Cycles like those of the engine: one after each change, and all the time."""

import asyncio
import contextlib
from typing import Final

from api_double.waiting import until


PAUSE: Final = 0.02
"""Seconds between two cycles without a change."""


class EngineCycles:
    """``begin()`` starts the parts, ``cycle()`` is one cycle."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self.cycles = 0

    def touch(self) -> None:
        self._changed.set()

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        raise NotImplementedError

    def cycle(self) -> None:
        raise NotImplementedError

    async def more_cycles(self, count: float) -> None:
        """Wait until so many more cycles have ended."""
        before = self.cycles
        await until(lambda: self.cycles > before + count)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            await self.begin(tasks)
            while True:
                self.cycle()
                self.cycles += 1
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PAUSE):
                        await self._changed.wait()
