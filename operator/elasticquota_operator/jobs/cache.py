"""The cache of queued jobs: their last known state.

Watch events and the API server's answers to our own writes go into one store per kind, in which an
older version never replaces a newer one. A job that another queued job created belongs to that one
and is not kept. Neither is one that another system queues (``suspension``).
"""

from collections.abc import Callable, Mapping

from elasticquota.jobs import job, phase, suspension
from elasticquota.jobs.adapter import JobAdapter, JobKind
from elasticquota.jobs.job import Job
from elasticquota.model.key import Key
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore
from elasticquota_operator.jobs.queued_job import JobSink, Queued
from elasticquota_operator.workqueue.work_queue import WorkQueue


class JobCache:
    """Adds each changed job to ``delayed`` and wakes the engine.

    A deleted job leaves nothing in the ledger and ``delayed``; ``gone`` is called with its key.
    """

    def __init__(
        self,
        context: ControllerContext,
        delayed: WorkQueue[Key],
        gone: Callable[[Key], None],
        sink: JobSink,
    ) -> None:
        self._sink = sink
        self._external = context.settings.configuration.jobs.external_queue_labels
        self._delayed = delayed
        self._touch = context.touch
        self._leading = context.leading
        self._gone = gone
        self._stores: dict[JobKind, ManifestStore] = {}
        self._queued: dict[Key, Queued] = {}

    @property
    def queued(self) -> Mapping[Key, Queued]:
        """Queued jobs by their key in the ledger; a live view."""
        return self._queued

    def store(self, adapter: JobAdapter, resource: Resource) -> ManifestStore:
        """A store for the objects of one kind, which the watch fills."""

        def change(key: Key, _before: Manifest | None, now: Manifest | None) -> None:
            if now is None:
                self._lose(phase.ledger_key(key, adapter))
            else:
                self._see(adapter, resource, now)

        self._stores[adapter.identity] = store = ManifestStore(change)
        for key in [key for key, found in self._queued.items() if self._is_part(found.job)]:
            self._lose(key)
        return store

    def show(self, queued: Queued, made: Manifest) -> None:
        """Take the API server's answer to our write on a job."""
        self._stores[queued.adapter.identity].upsert(made)
        key = phase.ledger_key(queued.job.key, queued.adapter)
        if key in self._queued:
            self.refresh(key)  # the answer may be old: a user may have written since

    def refresh(self, key: Key) -> None:
        """Refresh the job of ``key`` in the next cycle."""
        self._delayed.add(key)
        self._touch()

    def _see(self, adapter: JobAdapter, resource: Resource, document: Manifest) -> None:
        current_job = job.read(document, adapter)
        key = phase.ledger_key(current_job.key, adapter)
        if self._is_part(current_job) or suspension.is_external(document, self._external):
            self._lose(key)
            return
        before = self._queued.get(key)
        if before is None or before.job.uid != current_job.uid:
            written = phase.stored(document)
            self._queued[key] = Queued(adapter, resource, document, current_job, written)
            # The next cycle finds its quota and its pods.
            self._sink.delete_job(key)
        else:
            if not self._leading():
                before.phase = phase.stored(document)
            before.document, before.job = document, current_job
        self.refresh(key)

    def _lose(self, key: Key) -> None:
        if self._queued.pop(key, None) is not None:
            self._delayed.remove(key)
            self._gone(key)
            self._sink.delete_job(key)
            self._touch()

    def _is_part(self, current_job: Job) -> bool:
        """Whether its owner is a job of a kind that is queued."""
        if current_job.owner is None:
            return False
        return JobKind(current_job.owner.group, current_job.owner.kind) in self._stores
