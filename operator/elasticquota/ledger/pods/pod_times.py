"""The times at which pods count differently without an event.

They are deleted, or without a node for long: the administrator chooses when that comes
(``accounting``). Or they are no longer newer than what may be known of quotas.
"""

from collections.abc import Callable
from typing import Final

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted


NEW: Final = 3_000
"""Milliseconds from its creation time, whole seconds, in which a pod or job may be seen before a
quota that was created before it: each kind of object is watched by itself."""


class PodTimes:
    """The clock, and the times of the counted pods; mutable, epoch milliseconds."""

    def __init__(
        self, accounting: Accounting, now: int, timeout: Callable[[Pod], int] | None = None
    ) -> None:
        """``timeout`` returns milliseconds without a node after which a pod is no request.

        0: it always is; None: as in ``accounting`` for all pods.
        """
        self._timeout = timeout
        self.now = now
        """The wall clock."""
        self._accounting = accounting
        self._times: dict[Key, tuple[int, ...]] = {}

    @property
    def next_in(self) -> int | None:
        """Milliseconds until the next pod counts differently, or None."""
        found = (time for times in self._times.values() for time in times)
        return min((time - self.now for time in found if time > self.now), default=None)

    def advance(self, now: int) -> set[Key]:
        """Set the clock, which may go back; return the pods that count differently for it."""
        before, self.now = self.now, now
        return {
            key
            for key, times in self._times.items()
            if any((time <= before) != (time <= now) for time in times)
        }

    def add(self, pod: Pod) -> None:
        """Note the times of ``pod``."""
        counting = self._accounting
        end = counting.end_of(pod)
        times = [end, self._stuck_from(pod) if end is None else None]
        if pod.deleting:
            times += [counting.leaves_from(pod), counting.late_from(pod)]
        known = tuple([time for time in times if time is not None])
        if known:
            self._times[pod.key] = known

    def remove(self, key: Key) -> None:
        """Drop the times of a pod, if it has any."""
        self._times.pop(key, None)

    def is_new(self, found: Counted) -> bool:
        """Whether a quota that was created before it may not be seen yet; notes until when.

        False if it was created later than now: then the two clocks do not agree.
        """
        created = moments.read(found.created)
        if created is None or not created <= self.now < created + NEW:
            return False
        known = self._times.get(found.key, ())
        self._times[found.key] = tuple(dict.fromkeys((*known, created + NEW)))
        return True

    def is_over(self, pod: Pod) -> bool:
        """Whether a terminating pod no longer counts."""
        return self._is_past(self._accounting.end_of(pod))

    def is_stuck(self, pod: Pod) -> bool:
        """Whether an admitted pod has had no node for too long."""
        return self._is_past(self._stuck_from(pod))

    def is_late(self, pod: Pod) -> bool:
        """Whether a deleted pod should be gone by now."""
        return self._is_past(self._accounting.late_from(pod))

    def is_leaving(self, pod: Pod) -> bool:
        """Whether the room of a deleted pod counts as returning, as long as it is not late."""
        begins = self._accounting.leaves_from(pod)
        return begins is None or begins <= self.now

    def _stuck_from(self, pod: Pod) -> int | None:
        if self._timeout is None or pod.unplaced_since is None:
            return self._accounting.stuck_from(pod)
        timeout = self._timeout(pod)
        return pod.unplaced_since + timeout if timeout else None

    def _is_past(self, time: int | None) -> bool:
        return time is not None and time <= self.now


def is_timeless(pod: Pod) -> bool:
    """Return whether time alone never changes how ``pod`` counts, as of most pods."""
    return pod.unplaced_since is None and pod.gone_after is None and not pod.deleting
