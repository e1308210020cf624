"""Counters of what became of workloads, by quota: admitted after how long, evicted for whom.

Names of quotas are a tenant's, who may make and delete quotas without end. So the series of a quota
are removed when it is gone.
"""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.metrics import MetricWrapperBase

from elasticquota.model.decision import Eviction, Release
from elasticquota.wire.quota import reclaim_records
from elasticquota_kube.eviction import EvictionAnswer


_WAITS: Final = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0)


class WorkloadMetrics:
    """``label`` returns the name under which a quota is counted."""

    def __init__(self, registry: CollectorRegistry, label: Callable[[str], str]) -> None:
        self._label = label
        self._waits = Histogram(
            "elasticquota_admission_wait_seconds",
            "Time from the creation of a gated pod or suspended job until it was admitted.",
            ["quota"],
            buckets=_WAITS,
            registry=registry,
        )
        self._admitted = Counter(
            "elasticquota_admitted",
            "Pods and jobs that were admitted: ungated, or started.",
            ["quota"],
            registry=registry,
        )
        self._evicted = Counter(
            "elasticquota_evictions",
            "Pods evicted and jobs suspended, by their quota, the quota that got the room (empty: "
            "none, it was for a limit), and by what right.",
            ["from_quota", "for_quota", "reason"],
            registry=registry,
        )
        self._asked = Counter(
            "elasticquota_reclaim_evictions",
            "Evictions asked for, by the answer.",
            ["quota", "answer"],
            registry=registry,
        )
        self._series: dict[tuple[MetricWrapperBase, tuple[str, ...]], int] = {}
        """Each series by its labels, the first of which are names of quotas: how many."""

    def admitted(self, release: Release, waited: float | None) -> None:
        """Count an admission after ``waited`` seconds; None: it is not known."""
        quota = self._label(release.quota)
        self._admitted.labels(quota).inc()
        self._keep(self._admitted, quota)
        if waited is not None:
            self._waits.labels(quota).observe(waited)
            self._keep(self._waits, quota)

    def evicted(self, eviction: Eviction) -> None:
        """Count an eviction that the API server accepted, or a job that was suspended."""
        labels = (
            self._label(eviction.quota),
            self._label(eviction.owner) if eviction.owner else "",
            reclaim_records.RIGHTS[eviction.right],
        )
        self._evicted.labels(*labels).inc()
        self._keep(self._evicted, *labels, quotas=2)

    def asked(self, quota: str, answer: EvictionAnswer) -> None:
        """Count the answer to a request for an eviction."""
        labels = (self._label(quota), answer.value)
        self._asked.labels(*labels).inc()
        self._keep(self._asked, *labels)

    def forget(self, exists: Callable[[str], bool]) -> None:
        """Remove the series of quotas that do not exist any more."""
        for (family, labels), quotas in list(self._series.items()):
            if not all(exists(quota) for quota in labels[:quotas] if quota):
                family.remove(*labels)
                del self._series[family, labels]

    def _keep(self, family: MetricWrapperBase, *labels: str, quotas: int = 1) -> None:
        self._series[family, labels] = quotas
