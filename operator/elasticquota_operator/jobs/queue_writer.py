"""Keep a ``Queue`` for each leaf that follows a tree of ACK, or for all, and read its policy.

Queues of other creators stay. The order in a queue's spec applies from the next cycle on; its
status is written and never read.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import structlog

from elasticquota import names
from elasticquota.jobs import queues
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.integrations.job_queues import JobPosition, JobQueue
from elasticquota_kube.client import paths
from elasticquota_kube.client.rest import errors
from elasticquota_kube.informer.store import FanOut, Store
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.workqueue.workers import Workers


INTERVAL: Final = 5.0
"""Seconds between two writes to one queue."""

LOOKS_EVERY: Final = 1.0
"""Seconds between two looks at all lines, which change with every job."""

log = structlog.get_logger(__name__)


class QueueWriter:
    """Call ``apply()`` in each cycle; ``run()`` is a task."""

    def __init__(
        self,
        context: ControllerContext,
        jobs: JobLookup,
        ordering: JobOrdering,
        *,
        of_all_quotas: bool = False,
        every: float = crd_informer.ASKS_EVERY,
        interval: float = INTERVAL,
    ) -> None:
        """``of_all_quotas``: not only those of leaves that follow a tree have a queue."""
        self._api = context.api
        self._of_all_quotas = of_all_quotas
        self._ledger = context.ledger
        self._quotas = context.quotas
        self._jobs = jobs
        self._ordering = ordering
        self._queues = ordering.queues
        self._manifests: Store[StatusManifest, StatusManifest] = Store(
            lambda obj: obj, lambda *_: context.touch(), on_synced=context.touch
        )
        self._informer = CrdInformer(
            context.api,
            [paths.JOB_QUEUES],
            StatusManifest,
            lambda _: FanOut(self._queues, self._manifests),
            namespace=queues.HOME,
            every=every,
            on_unread=context.unread,
        )
        self.filled = self._informer.filled
        self._looks: Workers[str, str] = Workers(
            "looks at queues", self._look, interval=min(interval, LOOKS_EVERY)
        )
        self._writes: Workers[Key, Callable[[], Any]] = Workers(
            "queues", self._write, interval=interval, yields=context.backlog.admitting_many
        )

    def apply(self, _decisions: Decisions) -> None:
        """Compare queues with leaves soon."""
        if self._informer.has_synced:
            self._looks.put(queues.HOME, queues.HOME)

    async def run(self) -> None:
        """Watch and write until canceled, once the API server serves the kind."""
        await run_all(self._informer, self._looks, self._writes)

    async def _look(self, _home: str) -> None:
        leaves = {quota.name: quota.key for quota in self._leaves()}
        found = queues.steps(leaves, self._queues.values, self._ours())
        items: dict[Key, Callable[[], Any]] = {}
        for name in found.make:
            items[Key(queues.HOME, name)] = partial(self._make, name, leaves[name])
        for queue in found.remove:
            items[queue.key] = partial(self._remove, queue)
        come_or_go, statuses = frozenset(items), self._statuses()
        for key, wanted in statuses.items():
            items.setdefault(key, partial(self._show, key, wanted))
        self._writes.replace_changed(
            items,
            lambda key, _: key in come_or_go or self._manifests.values[key].status != statuses[key],
        )

    def _leaves(self) -> list[Any]:
        reserved = names.RESERVED_QUOTAS
        return [
            each
            for each in self._ledger.quotas.values()
            if not (each.is_parent or each.is_root or each.name in reserved)
            and (each.kept_for == "ack" or self._of_all_quotas)
        ]

    def _ours(self) -> list[Key]:
        return [
            key
            for key, stored in self._manifests.values.items()
            if names.SOURCE in (stored.metadata.annotations or {})
        ]

    def _statuses(self) -> Mapping[Key, dict[str, Any]]:
        places: dict[str, list[JobPosition]] = {}
        for found in self._jobs.queued.values():
            if found.place:
                place = JobPosition(found.job.key, self._ordering.priority(found), found.place)
                places.setdefault(found.quota, []).append(place)
        return {key: queues.status(key.name, places.get(key.name, ())) for key in self._ours()}

    async def _write(self, item: Callable[[], Any]) -> None:
        with errors.ignore_not_found():
            await item()

    async def _make(self, name: str, quota: Key) -> None:
        stored = self._quotas.get(quota) or {}
        annotations = (stored.get("metadata") or {}).get("annotations") or {}
        source = annotations.get(names.SOURCE) or f"quota:{quota}"
        manifest = queues.manifest(name, source)
        await self._api.create(paths.JOB_QUEUES, queues.HOME, manifest)
        log.info("queue created", queue=name)

    async def _remove(self, queue: JobQueue) -> None:
        await self._api.delete(paths.JOB_QUEUES, queues.HOME, queue.key.name, uid=queue.uid)
        log.info("queue deleted, its leaf is gone", queue=queue.key.name)

    async def _show(self, key: Key, wanted: dict[str, Any]) -> None:
        # Entries of others stay; a list is written whole.
        await self._api.patch(
            paths.JOB_QUEUES, key.namespace, key.name, {"status": wanted}, subresource="status"
        )
