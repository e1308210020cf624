"""How far estimates were off, and the ranges that would have held: they keep the forecast honest.

A prediction is what was said about a waiting workload. When it starts, the error of the prediction
is kept: the ratio of the true wait to the estimated one. The next range goes from the estimate
times the 7th percentile of the last errors to the estimate times the 93rd (conformal prediction).
Errors are kept apart by what is short and by position, because the first of a queue waits for one
pod to end and the last for many. What a quota has too few of, it takes from all quotas.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from elasticquota.forecast import log_buckets
from elasticquota.model.wait_estimate import WaitRange


Kind = Literal["own", "ancestor", "nodes", "min"]
"""What is short: the share of the quota, that of a quota above, or nodes; or the quota is owed its
min, and pods are evicted for it."""

_KEPT: Final = 128
"""Errors of one group; older ones are dropped."""
_ENOUGH: Final = 20
"""Errors from which a range is taken."""
_TAIL: Final = 7
"""Percent of the errors on either side that a range leaves out."""
_BEFORE: Final = (-41, 26)
"""Levels: a sixth to three times of the estimate, before there are enough errors."""
_DEEP: Final = 3
"""Positions from 8 on are one group."""
_LAST: Final = 200
"""Starts that are counted."""
_MOST: Final = 64
"""Promises of one quota at a time."""


class Prediction(NamedTuple):
    """What was said about a waiting workload."""

    made_at: int
    """Epoch milliseconds."""
    kind: Kind
    position: int
    point: int
    """The estimated wait in seconds."""
    range: WaitRange | None
    """The published range; None: there was none."""


class Accuracy:
    """The errors of one quota, or of all; mutable."""

    def __init__(self) -> None:
        self._errors: dict[tuple[Kind, int | None], deque[int]] = {}
        """In levels of ``log_buckets``; by position group, and of all positions."""
        self._kept: deque[bool] = deque(maxlen=_LAST)

    def restore(self, starts: int, in_range: int) -> None:
        """Take over the counts of an earlier process."""
        starts = min(starts, _LAST)
        kept = min(starts, in_range)
        self._kept.extend([True] * kept + [False] * (starts - kept))

    def note(self, prediction: Prediction, waited: int) -> None:
        """Compare a prediction with the true wait in seconds."""
        error = log_buckets.level(waited) - log_buckets.level(prediction.point)
        for group in (_group(prediction.position), None):
            kept = self._errors.setdefault((prediction.kind, group), deque(maxlen=_KEPT))
            kept.append(error)
        if prediction.range is not None:
            low, high = prediction.range
            self._kept.append(low <= waited and (high is None or waited <= high))

    def errors(self, kind: Kind, position: int | None) -> Iterable[int]:
        """Return the last errors of the group of a position; None: of all positions."""
        group = None if position is None else _group(position)
        return self._errors.get((kind, group), ())

    @property
    def starts(self) -> int:
        """The last starts of workloads to which a range was published."""
        return len(self._kept)

    @property
    def in_range(self) -> int:
        """How many of these were within the range."""
        return sum(self._kept)


NO_ERRORS: Final = Accuracy()
"""Of a quota without any; do not change it."""


def seen(own: Accuracy, kind: Kind) -> int:
    """Return how many waits of a kind the quota has seen end."""
    return len(tuple(own.errors(kind, None)))


def of_point(own: Accuracy, every: Accuracy, kind: Kind, position: int, point: int) -> WaitRange:
    """Return the range around an estimated wait of ``point`` seconds.

    ``own`` are the errors of the quota, ``every`` those of all quotas.
    """
    low, high = _BEFORE
    for recorded in (
        own.errors(kind, position),
        own.errors(kind, None),
        every.errors(kind, position),
        every.errors(kind, None),
    ):
        errors = sorted(recorded)
        if len(errors) >= _ENOUGH:
            cut = len(errors) * _TAIL // 100
            low, high = errors[cut], errors[-1 - cut] + 1
            break
    at = log_buckets.level(point)
    return WaitRange(log_buckets.at_level(at + low), log_buckets.at_level(at + high))


class Promises:
    """What was said about the waiting workloads of one quota; mutable and bounded."""

    def __init__(self) -> None:
        self._made: dict[str, list[Prediction]] = {}
        """By uid."""
        self._count = 0

    def make(self, uid: str, prediction: Prediction, interval: int) -> None:
        """Keep a prediction, unless one younger than ``interval`` milliseconds is kept already."""
        known = self._made.get(uid)
        if self._count >= _MOST or (known and prediction.made_at - known[-1].made_at < interval):
            return
        self._made.setdefault(uid, []).append(prediction)
        self._count += 1

    def end(self, uid: str) -> list[Prediction]:
        """Return and forget what was said about a workload, because it starts or is gone."""
        found = self._made.pop(uid, [])
        self._count -= len(found)
        return found

    def keep(self, uids: Iterable[str]) -> None:
        """Forget what was said about all other workloads."""
        kept = {uid: self._made[uid] for uid in uids if uid in self._made}
        self._made, self._count = kept, sum(map(len, kept.values()))


def _group(position: int) -> int:
    return min(_DEEP, position.bit_length() - 1)
