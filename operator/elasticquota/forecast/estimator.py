"""The wait estimate for one queue, from what is short, who holds it, and how long such pods run.

Time is cut where the room for each position will have come free, with even chance (``supply``);
the ranges around these points are those that the last errors ask for (``accuracy``). Without three
pods that ended in the last day there is nothing to go by, and so no range. Where the quota is owed
its min, pods are evicted for it, so the last such waits say more than run times.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from elasticquota import totals
from elasticquota.forecast import accuracy, log_buckets, shortage, supply
from elasticquota.forecast.accuracy import Accuracy, Prediction
from elasticquota.forecast.shortage import QueueShortage
from elasticquota.forecast.supply import Holding, Supply
from elasticquota.forecast.survival import Survival
from elasticquota.forecast.turnover import QuotaTurnover
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model import moments
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import PositionRange, WaitEstimate
from elasticquota.model.workload import Counted
from elasticquota.resources import Resources
from elasticquota.structs import Struct


LEAST: Final = 3
"""Pods that must have ended in the last day."""
POSITIONS: Final = tuple(1 << power for power in range(11))
"""The positions with a range of their own; ``positions`` computes the others."""
_HOLDERS: Final = 256
"""Pods that are looked at for one place."""
_RECLAIM: Final = 30
"""Seconds that stand for a wait for reclaim, until such waits have ended."""


class ShortPlace(Struct, frozen=True):
    """A place that is short, and what comes free there; the same for all queues that need it."""

    survival: Survival
    holdings: Sequence[tuple[Resources, int, int | None]]
    """What pods hold, with the bucket of their age and the seconds until their deadline."""
    scale: tuple[int, int]
    """Of how many pods these are how many."""

    def supply(self, key: str) -> Supply:
        """Return what comes free of one resource with time."""
        sums: dict[tuple[int, int | None], int] = {}
        for held, age, ends_in in self.holdings:
            sums[age, ends_in] = sums.get((age, ends_in), 0) + held.get(key, 0)
        of, count = self.scale
        return supply.freed(
            [
                Holding(age, amount * of // count, ends_in)
                for (age, ends_in), amount in sums.items()
            ],
            self.survival,
        )


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
    """Makes estimates at one moment; ``now`` is epoch milliseconds."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        turnovers: Mapping[str, QuotaTurnover],
        accuracies: Mapping[str, Accuracy],
        every: Accuracy,
        now: int,
    ) -> None:
        """``turnovers`` are by quota, those of roots of all their trees; ``accuracies`` too.

        ``every`` has the errors of all quotas.
        """
        self._cluster = cluster
        self._turnovers = turnovers
        self._accuracies = accuracies
        self._every = every
        self._now = now
        self._places: dict[str, ShortPlace] = {}
        self._supplies: dict[tuple[str, str], Supply] = {}

    def estimate(self, quota: str, tree: TreeBooks, waiting: Sequence[Counted]) -> Estimate:
        """Return the estimate for the queue of ``quota``; a workload waits in it."""
        listed = list(_listed(waiting))
        short = shortage.of(self._cluster, tree, quota, listed[0].need)
        own = self._accuracies.get(quota, accuracy.NO_ERRORS)
        points = list(self._points(quota, tree, short, listed))
        if short.kind == "min" and accuracy.seen(own, "min") < LEAST:
            message = f"{quota} is within its min, and no {LEAST} such waits have ended yet"
            promises = [self._unpublished(ahead, _RECLAIM) for ahead in listed]
            return Estimate(WaitEstimate(self._now, message), promises)
        if not points:
            return Estimate(WaitEstimate(self._now, self._why_none(quota, tree, short)), ())
        ranges: list[PositionRange] = []
        promises = []
        low, high = 0, 0
        for ahead, point in zip(listed, points, strict=True):
            around = accuracy.of_point(own, self._every, short.kind, ahead.position, point)
            low, high = max(low, around.low), max(high, around.high or 0)
            ranges.append(PositionRange(ahead.position, low, high))
            prediction = Prediction(self._now, short.kind, ahead.position, point, ranges[-1].range)
            promises.append((ahead.uid, prediction))
        message = self._rests_on(quota, tree, short)
        return Estimate(WaitEstimate(self._now, message, tuple(ranges)), promises)

    def _points(
        self, quota: str, tree: TreeBooks, short: QueueShortage, listed: Sequence[Ahead]
    ) -> Iterator[int]:
        """The estimated seconds of each listed position; none if there is nothing to go by."""
        if short.kind == "min":
            yield from (_RECLAIM for _ in listed)
            return
        if self._seen(quota, tree, short) < LEAST:
            return
        for ahead in listed:
            times = [
                supply.time_to(self._supply(quota, tree, short, key), ahead.need[key] - left)
                for key, left in short.left.items()
            ]
            yield max((log_buckets.LONGEST if at is None else at for at in times), default=0)

    def _supply(self, quota: str, tree: TreeBooks, short: QueueShortage, key: str) -> Supply:
        found = self._supplies.get((short.quota, key))
        if found is None:
            place = self._places.get(short.quota)
            if place is None:
                place = self._places[short.quota] = self._place(quota, tree, short)
            found = self._supplies[short.quota, key] = place.supply(key)
        return found

    def _place(self, quota: str, tree: TreeBooks, short: QueueShortage) -> ShortPlace:
        pods, count = shortage.holders(self._cluster, short.quota, _HOLDERS)
        holdings = [self._holding(each) for each in pods]
        ended, evicted = self._turnover(quota, tree, short).run_times(self._now)
        outlived = evicted.copy()
        for _, age, _ in holdings:
            outlived[age] += 1
        return ShortPlace(Survival(ended, outlived), holdings, (count, max(1, len(pods))))

    def _holding(self, found: Counted) -> tuple[Resources, int, int | None]:
        started = moments.read(found.started) if found.started else None
        age = 0 if started is None else max(0, self._now - started) // 1000
        ends_in = None
        if isinstance(found, Pod):
            if found.deleting and found.gone_after is not None:
                ends_in = max(0, found.gone_after - self._now) // 1000
            elif found.deadline and started is not None:
                ends_in = max(0, found.deadline - age)
        return found.request, log_buckets.index(age), ends_in

    def _turnover(self, quota: str, tree: TreeBooks, short: QueueShortage) -> QuotaTurnover:
        """That of the quota if its own share is short, else that of its tree."""
        name = quota if short.kind == "own" else tree.tree.root
        return self._turnovers.get(name) or QuotaTurnover(self._now)

    def _seen(self, quota: str, tree: TreeBooks, short: QueueShortage) -> int:
        return self._turnover(quota, tree, short).run_times(self._now)[0].total()

    def _unpublished(self, ahead: Ahead, point: int) -> tuple[str, Prediction]:
        return ahead.uid, Prediction(self._now, "min", ahead.position, point, None)

    def _why_none(self, quota: str, tree: TreeBooks, short: QueueShortage) -> str:
        whose = quota if short.kind == "own" else f"tree {tree.tree.root}"
        pods = self._seen(quota, tree, short)
        if not pods:
            return f"no pod of {whose} ended in the last day"
        return f"only {_pods(pods)} of {whose} ended in the last day, fewer than {LEAST}"

    def _rests_on(self, quota: str, tree: TreeBooks, short: QueueShortage) -> str:
        if short.kind == "min":
            return f"{quota} is within its min; its last such waits took as long"
        pods = self._seen(quota, tree, short)
        match short.kind:
            case "own":
                full, which = f"the share of {quota} is in use", f"{pods} of its pods"
            case "ancestor":
                full, which = (
                    f"the share of {short.quota} is in use",
                    f"{_pods(pods)} of tree {tree.tree.root}",
                )
            case "nodes":
                full, which = (
                    f"the nodes of {short.quota} are in use",
                    f"{_pods(pods)} of tree {tree.tree.root}",
                )
        return f"{full}; {which} ended in the last day"


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


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"
