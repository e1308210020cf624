"""The onlooker tells what trees that only observe would have done, and touches no pod.

An event per pod and change of fact: when it would wait first, when the reason is another, when it
would be taken back. Figures that move meanwhile are no news. What was told is forgotten with the
pod's trouble, and with the process: the next leader says once more what holds then. Events that do
not get through are lost; the gauges of ``telemetry`` always say how many such pods there are.
"""

import structlog

from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota_kube.events import Recorder, Regarding


log = structlog.get_logger(__name__)


class DryRunRecorder:
    """``take()`` in each round."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._told: set[tuple[str, str]] = set()
        """Pod uid and what was said of it."""

    def take(self, decisions: Decisions) -> None:
        facts: dict[tuple[str, str], tuple[str, Wait | Eviction]] = {}
        for wait in decisions.would_wait:
            facts[wait.uid, wait.reason] = ("QuotaWouldWait", wait)
        for eviction in decisions.would_evict:
            facts[eviction.uid, "reclaim"] = ("QuotaWouldReclaim", eviction)
        for fact, (reason, found) in facts.items():
            if fact not in self._told:
                self._tell(reason, found)
        self._told = set(facts)

    def _tell(self, reason: str, found: Wait | Eviction) -> None:
        pod = found.pod
        log.info("observed", what=reason, pod=str(pod), quota=found.quota)
        self._recorder.record(
            Regarding("v1", "Pod", pod.namespace, pod.name, found.uid),
            reason,
            f"only observed, nothing was done: {found.message}",
            action="Observe",
        )
