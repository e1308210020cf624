"""The first pods and jobs of each queue keep a live event while they wait.

The first event of a pod comes from the writer of its message (``writers.ungater``), that of a job
from here, ``OF_JOBS`` seconds after it began to wait. It is written again when it is ``refresh``
seconds old. A process that does not know when it was written, such as the next leader, waits
``PATIENCE``, and then continues the series at the pace of all reports.
"""

from collections.abc import Callable, Sequence
from typing import Final

from elasticquota.model.decision import Wait
from elasticquota.reporting import waits
from elasticquota_kube.events import Recorder, Regarding
from elasticquota_operator.reporting import report
from elasticquota_operator.reporting.report import Reported


PATIENCE: Final = 60.0
"""Seconds for which a pod waits without a known event before one is written here."""

OF_JOBS: Final = 5.0
"""The same of a job, for which no other writer has written one."""


class LiveWaits:
    """Call ``report()`` from time to time; times are seconds of the recorder's clock."""

    def __init__(
        self,
        recorder: Recorder,
        regarding: Callable[[Wait], Regarding | None],
        refresh: float,
    ) -> None:
        """``regarding`` returns None for what does not wait any more."""
        self._recorder = recorder
        self._regarding = regarding
        self._refresh = refresh
        self._due: dict[str, float] = {}
        """By uid of a wait: not due before."""

    def report(self, pods: Sequence[Wait], jobs: Sequence[Wait], now: float, most: int) -> Reported:
        """Record the events that are due, at most so many, the heads of queues first."""
        before, self._due = self._due, {}
        of_jobs = {wait.uid for wait in jobs}
        written = 0
        for wait in waits.front((*pods, *jobs)):
            patience = OF_JOBS if wait.uid in of_jobs else PATIENCE
            due = before.get(wait.uid, now + min(patience, self._refresh))
            if due <= now:
                about = self._regarding(wait)
                if about is None:
                    continue
                due = self._due_at(about, now)
                if due <= now and written < most and self._record(about, wait):
                    written += 1
                    due = now + self._refresh
            self._due[wait.uid] = due
        return Reported(written, min(self._due.values(), default=None))

    def _due_at(self, about: Regarding, now: float) -> float:
        said = self._recorder.said_at(about, "QuotaWait")
        return now if said is None else said + self._refresh

    def _record(self, about: Regarding, wait: Wait) -> bool:
        return report.record(self._recorder, about, "QuotaWait", wait.message)
