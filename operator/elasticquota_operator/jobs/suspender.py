"""Suspend and unsuspend jobs; the same patch records the phase on the job.

One patch does both, so a process that dies leaves nothing half done. If the API server refuses the
patch, the decision is rolled back and tried again later.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from elasticquota.jobs import phase
from elasticquota.jobs.phase import JobPhase
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota_kube.client import backoff
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.events import Recorder, Regarding
from elasticquota_operator.informers.manifest_store import Manifest
from elasticquota_operator.jobs.queued_job import Queued
from elasticquota_operator.workqueue.workers import Refused, Workers


STARTING: Final = 32
"""Switches that are turned at one time. The operators of those that were started are at work by
then, and who has more under way has more of a busy API server."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
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


class JobSuspender:
    """Call ``put()`` at any time; ``run()`` is a task."""

    def __init__(
        self,
        api: Api,
        ledger: Ledger,
        recorder: Recorder,
        *,
        find: Callable[[Key], Queued | None],
        show: Callable[[Queued, Manifest], None],
        refresh: Callable[[Key], None],
        wait: backoff.Backoff = backoff.jittered,
    ) -> None:
        """``find`` a job by its key in the ledger; ``show`` receives the API server's answer.

        ``refresh`` is called when a patch is refused, and when its back-off ends.
        """
        self._api = api
        self._ledger = ledger
        self._recorder = recorder
        self._find = find
        self._show = show
        self._refresh = refresh
        self._turns: Workers[Key, Turn] = Workers(
            "jobs", self._turn, at_once=STARTING, wait=wait, on_ready=refresh
        )

    def __contains__(self, key: object) -> bool:
        return key in self._turns

    def is_refused(self, key: Key) -> bool:
        """Whether the job's patch was refused, until its back-off ends."""
        return self._turns.is_refused(key)

    def is_backlogged(self) -> bool:
        """Whether more jobs wait for their patch than may be in flight."""
        return self._turns.is_backlogged

    def put(self, turn: Turn) -> None:
        """Add a patch; it replaces the waiting one of the same job."""
        self._turns.put(turn.place, turn)

    def forget(self, key: Key) -> None:
        """Forget the failures of a job that is gone."""
        self._turns.forget(key)

    async def run(self) -> None:
        """Patch jobs until canceled."""
        await self._turns.run()

    async def _turn(self, turn: Turn) -> None:
        found = self._find(turn.place)
        if found is None or found.job.uid != turn.uid:
            return
        key = found.job.key
        off = found.job.suspended if turn.suspended is None else turn.suspended
        change = phase.patch(found.document, found.adapter, turn.wanted, suspended=off)
        try:
            made = await self._api.patch(found.resource, key.namespace, key.name, change)
        except ApiError as error:
            if error.is_transient or error.is_conflict:
                raise  # the retry reads what the watch has shown by then
            self._roll_back(found, turn, error)
            return
        found.course, found.said, found.place = turn.wanted, turn.message, 0
        self._show(found, made)
        if turn.suspended is None:
            return
        name = phase.called(found.job)
        log.info("job suspended" if off else "job started", job=name, why=turn.reason)
        self._tell(found, turn.reason, turn.message, warning=off)

    def _roll_back(self, found: Queued, turn: Turn, error: ApiError) -> None:
        """Until the next attempt the job is not queued, or keeps what it uses.

        Raises `Refused`, unless the job is gone.
        """
        self._ledger.forget_release(turn.expected)
        self._ledger.forget_eviction(turn.expected)
        self._refresh(turn.place)
        if error.is_not_found:
            return
        self._tell(found, "QuotaSwitchRefused", error.message, warning=True)
        raise Refused(str(error), object=phase.called(found.job)) from error

    def _tell(self, found: Queued, reason: str, note: str, *, warning: bool) -> None:
        about = Regarding(
            found.resource.api_version,
            found.job.kind,
            found.job.key.namespace,
            found.job.key.name,
            found.job.uid,
        )
        self._recorder.record(
            about, reason, note, action="Queue", type="Warning" if warning else "Normal"
        )
