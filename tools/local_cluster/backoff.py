"""Delays the restarts of a program that keeps ending: each pause is twice the one before."""

from dataclasses import dataclass


@dataclass(slots=True)
class Backoff:
    """The pauses of one program, in seconds."""

    first: float
    longest: float
    good_run: float
    """After a run of this length it begins again."""
    _next: float = 0.0

    def after(self, ran: float) -> float:
        """The pause before the next start, after a run of ``ran`` seconds."""
        pause = self.first if ran >= self.good_run or not self._next else self._next
        self._next = min(pause * 2, self.longest)
        return pause
