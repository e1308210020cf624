"""Bounds how much work requests may cause in a second, as client-go's token bucket does."""

import time
from collections.abc import Callable


class TokenBucketRateLimiter:
    """``rate`` tokens are added in each second, up to the tokens of one second."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._tokens = rate
        self._at = clock()

    def take(self, tokens: int) -> bool:
        """Take so many tokens; returns whether they were there, and takes none if not."""
        now = self._clock()
        self._tokens = min(self._rate, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if tokens > self._tokens:
            return False
        self._tokens -= tokens
        return True
