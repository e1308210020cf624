"""The forecaster follows the cycles of a controller, and adds to each status what it knows.

Per quota it keeps how its room came free and its estimates held (``turnover``), the last estimate
for its queue (``queue_estimates``), and what it borrowed and lent (``metering``).
"""

from collections.abc import Iterable
from typing import Final

from elasticquota.forecast.accuracy import Accuracy
from elasticquota.forecast.estimator import Estimator
from elasticquota.forecast.queue_estimates import QueueEstimates
from elasticquota.forecast.reclaim_history import ReclaimHistories
from elasticquota.forecast.status_figures import ForecastFigures, StatusFigures
from elasticquota.forecast.turnover import QuotaTurnover
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.metering.meter import Meter
from elasticquota.model.decision import Decisions, Release
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import Turnover, WaitEstimate
from elasticquota.model.workload import Counted
from elasticquota.structs import replace


_SOON: Final = 1_000
"""Milliseconds until the next cycle, while queues wait for their estimate."""


class Forecaster:
    """Mutable; one for each ledger. Give ``ended`` to the ledger as ``on_gone``."""

    def __init__(self) -> None:
        self.histories = ReclaimHistories()
        self.meter = Meter()
        self._gone: list[Counted] = []
        self._generation = 0
        self._queues = QueueEstimates()
        self._turnovers: dict[str, QuotaTurnover] = {}
        self._every = Accuracy()
        self._changed: set[str] = set()
        """Quotas of which anything is known that the last statuses do not say."""
        self._statuses = StatusFigures()

    def ended(self, gone: Counted) -> None:
        """Take in a workload that is gone, whether it ran or waited."""
        self._gone.append(gone)

    def estimate(self, quota: str) -> WaitEstimate | None:
        """Return the last estimate for the queue of a quota; None: nothing waits in it."""
        return self._queues.last(quota)

    def restore(self, quota: str, found: Turnover, now: int) -> None:
        """Take over what an earlier process published, unless the quota is observed already."""
        if quota not in self._turnovers:
            self._turnover(quota, now).restore(found)
            self._changed.add(quota)

    def follow(self, ledger: Ledger, decisions: Decisions, now: int) -> Decisions:
        """Return ``decisions`` with what is known in the statuses.

        ``ledger`` has the snapshot on which they rest, and the clocks of the cycle before. ``now``
        is that of the decisions, not the wall clock.
        """
        cluster = ledger.snapshot
        changed = ledger.changed_quotas.since(self._generation)
        self._generation = cluster.generation
        self._count_ended(ledger, cluster)
        for release in (*decisions.releases, *decisions.jobs.releases):
            self._started(release, cluster.time)
        self._look_at(cluster.forest.quotas if changed is None else changed, cluster)
        if changed is None or not changed <= cluster.forest.quotas.keys():
            self._forget(cluster)
        self._make_estimates(cluster)
        metered = self.meter.follow(decisions.statuses, cluster.time // 1000)
        statuses = self._statuses.add(
            decisions.statuses,
            self._changed | self.histories.drain_changed() | metered,
            self._figures,
            cluster.forest,
        )
        self._changed = set()
        due, wake_at = self._queues.next_at(), decisions.wake_at
        if due is not None:
            at = now + max(_SOON, due - cluster.time)
            wake_at = at if wake_at is None else min(wake_at, at)
        return replace(decisions, statuses=statuses, wake_at=wake_at)

    def _count_ended(self, ledger: Ledger, cluster: ClusterSnapshot) -> None:
        gone, self._gone = self._gone, []
        evicted = ledger.clocks.in_flight
        for workload in gone:
            quota = cluster.members.quota_of(workload)
            self._queues.left(quota, workload.uid)
            ran = isinstance(workload, Pod) and workload.started and not workload.gated
            if not ran or workload.uid in evicted:
                continue
            for name in _with_root(quota, cluster):
                self._turnover(name, cluster.time).ended(cluster.time, workload.request)
                self._changed.add(name)

    def _started(self, release: Release, now: int) -> None:
        for prediction in self._queues.left(release.quota, release.uid):
            waited = max(0, now - prediction.made_at) // 1000
            self._turnover(release.quota, now).accuracy.note(prediction, waited)
            self._every.note(prediction, waited)
            self._changed.add(release.quota)

    def _look_at(self, changed: Iterable[str], cluster: ClusterSnapshot) -> None:
        """Observe the changed quotas from now on, and note which of them need an estimate."""
        for name in changed:
            for each in _with_root(name, cluster):
                self._turnover(each, cluster.time)
            if _takes_part(name, cluster) and cluster.account(name).waiting:
                self._queues.changed(name)
            elif self._queues.drop(name):
                self._changed.add(name)

    def _make_estimates(self, cluster: ClusterSnapshot) -> None:
        estimator = Estimator(cluster, self._turnovers, self._every)
        self._changed.update(self._queues.make(cluster.time, estimator.estimate))

    def _figures(self, key: Key) -> ForecastFigures:
        name = key.name
        turnover = self._turnovers.get(name)
        return ForecastFigures(
            self.estimate(name),
            None if turnover is None else turnover.published(),
            self.histories.of(name),
            self.meter.of(key),
        )

    def _forget(self, cluster: ClusterSnapshot) -> None:
        """Drop what is known of quotas that are gone."""
        there = cluster.forest.quotas.keys()
        for name in self._turnovers.keys() - there:
            del self._turnovers[name]
        for name in self._queues.quotas() - there:
            self._queues.drop(name)
        self.histories.forget(self.histories.quotas() - there)

    def _turnover(self, quota: str, now: int) -> QuotaTurnover:
        found = self._turnovers.get(quota)
        if found is None:
            found = self._turnovers[quota] = QuotaTurnover(now)
        return found


def _with_root(quota: str, cluster: ClusterSnapshot) -> set[str]:
    """The quota and the root of its tree; none for a quota in no tree."""
    tree = cluster.forest.tree_of.get(quota)
    return set() if tree is None else {quota, cluster.forest.trees[tree].root}


def _takes_part(quota: str, cluster: ClusterSnapshot) -> bool:
    """Whether the quota is in a tree that holds its pods."""
    return quota in cluster.forest.tree_of and not cluster.forest.observes(quota)
