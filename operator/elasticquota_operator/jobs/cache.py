"""The cache of queued jobs, as they were last seen.

The watches and the API server's answers to our own writes come in the same way: into a store for
each kind, in which nothing old replaces what is newer. A job that was made by another queued job
belongs to that one, and is not kept.
"""

from collections.abc import Callable, Mapping

from elasticquota.jobs import job, phase
from elasticquota.jobs.adapter import Adapter, Kind
from elasticquota.jobs.job import Job
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.informers.manifest_store import Manifest, ManifestStore
from elasticquota_operator.jobs.queued_job import Queued
from elasticquota_operator.workqueue.delaying_queue import DelayingQueue
from elasticquota_operator.workqueue.item_backoff import ItemBackoff


class JobCache:
    """Each job to which something happened is put into the queue, and ``touch`` called.

    Who goes leaves nothing in ``ledger``, ``agenda`` and ``resting``.
    """

    def __init__(
        self,
        ledger: Ledger,
        agenda: DelayingQueue,
        resting: ItemBackoff[Key],
        touch: Callable[[], None],
        leading: Callable[[], bool],
    ) -> None:
        self._ledger = ledger
        self._delayed = agenda
        self._resting = resting
        self._touch = touch
        self._leading = leading
        self._stores: dict[Kind, ManifestStore] = {}
        self._queued: dict[Key, Queued] = {}

    @property
    def queued(self) -> Mapping[Key, Queued]:
        """By stand-in; live."""
        return self._queued

    def store(self, adapter: Adapter, resource: Resource) -> ManifestStore:
        """Where the objects of one kind are put as they are seen."""

        def put(document: Manifest) -> None:
            self._see(adapter, resource, document)

        def drop(key: Key) -> None:
            self._lose(phase.place(key, adapter))

        self._stores[adapter.identity] = store = ManifestStore(put, drop)
        for key in [key for key, found in self._queued.items() if self._is_part(found.job)]:
            self._lose(key)
        return store

    def show(self, found: Queued, made: Manifest) -> None:
        """What the API server has made of a job that we wrote on."""
        self._stores[found.adapter.identity].put(made)
        key = phase.place(found.job.key, found.adapter)
        if key in self._queued:
            self._delayed.put_next(key)  # what was made may be old: its user may have been faster
            self._touch()

    def forget(self, key: Key) -> None:
        """Remove its placeholder."""
        if key in self._ledger.pods:
            self._ledger.delete_pod(key)

    def _see(self, adapter: Adapter, resource: Resource, document: Manifest) -> None:
        found = job.read(document, adapter)
        key = phase.place(found.key, adapter)
        if self._is_part(found):
            self._lose(key)
            return
        before = self._queued.get(key)
        if before is None or before.job.uid != found.uid:
            written = phase.written(document)
            self._queued[key] = Queued(adapter, resource, document, found, written)
            # Whose it is, and what of it is there, the next round says.
            self.forget(key)
        else:
            if not self._leading():
                before.course = phase.written(document)
            before.document, before.job = document, found
        self._delayed.put_next(key)
        self._touch()

    def _lose(self, key: Key) -> None:
        if self._queued.pop(key, None) is not None:
            self._delayed.strike(key)
            self._resting.forget(key)
            self.forget(key)
            self._touch()

    def _is_part(self, found: Job) -> bool:
        """Whether a job of a kind that is queued made it."""
        if found.owner is None:
            return False
        group = found.owner.api_version.rpartition("/")[0]
        return Kind(group, found.owner.kind) in self._stores
