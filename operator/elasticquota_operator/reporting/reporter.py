"""The events of waits and evictions where users look, together.

While pods or jobs wait, what is due is looked for every ``EVERY`` seconds, and at most ``MOST``
events are recorded each time: ten a second, whatever moves, also after a restart. Nothing is done
while nothing waits.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol

import structlog

from elasticquota.jobs.adapter import JobAdapter
from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.reporting import kinds
from elasticquota_kube.client import retry
from elasticquota_kube.events import Regarding
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.reporting.live_waits import LiveWaits
from elasticquota_operator.reporting.owner_reader import OwnerReader
from elasticquota_operator.reporting.owner_waits import OwnerWaits
from elasticquota_operator.reporting.pod_owners import PodOwners
from elasticquota_operator.reporting.reclaim_events import ReclaimEvents


EVERY: Final = 5.0
MOST: Final = 50
PAUSE_FACTOR: Final = 20.0
"""A pause of so many times the length of the last look: 50,000 waits take a part of a second."""

log = structlog.get_logger(__name__)


class ReportedJob(Protocol):
    """A queued job (``jobs.queued_job``)."""

    @property
    def regarding(self) -> Regarding: ...


class Reporter:
    """``apply()`` in each cycle; ``run()`` as a task; ``owners`` is a handler of pods."""

    def __init__(
        self,
        context: ControllerContext,
        adapters: Sequence[JobAdapter],
        queued: Mapping[Key, ReportedJob],
        *,
        refresh: float,
        every: float = EVERY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``adapters``: of all kinds of jobs; ``queued``: a live view of the queued jobs;
        ``refresh``: seconds after which an event of what still waits is written again; ``clock``:
        of the recorder.
        """
        self._ledger = context.ledger
        self._queued = queued
        self._every = every
        self._clock = clock
        self.owners = PodOwners()
        reader = OwnerReader(context.api, kinds.table(adapters), clock=clock)
        self._live = LiveWaits(context.recorder, self._regarding, refresh)
        self._of_owners = OwnerWaits(context.recorder, self.owners, reader, refresh)
        self._reclaims = ReclaimEvents(
            context.recorder, context.ledger, self.owners, reader, clock=clock
        )
        self._decisions = Decisions()
        self._changed = asyncio.Event()
        self._next_at: float | None = None

    def apply(self, decisions: Decisions) -> None:
        """Take the waits of this cycle."""
        self._decisions = decisions
        if decisions.waits or decisions.jobs.waits or self._next_at is not None:
            self._changed.set()

    def evicted(self, eviction: Eviction) -> None:
        """Report that a pod was evicted."""
        self._reclaims.add(eviction)

    def suspended(self, eviction: Eviction) -> None:
        """Report that a job was suspended."""
        self._reclaims.add(eviction, job=True)

    async def run(self) -> None:
        """Report until canceled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._reclaims.run())
            tasks.create_task(retry.Loop().run(self._report, self._failed))

    async def _report(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause()):
                await self._changed.wait()
        self._changed.clear()
        now, decided = self._clock(), self._decisions
        owners = await self._of_owners.report(decided.waits, now, MOST // 2)
        most = MOST - owners.written
        live = self._live.report(decided.waits, decided.jobs.waits, now, most)
        ends = (owners.next_at, live.next_at)
        self._next_at = min((at for at in ends if at is not None), default=None)
        await asyncio.sleep(max(self._every, PAUSE_FACTOR * (self._clock() - now)))

    def _pause(self) -> float | None:
        return None if self._next_at is None else max(0.0, self._next_at - self._clock())

    def _regarding(self, wait: Wait) -> Regarding | None:
        pod = self._ledger.pods.get(wait.pod)
        if pod is None:
            job = self._queued.get(wait.pod)
            return None if job is None else job.regarding
        if pod.uid != wait.uid or not pod.gated:
            return None
        return Regarding.pod(wait.pod, wait.uid)

    def _failed(self, error: Exception, seconds: float) -> None:
        self._changed.set()  # what was not reported is due without a further change
        log.info("events of owners wait", why=str(error), seconds=round(seconds, 1))
