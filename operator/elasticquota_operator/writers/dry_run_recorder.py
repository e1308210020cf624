"""Report what trees in observe mode would have done; no pod is touched.

An event per pod and change of fact: when it would begin to wait, when the reason changes, when it
would be reclaimed. Figures that change meanwhile are no news. A report is forgotten when its cause
ends, and with the process: the next leader reports once more what holds then. Events that do not
get through are lost; the gauges of ``pages.metrics`` always count such pods.
"""

import structlog

from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota_kube.events import Recorder, Regarding


log = structlog.get_logger(__name__)


class DryRunRecorder:
    """``apply()`` in each cycle."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._reported: set[tuple[str, str]] = set()
        """Pod uid and what was said of it."""

    def apply(self, decisions: Decisions) -> None:
        facts: dict[tuple[str, str], tuple[str, Wait | Eviction]] = {}
        for wait in decisions.would_wait:
            facts[wait.uid, wait.reason] = ("QuotaWouldWait", wait)
        for eviction in decisions.would_evict:
            facts[eviction.uid, "reclaim"] = ("QuotaWouldReclaim", eviction)
        for fact, (reason, found) in facts.items():
            if fact not in self._reported:
                self._record(reason, found)
        self._reported = set(facts)

    def _record(self, reason: str, found: Wait | Eviction) -> None:
        log.info("observed", what=reason, pod=str(found.pod), quota=found.quota)
        self._recorder.record(
            Regarding.pod(found.pod, found.uid),
            reason,
            f"only observed, nothing was done: {found.message}",
            action="Observe",
        )
