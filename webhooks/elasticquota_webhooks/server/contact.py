"""Makes a replica not ready when it has not reached the API server for half a minute.

Watches may be silent for a minute when nothing changes, so they cannot show this. The replica keeps
answering from its last state: a stale answer is better than none, and a client that still calls has
no better replica. This costs the API server one small read every ten seconds.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError


EVERY: Final = 10.0
PATIENCE: Final = 5.0
SILENCE: Final = 30.0
"""Seconds, like the others."""


class Contact:
    """Reads ``namespace`` again and again; run `run()` as a task."""

    def __init__(
        self, api: Api, namespace: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._api = api
        self._namespace = namespace
        self._clock = clock
        self.last_heard = clock()

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            await self.ask()
            await asyncio.sleep(EVERY)

    async def ask(self) -> None:
        """Ask once; an HTTP error is an answer too."""
        try:
            await self._api.within(PATIENCE).get(paths.NAMESPACES, None, self._namespace)
        except ApiError as error:
            if not error.status:
                return
        self.last_heard = self._clock()

    def missing(self) -> str:
        """Why the replica is not ready; empty when the API server answered lately."""
        silent = self._clock() - self.last_heard
        if silent <= SILENCE:
            return ""
        return f"the API server has not been heard of for {silent:.0f} seconds"
