"""Expected pods: admitted pods without a node that the scheduler should place within seconds.

Such a pod holds up others: it is assumed on a node, and no release may leave it without room if it
may preempt (``unbound``). That ends by the clock of the controller: ``EXPECTED_FOR`` after the
controller first saw the pod without our gate and without a node, or ``REFUSED_FOR`` if the
scheduler refuses it. From then on the pod holds its amounts and nothing else. What its owner can
write never prolongs this time: the label with the time of its release only shortens it, so that
after a restart it does not begin again.

A series of such pods could still hold up an owner, so a quota waits for them for ``EXPECTED_FOR``
in all with pods within its min.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota.model.clocks import Clocks
from elasticquota.model.pod import Pod


EXPECTED_FOR: Final = 8_000
"""Milliseconds for which a pod is expected."""

REFUSED_FOR: Final = 5_000
"""The same for a pod that the scheduler refuses: it knows a reason that we do not."""


class ExpectedPods:
    """Mutable; one per tree and cycle."""

    def __init__(self, before: Clocks | None = None, now: int = 0, time: int = 0) -> None:
        """``before`` are the clocks of the last cycle.

        ``now`` is in milliseconds of their clock, ``time`` that of the wall clock.
        """
        self.before = before or Clocks()
        self._now = now
        self._time = time
        self.held_since: dict[str, int] = {}
        """Quota name -> since when its pods within min wait for expected pods only."""

    def includes(self, pod: Pod) -> bool:
        """Whether ``pod``, which is admitted and has no node, is expected."""
        return self._now < self._end(pod)

    def hold_up(self, quota: str) -> bool:
        """Whether a pod of ``quota`` within its min waits for expected pods; note that it does."""
        since = self.held_since[quota] = self.before.held_since.get(quota, self._now)
        return self._now < since + EXPECTED_FOR

    def seen_since(self, pods: Iterable[tuple[Pod, str]]) -> dict[str, int]:
        """By uid, since when ``pods``, which are admitted, are known to have no node."""
        before, now = self.before.unbound_since, self._now
        return {pod.uid: before.get(pod.uid, now) for pod, _ in pods}

    def due(self, pods: Iterable[tuple[Pod, str]]) -> Iterator[int]:
        """When each of ``pods`` is expected no longer, and quotas wait no longer for them."""
        yield from (self._end(pod) for pod, _ in pods)
        yield from (since + EXPECTED_FOR for since in self.held_since.values())

    def _end(self, pod: Pod) -> int:
        seen, released = self.before.unbound_since.get(pod.uid, self._now), pod.unplaced_since
        if released is not None:
            seen = min(seen, self._now + released - self._time)
        return seen + (REFUSED_FOR if pod.refused else EXPECTED_FOR)
