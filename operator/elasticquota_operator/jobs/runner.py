"""The parts that queue jobs: watches, job controller, and writers of units and queues.

If no kind of job is enabled, nothing is watched and no decision changes.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from elasticquota.jobs import suspension
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import Terms
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.decision import Eviction, Release, WorkloadDecisions
from elasticquota_config.sections.dialects import Dialects
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import Runnable
from elasticquota_operator.informers.priority_classes import PriorityClasses
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import job_informer
from elasticquota_operator.jobs.queue_writer import QueueWriter
from elasticquota_operator.jobs.queued_job import JobSink, Queued
from elasticquota_operator.jobs.queueunit_writer import QueueUnitWriter


_NO_SWITCHES: Final = Dialects()


class _Watching(Runnable, Protocol):
    @property
    def filled(self) -> asyncio.Event: ...


class JobRunner:
    """Call ``controller.refresh()`` before each cycle, and ``apply()`` after it if leading.

    ``run()`` is a task; ``queues`` has what the Queues say.
    """

    def __init__(
        self,
        context: ControllerContext,
        *,
        adapters: Sequence[JobAdapter],
        terms: Terms,
        dialects: Dialects = _NO_SWITCHES,
        snapshot: Callable[[], ClusterSnapshot],
        yields: Callable[[], bool] = lambda: False,
        on_started: Callable[[Release], None] = lambda _release: None,
        on_suspended: Callable[[Eviction], None] = lambda _eviction: None,
        sink: JobSink | None = None,
        external: Sequence[str] = suspension.EXTERNAL,
    ) -> None:
        """``snapshot`` is of now; units wait while ``yields()``; ``sink`` takes the jobs, but those
        of other systems, which have one of the labels ``external``.
        """
        self.labels = table.labels(adapters)
        """By which jobs know their pods, the outer ones first."""
        self._adapters = adapters
        self.controller = JobController(
            context,
            snapshot=snapshot,
            priority=self._priority,
            now=lambda: time.time_ns() // 1_000_000,
            terms=terms,
            on_started=on_started,
            on_suspended=on_suspended,
            sink=sink,
            external=external,
        )
        self._priorities = PriorityClasses(context.api, self._reorder)
        self._watches = [job_informer(context, each, self.controller) for each in adapters]
        self._units = QueueUnitWriter(
            context.api, self.controller, self._priorities.of, yields=yields
        )
        self.queues = QueueWriter(
            context,
            self.controller,
            of_all_quotas=dialects.queue_per_quota,
            by_priority=dialects.queue_priority,
            class_value=self._priorities.value,
            yields=yields,
        )
        watching: Sequence[_Watching] = (self._priorities, *self._watches, self._units, self.queues)
        self._parts: Sequence[Runnable] = (*watching, self.controller)
        self.filled: Sequence[asyncio.Event] = ()
        """All set once it is known which jobs there are."""
        if adapters:
            self.filled = tuple(part.filled for part in watching)

    def apply(self, decided: WorkloadDecisions) -> None:
        """Carry out the decisions about jobs."""
        if self._adapters:
            self.controller.apply(decided)
            self._units.apply()
            self.queues.apply()

    async def run(self) -> None:
        """Watch and write until canceled; return at once if no kind is enabled."""
        if not self._adapters:
            return
        async with asyncio.TaskGroup() as tasks:
            for part in self._parts:
                tasks.create_task(part.run())

    def _reorder(self) -> None:
        self.queues.reorder()
        self.controller.requeue()

    def _priority(self, found: Queued) -> int:
        if self.queues.by_age(found.quota):
            return 0
        said = self._units.priority(found.job)
        return self._priorities.of(found.job) if said is None else said
