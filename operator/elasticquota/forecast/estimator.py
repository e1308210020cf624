"""The wait estimate for one queue: the room that must come free, by the rate at which it does.

What must come free is what a workload and all before it need, less what is left where it is short
(``shortage``). The rate is that of the last day, of the quota if its own share is short, else of
its tree (``turnover``). The range around the time is what the last errors ask for (``accuracy``).
Where the quota is owed its min, pods are evicted for it, so its last such waits say more than a
rate.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from elasticquota import totals
from elasticquota.forecast import accuracy, shortage
from elasticquota.forecast.accuracy import Accuracy, Prediction
from elasticquota.forecast.shortage import QueueShortage
from elasticquota.forecast.turnover import QuotaTurnover
from elasticquota.forest.wording import counted
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import PositionRange, WaitEstimate
from elasticquota.model.workload import Counted
from elasticquota.resources import Resources


LEAST: Final = 3
"""Pods that must have ended in the last day."""
POSITIONS: Final = tuple(1 << power for power in range(11))
"""The positions with a range of their own; ``positions`` computes the others."""
_RECLAIM: Final = 30
"""Seconds that stand for a wait for reclaim; the errors say how long it takes."""


class Ahead(NamedTuple):
    """A position, the workload there, and what it needs with all before it."""

    position: int
    uid: str
    need: Resources


class Estimate(NamedTuple):
    """The estimate that is published, and the promises that it makes."""

    published: WaitEstimate
    promises: Sequence[tuple[str, Prediction]]
    """By uid."""


class Estimator:
    """Makes estimates at the time of a snapshot."""

    def __init__(
        self, cluster: ClusterSnapshot, turnovers: Mapping[str, QuotaTurnover], every: Accuracy
    ) -> None:
        """``turnovers`` are by quota, those of roots of all their trees.

        ``every`` has the errors of all quotas.
        """
        self._cluster = cluster
        self._turnovers = turnovers
        self._every = every

    def estimate(self, quota: str) -> Estimate:
        """Return the estimate for the queue of ``quota``; a workload waits in it."""
        now = self._cluster.time
        tree = self._cluster.trees[self._cluster.forest.tree_of[quota]]
        listed = tuple(_listed(self._cluster.account(quota).waiting))
        short = shortage.of(self._cluster, tree, quota, listed[0].need)
        own = self._turnover(quota).accuracy
        known = True
        if short.kind == "min":
            known = len(own.ratios("min")) >= LEAST
            points, message = [_RECLAIM] * len(listed), _of_reclaim(quota, known=known)
        else:
            points, message = self._by_rate(quota, tree.tree.root, short, listed)
        bounds = accuracy.bounds(own, self._every, short.kind)
        ranges = [accuracy.around(point, bounds) for point in points]
        promises = [
            (ahead.uid, Prediction(now, short.kind, point, said if known else None))
            for ahead, point, said in zip(listed, points, ranges, strict=False)
        ]
        positions = [
            PositionRange(ahead.position, *said)
            for ahead, said in zip(listed, ranges, strict=False)
            if known
        ]
        return Estimate(WaitEstimate(now, message, tuple(positions)), promises)

    def _by_rate(
        self, quota: str, root: str, short: QueueShortage, listed: Sequence[Ahead]
    ) -> tuple[list[int], str]:
        """The estimated seconds of each position, and what they rest on; or none, and why."""
        name, whose = (quota, quota) if short.kind == "own" else (root, f"tree {root}")
        freed = self._turnover(name).last_day(self._cluster.time)
        if freed.pods < LEAST or not short.left.keys() <= freed.amounts.keys():
            return [], _why_none(whose, freed.pods)
        points = [
            freed.seconds({key: each.need[key] - left for key, left in short.left.items()})
            for each in listed
        ]
        what = "the nodes of {} are" if short.kind == "nodes" else "the share of {} is"
        ended = f"{counted(freed.pods, 'pod')} of {whose}"
        if short.kind == "own":
            ended = f"{freed.pods} of its pods"
        return points, f"{what.format(short.quota)} in use; {ended} ended in the last day"

    def _turnover(self, quota: str) -> QuotaTurnover:
        return self._turnovers.get(quota) or QuotaTurnover(self._cluster.time)


def _of_reclaim(quota: str, *, known: bool) -> str:
    if known:
        return f"{quota} is within its min; its last such waits took as long"
    return f"{quota} is within its min, and no {LEAST} such waits have ended yet"


def _why_none(whose: str, pods: int) -> str:
    if not pods:
        return f"no pod of {whose} ended in the last day"
    if pods < LEAST:
        return f"only {counted(pods, 'pod')} of {whose} ended in the last day, fewer than {LEAST}"
    return f"no pod of {whose} that ended in the last day held what is short"


def _listed(waiting: Sequence[Counted]) -> Iterator[Ahead]:
    """The positions with a range; pods of one group have one position. The first one always is."""
    need: dict[str, int] = {}
    workloads = groupby(waiting, key=_workload)
    for position, (_, members) in enumerate(workloads, start=1):
        uid = ""
        for each in members:
            totals.add(need, each.request)
            uid = uid or each.uid
        if position in POSITIONS:
            yield Ahead(position, uid, dict(need))
            if position == POSITIONS[-1]:
                return


def _workload(found: Counted) -> tuple[str, str]:
    if isinstance(found, Pod) and found.group is not None:
        return found.key.namespace, found.group.name
    return "", found.uid
