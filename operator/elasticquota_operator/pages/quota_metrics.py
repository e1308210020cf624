"""Metrics made from the last decisions at each scrape, so a deleted quota leaves no series.

Only the leader exposes them, so that a sum over replicas counts nothing twice. Amounts are in base
units: cores, bytes, devices.
"""

import time
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from elasticquota.model import moments
from elasticquota.model.decision import Decisions, QuotaStatus, Wait
from elasticquota.model.key import Key
from elasticquota_config.sections.metrics import Which
from elasticquota_operator.pages import koordinator_metrics, tree_metrics
from elasticquota_operator.pages.figures_text import FiguresText
from elasticquota_operator.pages.resource_seconds import ResourceSeconds


Created = Callable[[Key], str]
"""creationTimestamp of a pod or a job; empty: it is gone."""


class QuotaMetrics(Collector):
    """Collects from ``decisions``, which are those of the last cycle."""

    def __init__(
        self,
        leading: Callable[[], bool],
        created: Created,
        *,
        which: Which = "all",
        for_koordinator: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``which`` quotas have series; ``for_koordinator`` adds its gauge; a wall ``clock``."""
        self.decisions = Decisions()
        self._rooted: tuple[Decisions, Mapping[str, str]] = self.decisions, {}
        """Decisions, and of each quota in them its root."""
        self._leading = leading
        self._created = created
        self._which = which
        self._for_koordinator = for_koordinator
        self._clock = clock
        self._figures = FiguresText()
        self._seconds = ResourceSeconds()

    def collect(self) -> Iterable[Metric]:
        decisions = self._exposed()
        statuses = [each for each in decisions.statuses if self.shows(each)]
        yield from self._seconds.families(statuses, int(self._clock()))
        yield tree_metrics.totals(decisions.profiles)
        yield tree_metrics.guarantee_cover(decisions)
        yield from self._of_workloads(decisions)
        yield tree_metrics.held(decisions)
        if self._for_koordinator:
            yield koordinator_metrics.family(statuses)

    def figures(self) -> bytes:
        """Return the family of the figures, which ``collect()`` leaves out."""
        return self._figures.of(each for each in self._exposed().statuses if self.shows(each))

    def _exposed(self) -> Decisions:
        return self.decisions if self._leading() else Decisions()

    def shows(self, status: QuotaStatus) -> bool:
        """Whether the quota has series of its own."""
        is_root = status.key.name == status.tree
        return self._which == "all" or is_root or (self._which == "leaves" and not status.is_parent)

    def label(self, quota: str) -> str:
        """Return under which name a quota is counted: its own, or that of its root."""
        if self._which != "roots":
            return quota
        decisions, (rooted, roots) = self.decisions, self._rooted
        if rooted is not decisions:
            roots = {each.key.name: each.tree for each in decisions.statuses}
            # Both at once: scrapes ask in a thread of their own.
            self._rooted = decisions, roots
        return roots.get(quota) or quota

    def _of_workloads(self, decisions: Decisions) -> Iterator[Metric]:
        label = self.label
        pending = GaugeMetricFamily(
            "elasticquota_pending_pods",
            "Pods that wait at the gate.",
            labels=["quota", "reason"],
        )
        oldest = GaugeMetricFamily(
            "elasticquota_oldest_pending_seconds",
            "Age of the oldest pod or job that waits.",
            labels=["quota"],
        )
        would_wait = GaugeMetricFamily(
            "elasticquota_would_wait_pods",
            "Pods that run or start now and would wait if their tree did not only observe.",
            labels=["quota", "reason"],
        )
        would_reclaim = GaugeMetricFamily(
            "elasticquota_would_reclaim_pods",
            "Pods that would be evicted now if their tree did not only observe.",
            labels=["quota"],
        )
        decided = decisions.of_workloads
        _counted(pending, ((label(wait.quota), str(wait.reason)) for wait in decided.waits))
        for quota, since in self._oldest(decided.waits).items():
            oldest.add_metric([quota], max(0.0, self._clock() - since))
        _counted(would_wait, ((label(each.quota), str(each.reason)) for each in decided.would_wait))
        _counted(would_reclaim, ((label(each.quota),) for each in decided.would_evict))
        return iter((pending, oldest, would_wait, would_reclaim))

    def _oldest(self, waits: Iterable[Wait]) -> Mapping[str, float]:
        """By quota: when its oldest waiting workload was created, epoch seconds."""
        first: dict[str, str] = {}
        for wait in waits:
            created, quota = self._created(wait.pod), self.label(wait.quota)
            # Times of one form sort as texts.
            if created and created < first.get(quota, "~"):
                first[quota] = created
        read = {quota: moments.read(created) for quota, created in first.items()}
        return {quota: found / 1000 for quota, found in read.items() if found is not None}


def _counted(family: GaugeMetricFamily, labels: Iterable[tuple[str, ...]]) -> None:
    for each, count in Tally(labels).items():
        family.add_metric(list(each), float(count))
