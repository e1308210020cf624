"""Suspend and unsuspend jobs; the same patch records the phase on the job.

One patch does both, so a process that dies leaves nothing half done. If the API server refuses the
patch, the decision is rolled back and tried again later.
"""

from typing import Final

import structlog

from elasticquota.jobs import phase
from elasticquota.jobs.phase import JobPhase
from elasticquota.model.decision import Eviction, Release
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota_kube.client import retry
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.jobs.cache import JobCache
from elasticquota_operator.jobs.queued_job import Queued
from elasticquota_operator.workqueue.workers import ItemRefused, Workers


STARTING: Final = 32
"""Switches that are turned at one time. The operators of those that were started are at work by
then, and who has more under way has more of a busy API server."""

log = structlog.get_logger(__name__)


class Turn(Struct, frozen=True):
    """One patch of a job: the value of its suspend field, and its phase."""

    uid: str
    """Of the job; one of another uid is another job."""
    place: Key
    wanted: JobPhase
    suspended: bool | None
    """None: leave the field as it is then, and write no event."""
    reason: str
    """Of the event."""
    message: str
    expected: str = ""
    """The uid of which the ledger expects a release or an eviction; empty: it expects none."""
    evicted: Eviction | None = None
    """Of a job that is suspended for others."""
    admitted: Release | None = None
    """Of a job that is started."""


class JobSuspender:
    """Put turns into ``turns`` at any time, by the key of the job; ``turns.run()`` is a task."""

    def __init__(
        self,
        context: ControllerContext,
        cache: JobCache,
        *,
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        """A job is refreshed when its patch is refused, and when the back-off of that ends."""
        self._api = context.api
        self._ledger = context.ledger
        self._recorder = context.recorder
        self._cache = cache
        self._outcomes = context.outcomes
        self.turns: Workers[Key, Turn] = Workers(
            "jobs", self._turn, at_once=STARTING, wait=wait, on_ready=cache.refresh
        )
        context.backlog.add_queue(self.turns)

    async def _turn(self, turn: Turn) -> None:
        queued = self._cache.queued.get(turn.place)
        if queued is None or queued.job.uid != turn.uid:
            return
        key = queued.job.key
        off = queued.job.suspended if turn.suspended is None else turn.suspended
        change = phase.patch(queued.document, queued.adapter, turn.wanted, suspended=off)
        try:
            made = await self._api.patch(queued.resource, key.namespace, key.name, change)
        except ApiError as error:
            if error.is_unserved or error.is_conflict:
                self._cache.refresh(turn.place)  # what the watch showed meanwhile
                raise
            self._roll_back(queued, turn, error)
            return
        queued.phase, queued.said, queued.place = turn.wanted, turn.message, 0
        self._cache.show(queued, made)
        if turn.suspended is None:
            return
        name = phase.title(queued.job)
        log.info("job suspended" if off else "job started", job=name, why=turn.reason)
        self._record(queued, turn.reason, turn.message, warning=off)
        if turn.evicted is not None:
            self._outcomes.suspended(turn.evicted)
        if turn.admitted is not None:
            self._outcomes.admitted(turn.admitted)

    def _roll_back(self, queued: Queued, turn: Turn, error: ApiError) -> None:
        """Until the next attempt the job is not queued, or keeps what it uses.

        Raises `ItemRefused`, unless the job is gone.
        """
        self._ledger.forget_release(turn.expected)
        self._ledger.forget_eviction(turn.expected)
        self._cache.refresh(turn.place)
        if error.is_not_found:
            return
        self._record(queued, "QuotaSwitchRefused", error.message, warning=True)
        raise ItemRefused(str(error), object=phase.title(queued.job)) from error

    def _record(self, queued: Queued, reason: str, note: str, *, warning: bool) -> None:
        self._recorder.record(
            queued.regarding, reason, note, action="Queue", type="Warning" if warning else "Normal"
        )
