"""The estimates for all queues: which are due, the last ones, and what they promised.

An estimate is due when something of its quota changed, at most every ten seconds, and when its
upper end passed in vain, each time after twice as long. A cycle makes a few of those that are due,
the oldest first. So estimates cost nothing while nothing moves, and a bounded part of each cycle
otherwise.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota.forecast.accuracy import Prediction
from elasticquota.forecast.estimator import Estimate
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.structs import Struct, field


INTERVAL: Final = 10_000
"""Milliseconds between two estimates for one queue."""
PER_CYCLE: Final = 8
"""Estimates of one cycle."""
_PREDICTION: Final = 300_000
"""Milliseconds between two promises that are kept for one workload."""
_PREDICTIONS: Final = 64
"""Promises of one quota at a time."""
_PATIENCE: Final = 60_000
"""Milliseconds at least until an estimate is made again for no other reason than time."""


class _Queue(Struct):
    estimate: WaitEstimate | None = None
    patience: int = _PATIENCE
    promises: dict[str, list[Prediction]] = field(default_factory=dict)
    """What was said about waiting workloads, by uid."""

    @property
    def made_at(self) -> int:
        return -INTERVAL if self.estimate is None else self.estimate.made_at

    @property
    def expires(self) -> int | None:
        made = self.estimate
        if made is None or not made.positions or made.positions[0].high is None:
            return None
        return made.made_at + max(self.patience, made.positions[0].high * 1000)

    def promise(self, uid: str, made: Prediction) -> None:
        """Keep what was said, unless that of the last minutes or enough for others is kept."""
        known = self.promises.get(uid, [])
        young = known and made.made_at - known[-1].made_at < _PREDICTION
        if not young and sum(map(len, self.promises.values())) < _PREDICTIONS:
            self.promises[uid] = [*known, made]


class QueueEstimates:
    """Mutable. Times are epoch milliseconds."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._due: set[str] = set()
        self._expiries: list[tuple[int, str]] = []
        """A heap; an entry whose queue expires at another time is out of date."""

    def last(self, quota: str) -> WaitEstimate | None:
        """Return the last estimate for a queue; None: nothing waits in it."""
        queue = self._queues.get(quota)
        return None if queue is None else queue.estimate

    def quotas(self) -> AbstractSet[str]:
        """Return the quotas in whose queues workloads wait."""
        return self._queues.keys()

    def changed(self, quota: str) -> None:
        """Note that something of a quota changed in whose queue workloads wait."""
        queue = self._queues.get(quota)
        if queue is None:
            queue = self._queues[quota] = _Queue()
        queue.patience = _PATIENCE
        self._due.add(quota)

    def drop(self, quota: str) -> bool:
        """Note that nothing waits in the queue of a quota; return whether it had an estimate."""
        self._due.discard(quota)
        queue = self._queues.pop(quota, None)
        return queue is not None and queue.estimate is not None

    def left(self, quota: str, uid: str) -> Iterable[Prediction]:
        """Return and forget what was promised to a workload that starts or is gone."""
        queue = self._queues.get(quota)
        return () if queue is None else queue.promises.pop(uid, ())

    def make(self, now: int, estimate: Callable[[str], Estimate]) -> Iterator[str]:
        """Make the estimates that are due; yield the quotas that got one."""
        self._expire(now)
        if not self._due:
            return
        oldest = sorted(self._due, key=lambda name: (self._queues[name].made_at, name))
        for name in oldest[:PER_CYCLE]:
            queue = self._queues[name]
            if queue.made_at > now - INTERVAL:
                return
            published, promises = estimate(name)
            queue.estimate = published
            for uid, prediction in promises:
                queue.promise(uid, prediction)
            self._due.discard(name)
            if queue.expires is not None:
                heapq.heappush(self._expiries, (queue.expires, name))
            yield name

    def next_at(self) -> int | None:
        """Return when the next estimate is due; None: not before something changes."""
        first = [self._queues[name].made_at + INTERVAL for name in self._due]
        if self._expiries:
            first.append(self._expiries[0][0])
        return min(first, default=None)

    def _expire(self, now: int) -> None:
        while self._expiries and self._expiries[0][0] <= now:
            at, name = heapq.heappop(self._expiries)
            queue = self._queues.get(name)
            if queue is None or name in self._due or queue.expires is None:
                continue
            if queue.expires > now:  # estimated again, or with new patience, since
                if queue.expires != at:
                    heapq.heappush(self._expiries, (queue.expires, name))
                continue
            queue.patience *= 2
            self._due.add(name)
