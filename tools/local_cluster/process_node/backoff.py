"""Delays the restarts of a container that keeps ending: 1 s, 2 s, 4 s, at most 10 s.

A kubelet begins at 10 s and ends at 5 min; here a test waits.
"""

from dataclasses import dataclass


FIRST_SECONDS = 1.0
LONGEST_SECONDS = 10.0
GOOD_RUN_SECONDS = 60.0


@dataclass(slots=True)
class Backoff:
    """The pauses of one container."""

    _next: float = FIRST_SECONDS

    def after(self, ran_seconds: float) -> float:
        """The pause before the next start, after a run of this length."""
        if ran_seconds >= GOOD_RUN_SECONDS:
            self._next = FIRST_SECONDS
        pause = self._next
        self._next = min(pause * 2, LONGEST_SECONDS)
        return pause
