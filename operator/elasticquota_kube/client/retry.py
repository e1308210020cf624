"""How long to wait before the next try: doubled each time, capped, and with random jitter.

`Loop` does so without end, for work that is one thing and no queue of things: a watch, a resync,
the decisions.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final, Never

from elasticquota_kube.client.rest.errors import ApiError


Backoff = Callable[[int], float]
"""Seconds to wait before the try that follows `n` failures in a row (n >= 1)."""

FIRST: Final = 0.5
LONGEST: Final = 30.0

FIRST_OF_TOO_LARGE: Final = 60.0
LONGEST_OF_TOO_LARGE: Final = 600.0
"""Only its users make an object smaller, and each try costs the API server all of its bytes."""


def doubled(failures: int, first: float, longest: float) -> float:
    """Return the wait in seconds after ``failures`` (>= 1) in a row, without jitter."""
    return min(first * 2.0 ** min(failures - 1, 16), longest)


def jittered(failures: int) -> float:
    """Return a random wait: 50 to 100 percent of 0.5, 1, 2, 4 ... at most 30 seconds."""
    return _halved_at_most(doubled(failures, FIRST, LONGEST))


def after(error: BaseException | None, otherwise: Backoff) -> Backoff:
    """Return the back-off of an object of which a write failed with ``error``.

    Of an object that is too large for the store: 50 to 100 percent of 60, 120, 240 ... at most 600
    seconds.
    """
    too_large = isinstance(error, ApiError) and error.is_too_large_to_store
    return _of_too_large if too_large else otherwise


def _of_too_large(failures: int) -> float:
    return _halved_at_most(doubled(failures, FIRST_OF_TOO_LARGE, LONGEST_OF_TOO_LARGE))


def _halved_at_most(whole: float) -> float:
    return random.uniform(whole / 2, whole)  # noqa: S311 - jitter is no secret


class Loop:
    """Repeats one attempt, and waits after failures, longer after each one in a row."""

    def __init__(self, wait: Backoff = jittered) -> None:
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
