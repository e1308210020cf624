"""What orders the jobs: their priority classes, the priorities in their units, and the queues.

Watches fill it (``queueunit_writer``, ``queue_writer``). What it says applies from the next cycle
on.
"""

import structlog

from elasticquota.jobs import queue_units, queues
from elasticquota.model.key import Key
from elasticquota.model.queue_order import QueueOrder
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.integrations.job_queues import JobQueue
from elasticquota_kube.informer.store import Store
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.informers.priority_classes import PriorityClasses
from elasticquota_operator.jobs.queued_job import Queued


log = structlog.get_logger(__name__)


class JobOrdering:
    """One for all kinds of jobs; ``by_priority``: priorities of queues count."""

    def __init__(self, context: ControllerContext, *, by_priority: bool = False) -> None:
        self._touch = context.touch
        self._by_priority = by_priority
        self._queue_order: QueueOrder | None = None
        self.changes = 0
        """How often the priorities of jobs may have changed."""
        self.classes = PriorityClasses(context.api, self._reorder)
        self.units = ManifestStore()
        self.queues: Store[StatusManifest, JobQueue] = Store(_read, self._compare)

    def requeue(self) -> None:
        """Refresh all jobs before the next cycle: their priorities may have changed."""
        self.changes += 1
        self._touch()

    def priority(self, found: Queued) -> int:
        """The priority of a job; 0 where its queue ignores priorities."""
        if queues.by_age(self.queues.get(Key(queues.HOME, found.quota))):
            return 0
        said = queue_units.priority(self.units.get(queue_units.place(found.job)))
        return self.classes.of(found.job) if said is None else said

    def blocking(self) -> frozenset[str]:
        """Names of the quotas with strict queues."""
        return queues.blocking(self.queues.list())

    def queue_order(self) -> QueueOrder:
        """What the queues say about the order; the same value until that changes."""
        if self._queue_order is None:
            self._queue_order = queues.in_order(
                self.queues.list(), self.classes.value, by_priority=self._by_priority
            )
        return self._queue_order

    def _compare(self, _key: Key, before: JobQueue | None, now: JobQueue | None) -> None:
        if before is None or now is None or _rules(before) != _rules(now):
            self._reorder()

    def _reorder(self) -> None:
        self._queue_order = None
        self.requeue()


def _read(obj: StatusManifest) -> JobQueue:
    queue = job_queues.read(obj)
    for fault in queue.faults:
        log.warning("queue not understood", queue=str(queue.key), why=str(fault))
    return queue


def _rules(queue: JobQueue) -> tuple[str, int | None, str]:
    return queue.policy, queue.priority, queue.priority_class
