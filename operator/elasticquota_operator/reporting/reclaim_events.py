"""Events of evictions on quotas and on owners: one for all of a cause, not one for each pod.

What was evicted is reported once, when no more was evicted for ``WINDOW`` seconds, or ``LONGEST``
seconds after the first eviction. A cause that was reported is reported again after ``INTERVAL`` at
the earliest, with what was evicted meanwhile. A rate limits evictions
(``reclaim.evictionsPerSecond``), and so causes. What is not reported when a process ends is lost;
each pod has an event of its own.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, Literal

import structlog

from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Eviction
from elasticquota.reporting import reclaims
from elasticquota.reporting.reclaims import Evicted, ReclaimCause
from elasticquota.structs import Struct, field
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.events import Recorder, Regarding
from elasticquota_operator.reporting.owner_reader import OwnerReader
from elasticquota_operator.reporting.place import OwnerPlace
from elasticquota_operator.reporting.pod_owners import PodOwners


WINDOW: Final = 3.0
LONGEST: Final = 10.0
INTERVAL: Final = 30.0

log = structlog.get_logger(__name__)


class _Pending(Struct):
    """What was evicted of a cause and is not reported yet."""

    since: float
    due: float = 0.0
    evicted: Evicted = field(default_factory=Evicted)
    by_owner: dict[OwnerPlace, Evicted] = field(default_factory=lambda: defaultdict(Evicted))
    """By the owner that the pods name."""


class ReclaimEvents:
    """Call ``add()`` for each pod that was evicted or job that was suspended; ``run()`` is a task.

    Times are seconds of ``clock``.
    """

    def __init__(
        self,
        recorder: Recorder,
        ledger: Ledger,
        owners: PodOwners,
        reader: OwnerReader,
        *,
        clock: Callable[[], float],
        window: float = WINDOW,
    ) -> None:
        self._recorder = recorder
        self._ledger = ledger
        self._owners = owners
        self._reader = reader
        self._clock = clock
        self._window = window
        self._pending: dict[ReclaimCause, _Pending] = {}
        self._reported: dict[ReclaimCause, float] = {}
        """When a cause was reported, within the last ``INTERVAL``."""
        self._added = asyncio.Event()

    def add(self, eviction: Eviction, *, job: bool = False) -> None:
        """Take in one more; ``job``: a job was suspended."""
        now, cause = self._clock(), reclaims.cause(eviction)
        pending = self._pending.get(cause)
        if pending is None:
            pending = self._pending[cause] = _Pending(now)
        last = self._reported.get(cause, now - INTERVAL)
        pending.due = max(min(now + self._window, pending.since + LONGEST), last + INTERVAL)
        pending.evicted.add(eviction, job=job)
        owner = self._owners.of_evicted(eviction.pod)
        if owner is not None and not job:
            pending.by_owner[OwnerPlace(eviction.pod.namespace, owner)].add(eviction)
        self._added.set()

    async def run(self) -> None:
        """Report until canceled."""
        while True:
            await self._added.wait()
            first = min(pending.due for pending in self._pending.values())
            await asyncio.sleep(max(0.0, first - self._clock()))
            now = self._clock()
            due = [cause for cause, pending in self._pending.items() if pending.due <= now]
            for cause in due:
                await self._report(cause, self._pending.pop(cause))
                self._reported[cause] = now
            self._reported = {
                cause: at for cause, at in self._reported.items() if now - at < INTERVAL
            }
            if not self._pending:
                self._added.clear()

    async def _report(self, cause: ReclaimCause, pending: _Pending) -> None:
        note = reclaims.note_of_quota(cause, pending.evicted)
        self._record(self._quota(cause.quota), note, "Warning")
        if cause.owner != cause.quota:
            self._record(self._quota(cause.owner), note, "Normal")
        for place, evicted in (await self._by_top(pending.by_owner)).items():
            self._record(place.regarding, reclaims.note_of_owner(cause, evicted), "Warning")

    async def _by_top(self, by_owner: Mapping[OwnerPlace, Evicted]) -> Mapping[OwnerPlace, Evicted]:
        found: dict[OwnerPlace, Evicted] = defaultdict(Evicted)
        for place, evicted in by_owner.items():
            try:
                await self._reader.top(*place)
            except ApiError as error:
                log.info("owner not read", kind=place.owner.kind, why=str(error))
            top = place.top(self._reader)
            if top is not None:
                found[top].extend(evicted)
        return found

    def _quota(self, name: str) -> Regarding | None:
        found = self._ledger.snapshot.forest.quotas.get(name)
        if found is None:
            return None
        key = found.key
        return Regarding(names.QUOTA_API, names.QUOTA_KIND, key.namespace, key.name, found.uid)

    def _record(
        self, about: Regarding | None, note: str, type_: Literal["Normal", "Warning"]
    ) -> None:
        if about is not None:
            self._recorder.record(
                about, "QuotaReclaim", note, action="Evict", type=type_, silence=0.0
            )
