"""Show each queued job as a ``QueueUnit``: its phase, its position, why it waits.

Units are late while many jobs start, and then most of them say at once that their job runs. The
garbage collector deletes a unit with its job. Edits by users are reverted, except the priority,
which applies.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from elasticquota.jobs import queue_units
from elasticquota.model import reason_code
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.wire.codec import merge
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.rest import errors
from elasticquota_kube.informer import reflector
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queued_job import JobLookup, Queued
from elasticquota_operator.workqueue.workers import Workers
from elasticquota_operator.writers import exact_positions


INTERVAL: Final = 2.0
"""Seconds between two writes to one unit."""
MANY: Final = 100
"""More units to write than this: those of jobs that will soon run wait, for one write less."""
SOON: Final = 10.0
"""Seconds after its start in which a job is expected to run."""


class _UnitJudgment(NamedTuple):
    """Whether a unit must be written, and the inputs of that judgment."""

    by: tuple[object, ...]
    is_news: bool


class QueueUnitWriter:
    """Call ``apply()`` in each cycle; ``run()`` is a task."""

    def __init__(
        self,
        context: ControllerContext,
        jobs: JobLookup,
        ordering: JobOrdering,
        *,
        every: float = crd_informer.ASKS_EVERY,
        soon: float = SOON,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._api = context.api
        self._jobs = jobs
        self._ordering = ordering
        self._now = now
        self._soon = soon
        self._yields = context.backlog.admitting_many
        self._stored = ordering.units
        self._informer = CrdInformer(
            context.api, [paths.QUEUE_UNITS], StatusManifest, lambda _: self, every=every
        )
        self.filled = self._informer.filled
        """All units were read, or there was no such kind."""
        self._judged: dict[Key, _UnitJudgment] = {}
        self._later: asyncio.TimerHandle | None = None
        self._writes: Workers[Key, Key] = Workers(
            "queue units", self._write, interval=INTERVAL, yields=self._yields
        )

    def apply(self, _decisions: Decisions) -> None:
        """Compare the units with the queued jobs."""
        self._compare()

    def _compare(self) -> None:
        if self._informer.has_synced and not self._yields():
            queued = self._jobs.queued.items()
            self._judged = {key: self._judge(key, found) for key, found in queued}
            news = {key for key, judged in self._judged.items() if judged.is_news}
            if len(news) > MANY:
                news -= self._soon_running(news)
            self._writes.replace_changed(
                {key: key for key in self._judged}, lambda key, _: key in news
            )

    def _soon_running(self, keys: Iterable[Key]) -> set[Key]:
        """The jobs that were started a moment ago; their units are compared again then."""
        since = self._now().timestamp() - self._soon
        phases = ((key, self._jobs.queued[key].phase) for key in keys)
        found = {key for key, now in phases if now.phase == "Dequeued" and now.since > since * 1000}
        if found and self._later is None:
            self._later = asyncio.get_running_loop().call_later(self._soon, self._apply_later)
        return found

    def _apply_later(self) -> None:
        self._later = None
        self._compare()

    async def run(self) -> None:
        """Write until canceled, once the API server serves the kind."""
        await run_all(self._informer, self._writes)

    def _judge(self, key: Key, queued: Queued) -> _UnitJudgment:
        """Cheap while nothing changes, because every pod event has a cycle."""
        stored = self._stored.get(queue_units.place(queued.job))
        by = (queued.job, queued.phase, queued.quota, queued.said, queued.place, stored)
        past = self._judged.get(key)
        return (
            past if past is not None and past.by == by else _UnitJudgment(by, self._is_news(queued))
        )

    def _is_news(self, queued: Queued) -> bool:
        if not queued.is_governed or queued.job.deleting:
            return False
        stored = self._stored.get(queue_units.place(queued.job))
        if stored is None or self._spec_change(queued, stored):
            return True
        change = self._status_change(queued, stored)
        if not change:
            return False
        stored_position = _part(stored, "status").get("position")
        if change.keys() <= {"message", "position"} and not (
            _is_exact(queued.place) or _is_exact(stored_position)
        ):
            return _subject(queued.said) != _subject(str(_part(stored, "status").get("message")))
        return True

    async def _write(self, key: Key) -> None:
        queued = self._jobs.queued.get(key)
        if queued is None or not self._is_news(queued):
            return
        place = queue_units.place(queued.job)
        stored = self._stored.get(place)
        with errors.ignore_not_found():  # it went with its job, or is about to
            if stored is None:
                stored = await self._create(queued, place)
            elif change := self._spec_change(queued, stored):
                stored = await self._api.patch(
                    paths.QUEUE_UNITS, place.namespace, place.name, {"spec": change}
                )
            if change := self._status_change(queued, stored):
                body = {"status": change}
                stored = await self._api.patch(
                    paths.QUEUE_UNITS, place.namespace, place.name, body, subresource="status"
                )
            self._stored.upsert(stored)

    async def _create(self, queued: Queued, place: Key) -> Document:
        """Create the unit; an older job of that name may still have one."""
        manifest = queue_units.manifest(
            queued.job,
            queued.resource.api_version,
            queued.quota,
            self._ordering.classes.of(queued.job),
        )
        return await self._api.create(paths.QUEUE_UNITS, place.namespace, manifest)

    def _spec_change(self, queued: Queued, stored: Mapping[str, Any]) -> dict[str, Any]:
        before = {key: value for key, value in _part(stored, "spec").items() if key != "priority"}
        wanted = queue_units.spec(queued.job, queued.resource.api_version, queued.quota)
        return merge.difference(before, wanted)

    def _status_change(self, queued: Queued, stored: Mapping[str, Any]) -> dict[str, Any]:
        before, now = _part(stored, "status"), self._now().strftime("%Y-%m-%dT%H:%M:%SZ")
        wanted = queue_units.status(queued.phase, queued.said, queued.place, before, now)
        return merge.difference(before, wanted)

    # -- as a sink

    def upsert(self, obj: StatusManifest, /) -> None:
        key = obj.metadata.key
        before = queue_units.priority(self._stored.get(key))
        if self._stored.upsert(obj) and before != queue_units.priority(self._stored.get(key)):
            self._ordering.requeue()

    def delete(self, key: reflector.ObjectKey, /) -> None:
        self._stored.delete(key)

    def synced(self) -> None:
        """Do nothing: ``filled`` says so."""


def _is_exact(place: object) -> bool:
    """Whether the unit shows the exact position, now or before: no two units show the same one."""
    return type(place) is int and exact_positions.has(place)


def _part(stored: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = stored.get(name)
    return found if isinstance(found, Mapping) else {}


def _subject(said: str) -> str:
    """Why a job waits, by its reason code, without figures; any other message as a whole."""
    return reason_code.at_end(said) or said
