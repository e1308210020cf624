"""A loop without end that waits after failures, longer after each one in a row.

For work that is one thing and no queue of things: a watch, a resync, the decisions.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Never

from elasticquota_kube.client import backoff
from elasticquota_kube.client.errors import ApiError


class Loop:
    """Repeats one attempt."""

    def __init__(self, wait: backoff.Backoff = backoff.jittered) -> None:
        self.failures = 0
        """Failed attempts in a row; an attempt that makes progress may set it to 0."""
        self._wait = wait

    async def run(
        self,
        attempt: Callable[[], Awaitable[None]],
        failed: Callable[[Exception, float], None],
        *,
        errors: tuple[type[Exception], ...] = (ApiError,),
    ) -> Never:
        """Repeat ``attempt`` until canceled, or until it or ``failed`` raises another error.

        ``failed`` receives each of the ``errors`` and the seconds until the next attempt.
        """
        while True:
            try:
                await attempt()
            except errors as error:
                self.failures += 1
                seconds = self._wait(self.failures)
                failed(error, seconds)
                await asyncio.sleep(seconds)
            else:
                self.failures = 0
