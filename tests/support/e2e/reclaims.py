"""An owner reclaims what several quotas have borrowed: the worst time to lose a leader.

Pods are of one cpu, and each victim makes room for one that waits. So evictions can be counted, and
one too many is wrong.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import audit
import settled
from scenes import LOW, Pool
from waiting import eventually


PODS, TAKEN = map(int, os.environ.get("RECLAIM", "24x8").split("x"))
"""How many run, and how many of them must go; ``RECLAIM=1000x200`` is the long form."""

BORROWERS = 4 + PODS // 60
WITHIN = 30 + TAKEN
"""Seconds: four evictions at once, then two a second."""


class Reclaim:
    """The pool during the reclaim."""

    def __init__(self, new_pool: Callable[..., Pool], audit_log: Path) -> None:
        self.pool = new_pool(nodes=4, cpu=-(-PODS // 4))
        self._log = audit_log
        self._since = audit.end(audit_log)
        self._borrowers = [f"borrower-{number}" for number in range(BORROWERS)]
        self.owners: list[str] = []

    def begin(self) -> None:
        """Everything is borrowed, then the owner's pods come; returns once the first pod is
        evicted.
        """
        self.pool.quota("owner", min=TAKEN, max=TAKEN)
        room = 4 * -(-PODS // 4)
        for number, borrower in enumerate(self._borrowers):
            self.pool.quota(borrower, max=room)
            count = room // BORROWERS + (number < room % BORROWERS)
            self.pool.pods(borrower, count, priority=LOW)
        eventually(lambda: len(self.pool.running()), room, within=30 + PODS // 10)
        self.owners = self.pool.pods("owner", TAKEN)
        eventually(self.evicted, bool)

    def evicted(self) -> list[str]:
        """Names of the pods whose eviction was accepted, with repetitions."""
        writes = audit.writes(self._log, "pods/eviction", self.pool.namespace, since=self._since)
        return [write.name for write in writes if write.code == 201]

    def ended_well(self) -> None:
        """Check: the owner has its share, no pod was evicted in vain or twice, and all figures
        agree.
        """
        eventually(lambda: self.pool.running("owner"), set(self.owners), within=WITHIN)
        eventually(lambda: settled.faults(self.pool), [], within=30)
        gone = Counter(self.evicted())
        assert set(gone.values()) == {1}, gone
        # The answer to the last eviction of a killed process is lost, in the audit log too.
        assert TAKEN - 2 <= len(gone) <= TAKEN
        left = self.pool.running() | self.pool.gated()
        assert len(left) == 4 * -(-PODS // 4)
