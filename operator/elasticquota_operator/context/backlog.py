"""What is admitted and not carried out yet; while it is much, other writes give way.

While many pods are ungated, and until nodes accept them, the API server's time goes to that:
statuses are written one at a time, and annotations, which repeat them, one a second.
"""

from collections import deque
from typing import Final, Protocol

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release
from elasticquota_operator.workqueue.work_queue import loop_time


ON_THE_WAY: Final = 20.0
"""Seconds after its release for which a pod is on its way, unless a node accepts it or the
scheduler finds none for it; on a busy machine it takes more than five."""
RELEASING: Final = 16
"""Releases under way at one time. An API server on two cores is busy with as many; with half of
them it waits for us half of the time."""


class AdmittedQueue(Protocol):
    """What was admitted and waits for its write (``workqueue.workers``)."""

    @property
    def is_backlogged(self) -> bool: ...


class Backlog:
    """Writers that admit add their queue once, and each pod that they released."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queues: list[AdmittedQueue] = []
        self._on_the_way: deque[tuple[float, Release]] = deque()
        """Released pods, and until when each may be on its way; the first ones come first."""

    def add_queue(self, queue: AdmittedQueue) -> None:
        """Count what waits in ``queue``."""
        self._queues.append(queue)

    def add_released(self, release: Release) -> None:
        """Count a pod until a node accepts it."""
        self._on_the_way.append((loop_time() + ON_THE_WAY, release))

    def admitting_many(self) -> bool:
        """Whether more pods or jobs are admitted than may be started at a time."""
        return any(queue.is_backlogged for queue in self._queues)

    def ungating_many(self) -> bool:
        """Whether statuses, annotations and events yield to ungating."""
        return self.admitting_many() or self.awaits_nodes()

    def awaits_nodes(self) -> bool:
        """Whether no node has accepted more than `RELEASING` pods that were just released yet.

        The scheduler and the nodes need the API server for these, as the releases did.
        """
        way = self._on_the_way
        while way and (way[0][0] <= loop_time() or self._has_arrived(way[0][1])):
            way.popleft()
        return len(way) > RELEASING

    def _has_arrived(self, release: Release) -> bool:
        pod = self._ledger.pods.get(release.pod)
        return pod is None or pod.uid != release.uid or pod.started != "" or pod.refused
