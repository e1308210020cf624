"""A pool under constant load, and a check that it continues as if nothing had happened.

Two teams have half of the nodes each and more pods than fit. Nothing is borrowed, so every eviction
is wrong. Pods are of one cpu.
"""

import time
from pathlib import Path

import audit
import settled
from scenes import Pool
from waiting import eventually


TEAMS = ("north", "south")
EACH, BEYOND = 4, 2
"""Pods of a team that run, and that wait."""


class Work:
    """Starts when it is created, on a pool of 16 cpus."""

    def __init__(self, pool: Pool, audit_log: Path) -> None:
        self.pool = pool
        self._log = audit_log
        self._since = audit.end(audit_log)
        for team in TEAMS:
            pool.quota(team, min=EACH, max=EACH)
            pool.pods(team, EACH + BEYOND)
        eventually(lambda: [len(pool.running(team)) for team in TEAMS], [EACH] * len(TEAMS))

    def forget(self) -> None:
        """Ignore the evictions so far: they were right."""
        self._since = audit.end(self._log)

    def evicted(self) -> list[audit.Request]:
        """Every eviction that was requested."""
        return audit.writes(self._log, "pods/eviction", self.pool.namespace, since=self._since)

    def goes_on(self, within: float = 30.0) -> float:
        """Seconds until free room is used again; then all must be as it should be."""
        first, last = TEAMS
        leaving = sorted(self.pool.running(first))[:BEYOND]
        waiting = self.pool.gated(first)
        began = time.monotonic()
        self.pool.delete_pods(*leaving)
        eventually(lambda: waiting <= self.pool.running(first), True, within)
        took = time.monotonic() - began
        self.pool.pods(first, BEYOND, prefix="next")
        eventually(lambda: len(self.pool.gated(first)), BEYOND)
        self.pool.quota("late", min=2, max=2)
        late = self.pool.pods("late", 2)
        eventually(lambda: self.pool.running("late"), set(late), within)
        eventually(lambda: settled.faults(self.pool), [], within)
        assert len(self.pool.running(last)) == EACH
        assert self.evicted() == []
        return took
