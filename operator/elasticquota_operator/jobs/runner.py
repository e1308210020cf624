"""All that queues jobs: their watches, the controller, and the units that show them.

With no kind of job enabled, nothing is watched and no decision changes.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from elasticquota.jobs import table
from elasticquota.jobs.adapter import Adapter
from elasticquota.jobs.phase import Terms
from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Recorder
from elasticquota_operator.informers.manifest_store import ManifestStore
from elasticquota_operator.informers.priority_classes import PriorityClasses
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import JobWatch
from elasticquota_operator.jobs.queue_writer import QueueWriter
from elasticquota_operator.jobs.queued_job import Queued
from elasticquota_operator.jobs.queueunit_writer import QueueUnitWriter
from elasticquota_operator.runnable import Runnable


class _Watching(Runnable, Protocol):
    @property
    def filled(self) -> asyncio.Event: ...


class JobRunner:
    """``look()`` before each round, ``take()`` after it when we lead; ``run()`` as a task."""

    def __init__(
        self,
        api: Api,
        ledger: Ledger,
        quotas: ManifestStore,
        recorder: Recorder,
        touch: Callable[[], None],
        *,
        adapters: Sequence[Adapter],
        terms: Terms,
        books: Callable[[], Books],
        leading: Callable[[], bool],
        yields: Callable[[], bool] = lambda: False,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        """``touch`` wakes the engine; ``books`` are balanced. Units give way to what is urgent."""
        self.labels = table.labels(adapters)
        """By which jobs know their pods, the outer ones first."""
        self._adapters = adapters
        self.desk = JobController(
            api,
            ledger,
            recorder,
            touch,
            books=books,
            priority=self._priority,
            leading=leading,
            now=lambda: time.time_ns() // 1_000_000,
            terms=terms,
        )
        self._priorities = PriorityClasses(api, self.desk.requeue)
        self._watches = [
            JobWatch(api, adapter, self.desk, on_restart=on_restart) for adapter in adapters
        ]
        self._units = QueueUnitWriter(api, self.desk, self._priorities.of, yields=yields)
        self._lines = QueueWriter(api, ledger, quotas, self.desk, touch, yields=yields)
        watching: Sequence[_Watching] = (self._priorities, *self._watches, self._units, self._lines)
        self._parts: Sequence[Runnable] = (*watching, self.desk)
        self.filled: Sequence[asyncio.Event] = ()
        """All set once it is known which jobs there are."""
        if adapters:
            self.filled = tuple(part.filled for part in watching)

    def is_backlogged(self) -> bool:
        """Whether more jobs are to be started or suspended than may be at one time."""
        return self.desk.is_backlogged()

    def look(self) -> None:
        """Update the placeholders."""
        self.desk.look()

    def take(self, decisions: Decisions) -> Decisions:
        """Carry out what is about jobs; returns what is about pods."""
        if not self._adapters:
            return decisions
        rest = self.desk.take(decisions)
        self._units.take()
        self._lines.take()
        return rest

    def blocking(self) -> frozenset[str]:
        """Names of the quotas with strict queues."""
        return self._lines.blocking()

    async def run(self) -> None:
        """Watch and write until cancelled; returns at once when no kind is to be queued."""
        if not self._adapters:
            return
        async with asyncio.TaskGroup() as tasks:
            for part in self._parts:
                tasks.create_task(part.run())

    def _priority(self, found: Queued) -> int:
        if self._lines.by_age(found.quota):
            return 0
        said = self._units.priority(found.job)
        return self._priorities.of(found.job) if said is None else said
