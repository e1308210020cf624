"""Restarts a component that ends, until the cluster stops."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from local_cluster import backoff, state
from local_cluster.process_node import process


_BACKOFF_SECONDS = (0.1, 5.0, 10.0)


class Keeper:
    """Runs one program, in its own process group, with its output in one log file."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        changed: Callable[[], None],
        environment: Mapping[str, str] = os.environ,
        orphaned: signal.Signals = signal.SIGKILL,
    ) -> None:
        self.name = name
        self.restarts = 0
        self.identity: state.Process | None = None
        self.ended = asyncio.Event()
        """Set when the program has ended once, so that a dependent start can fail early."""
        self._command = command
        self._log = log
        self._changed = changed
        self._environment = environment
        self._orphaned = orphaned
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the program and keep it running."""
        await self._spawn()
        self._task = asyncio.create_task(self._keep(), name=self.name)

    async def stop(self, patience: float) -> None:
        """End the program: SIGTERM, and SIGKILL to its group after ``patience`` seconds."""
        if self._task is None or self._process is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await process.end(self._process, patience)

    async def _spawn(self) -> None:
        self._process = await process.start(
            self._command, self._environment, log=self._log, orphaned=self._orphaned
        )
        with contextlib.suppress(ProcessLookupError):
            self.identity = state.identify(self._process.pid)
        self._changed()

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        pauses = backoff.Backoff(*_BACKOFF_SECONDS)
        while self._process is not None:
            began = loop.time()
            await self._process.wait()
            self.ended.set()
            await asyncio.sleep(pauses.after(loop.time() - began))
            self.restarts += 1
            await self._spawn()
