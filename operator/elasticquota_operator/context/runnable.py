"""A part of the controller runs as a task until it is canceled; one that fails ends all.

Parts start in groups, one after the other, as in controller-runtime: what fills the caches, what
decides, what writes.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol


class Runnable(Protocol):
    async def run(self) -> None: ...


async def run_all(*parts: Runnable) -> None:
    """Run parts of a part until canceled; one that fails ends all of them."""
    async with asyncio.TaskGroup() as tasks:
        for part in parts:
            tasks.create_task(part.run())


class Runnables:
    """Runs parts in ``within``; when one fails, ends all and calls ``on_failure``."""

    def __init__(
        self, within: AbstractAsyncContextManager[Any], on_failure: Callable[[], None]
    ) -> None:
        self._within = within
        self._on_failure = on_failure
        self._new: list[Runnable] = []
        self._tasks: asyncio.TaskGroup | None = None
        self._running: asyncio.Task[None] | None = None
        self.failure: Exception | None = None
        """What broke."""

    def start(self, *parts: Runnable) -> None:
        """Start parts beside those that run. Raises ``RuntimeError`` when one has failed."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="Runnables")
        self._check()
        self._new += parts
        self._start_new()

    async def until(self, event: asyncio.Event) -> None:
        """Wait for ``event``. Raises ``RuntimeError`` when a part fails meanwhile."""
        if self._running is None:
            raise RuntimeError("no part of the controller has been started")
        waiting = asyncio.create_task(event.wait())
        try:
            await asyncio.wait((waiting, self._running), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        self._check()

    async def stop(self) -> None:
        """Cancel all parts and wait for their end."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    def _check(self) -> None:
        if self._running is not None and self._running.done():
            raise RuntimeError("a part of the controller broke during the start")

    def _start_new(self) -> None:
        while self._tasks is not None and self._new:
            part = self._new.pop(0)
            self._tasks.create_task(part.run(), name=type(part).__name__)

    async def _run(self) -> None:
        try:
            async with self._within, asyncio.TaskGroup() as self._tasks:
                self._start_new()
        except Exception as error:  # noqa: BLE001 - kept for the caller of the process
            self.failure = error
            self._on_failure()
