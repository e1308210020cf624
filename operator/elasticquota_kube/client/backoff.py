"""How long to wait before the next try: doubled each time, capped, and with random jitter."""

import random
from collections.abc import Callable
from typing import Final


Backoff = Callable[[int], float]
"""Seconds to wait before the try that follows `n` failures in a row (n >= 1)."""

FIRST: Final = 0.5
LONGEST: Final = 30.0


def doubled(failures: int, first: float, longest: float) -> float:
    """Return the wait in seconds after ``failures`` (>= 1) in a row, without jitter."""
    return min(first * 2.0 ** min(failures - 1, 16), longest)


def jittered(failures: int) -> float:
    """Return a random wait: 50 to 100 percent of 0.5, 1, 2, 4 ... at most 30 seconds."""
    whole = doubled(failures, FIRST, LONGEST)
    return random.uniform(whole / 2, whole)  # noqa: S311 - jitter is no secret
