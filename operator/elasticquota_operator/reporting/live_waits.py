"""The first pods and jobs of each queue keep a live event while they wait.

Their first event comes from the writer of their message (``writers.ungater``). It is written again
when it is ``refresh`` seconds old, and by a process that does not know when it was written: the
next leader waits ``PATIENCE``, and then continues the series at the pace of all reports.
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
        self._patience = min(PATIENCE, refresh)
        self._since: dict[str, float] = {}
        """By uid: in sight since."""

    def report(self, found: Sequence[Wait], now: float, most: int) -> Reported:
        """Record the events that are due, at most so many, the heads of queues first."""
        since, self._since = self._since, {}
        ends: list[float] = []
        count = 0
        for wait in waits.front(found):
            about = self._regarding(wait)
            if about is None:
                continue
            self._since[about.uid] = since.get(about.uid, now)
            due = self._due_at(about)
            if due <= now and count < most and self._record(about, wait):
                count += 1
                due = now + self._refresh
            ends.append(due)
        return Reported(count, min(ends, default=None))

    def _due_at(self, about: Regarding) -> float:
        said = self._recorder.said_at(about, "QuotaWait")
        if said is None:
            return self._since[about.uid] + self._patience
        return said + self._refresh

    def _record(self, about: Regarding, wait: Wait) -> bool:
        return report.record(self._recorder, about, "QuotaWait", wait.message)
