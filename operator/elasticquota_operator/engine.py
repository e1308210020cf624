"""The engine decides after changes: soon after the last one and at most 100 ms after the first.

A change waits 25 ms for others, at most 100 ms in all, and for a pause after a long cycle or while
many admitted pods wait for their release; what is due without a change waits for this pause too.
Then the engine decides everything again from the ledger, and passes the decisions to the writers if
this process leads. A standby decides too, so that it is ready and its clocks run, but writes
nothing. The first cycle waits until all caches are filled: half of the nodes would look like a
cluster that lost the other half.

A cycle that raises is a bug: it is logged, counted and tried again with back-off. When all cycles
of a minute raise, the process ends, so that another one leads from live state.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import structlog

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota_kube.client import retry
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.pending_changes import PendingChanges


QUIET: Final = 0.025
"""Seconds without a change after which the engine decides."""
LATEST: Final = 0.100
"""Seconds after the first change when it decides all the same."""
MIN_WAIT: Final = 0.200
"""Seconds at least until a cycle without a change: one that is due already must make no busy loop.
"""
PAUSE_FACTOR: Final = 3.0
"""The pause after a cycle is so many times as long as the cycle: while thousands of pods are
admitted, deciding again and again would take the time that the releases need."""
BACKLOG_PAUSE: Final = 0.500
"""The pause is at least so many seconds while more pods are admitted than are released at a time:
whom another cycle admits has to wait for these."""
GIVES_UP: Final = 60.0
"""Seconds of decisions that raise after which the process ends."""

log = structlog.get_logger(__name__)


class DecisionCycle(Protocol):
    """What a cycle does (``cycle``)."""

    def decide(self, ledger: Ledger, now: int) -> Decisions: ...

    def apply(self, decisions: Decisions) -> None: ...


class Engine:
    """Lives in one event loop, in which ``changes`` are touched."""

    def __init__(
        self,
        context: ControllerContext,
        changes: PendingChanges,
        cycle: DecisionCycle,
        filled: Sequence[asyncio.Event],
        *,
        wait: retry.Backoff = retry.jittered,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``clock`` is the wall clock, which is compared with times of the API server."""
        self._ledger = context.ledger
        self._leading = context.leading
        self._telemetry = context.telemetry
        self._backlog = context.backlog
        self._changes = changes
        self._cycle = cycle
        self._filled = filled
        self._loop = retry.Loop(wait)
        self._clock = clock
        self._wake_at: float | None = None
        """When it decides without a change; None: never."""
        self._failing_since: float | None = None
        self._paused_until = 0.0
        self.cycles = 0
        """Cycles that came to an end, whatever they decided."""
        self.decided = asyncio.Event()
        """Set after the first cycle: the caches were filled and the core worked."""
        self._ended = asyncio.Event()
        """Set for a moment at the end of each cycle."""

    async def settled(self) -> None:
        """Wait until every change before this call has been decided."""
        if self._changes.there.is_set():
            await self._ended.wait()

    async def run(self) -> None:
        """Decide until canceled."""
        for cache in self._filled:
            await cache.wait()
        self._changes.touch()
        await self._loop.run(self._run_cycle, self._failed, errors=(Exception,))

    async def _run_cycle(self) -> None:
        if self._failing_since is not None:
            self._changes.touch()  # what could not be decided is decided again without a change
        await self._change_or_due()
        await self._settle()
        self._changes.there.clear()
        decisions = self._decide_now()
        self._failing_since = self._wake_at = None
        if decisions.wake_at is not None:
            soonest = max(_now() + MIN_WAIT, self._paused_until)
            self._wake_at = max(decisions.wake_at / 1000, soonest)

    def _failed(self, error: Exception, _seconds: float) -> None:
        """Raises ``RuntimeError`` after a minute of failures."""
        log.error("deciding failed", exc_info=error)
        self._telemetry.decide_failed()
        self._failing_since = self._failing_since or _now()
        if _now() - self._failing_since >= GIVES_UP:
            raise RuntimeError(f"deciding failed {self._loop.failures} times in a row")

    async def _change_or_due(self) -> None:
        try:
            async with asyncio.timeout_at(self._wake_at):
                await self._changes.there.wait()
        except TimeoutError:
            pass

    async def _settle(self) -> None:
        """Wait for the end of a burst, and of the pause after the last cycle."""
        while self._changes.there.is_set():
            due = min(self._changes.last + QUIET, self._changes.first + LATEST)
            due = max(due, self._paused_until)
            if due <= _now():
                return
            await asyncio.sleep(due - _now())

    def _decide_now(self) -> Decisions:
        started = _now()
        self._ledger.set_time(int(self._clock() * 1000))
        decisions = self._cycle.decide(self._ledger, int(started * 1000))
        self._ledger.remember(decisions.clocks)
        if self._leading():
            self._cycle.apply(decisions)
        took = _now() - started
        if self.decided.is_set():  # the first cycle takes in everything, the next ones do not
            least = BACKLOG_PAUSE if self._backlog.admitting_many() else 0.0
            self._paused_until = _now() + max(PAUSE_FACTOR * took, least)
        self._telemetry.decided(decisions, took)
        self.cycles += 1
        self.decided.set()
        self._ended.set()
        self._ended.clear()
        return decisions


def _now() -> float:
    return asyncio.get_running_loop().time()
