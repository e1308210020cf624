"""How far estimates were off, and the ranges that would have held.

A prediction is what was said about a waiting workload. When it starts, the ratio of the true wait
to the estimated one is kept. The next range goes from the estimate times the 7th percentile of the
last ratios to the estimate times the 93rd (conformal prediction). What is short keeps its ratios
apart, and what a quota has too few of, it takes from all quotas.
"""

from collections import deque
from typing import Final, Literal, NamedTuple

from elasticquota.model.wait_estimate import WaitRange


Kind = Literal["own", "ancestor", "nodes", "min"]
"""What is short: the share of the quota, that of a quota above, or nodes; or the quota is owed its
min, and pods are evicted for it."""

LONGEST: Final = 64 * 86_400
"""Seconds; no range goes beyond."""
_KEPT: Final = 128
"""Ratios of one kind; older ones are dropped."""
_ENOUGH: Final = 20
"""Ratios from which a range is taken."""
_TAIL: Final = 7
"""Percent of the ratios on either side that a range leaves out."""
_BEFORE: Final = (100, 5000)
"""A tenth to five times of the estimate, before there are enough ratios."""
_LAST: Final = 200
"""Starts that are counted."""


class Prediction(NamedTuple):
    """What was said about a waiting workload."""

    made_at: int
    """Epoch milliseconds."""
    kind: Kind
    point: int
    """The estimated wait in seconds."""
    range: WaitRange | None
    """The published range; None: there was none."""


class Accuracy:
    """The errors of one quota, or of all; mutable."""

    def __init__(self) -> None:
        self._ratios: dict[Kind, deque[int]] = {}
        """Of the true wait to the estimated one, per mille."""
        self._kept: deque[bool] = deque(maxlen=_LAST)

    def restore(self, starts: int, in_range: int) -> None:
        """Take over the counts of an earlier process."""
        starts = min(starts, _LAST)
        kept = min(starts, in_range)
        self._kept.extend([True] * kept + [False] * (starts - kept))

    def note(self, prediction: Prediction, waited: int) -> None:
        """Compare a prediction with the true wait in seconds."""
        ratios = self._ratios.setdefault(prediction.kind, deque(maxlen=_KEPT))
        ratios.append(waited * 1000 // max(1, prediction.point))
        if prediction.range is not None:
            low, high = prediction.range
            self._kept.append(low <= waited and (high is None or waited <= high))

    def ratios(self, kind: Kind) -> list[int]:
        """Return the last ratios, ascending."""
        return sorted(self._ratios.get(kind, ()))

    @property
    def starts(self) -> int:
        """The last starts of workloads to which a range was published."""
        return len(self._kept)

    @property
    def in_range(self) -> int:
        """How many of these were within the range."""
        return sum(self._kept)


def bounds(own: Accuracy, every: Accuracy, kind: Kind) -> tuple[int, int]:
    """Return the ends of a range, per mille of the estimated wait.

    ``own`` are the errors of the quota, ``every`` those of all quotas.
    """
    for ratios in (own.ratios(kind), every.ratios(kind)):
        if len(ratios) >= _ENOUGH:
            cut = len(ratios) * _TAIL // 100
            return ratios[cut], ratios[-1 - cut] + 1
    return _BEFORE


def around(point: int, bounds: tuple[int, int]) -> WaitRange:
    """Return the range around an estimated wait in seconds; its ends are per mille of it."""
    low, high = bounds
    return WaitRange(min(LONGEST, point * low // 1000), min(LONGEST, -(-point * high // 1000)))
