"""What part of the pods of a quota still runs after a time: a life table over the last day.

Kaplan and Meier's estimator in logarithmic buckets. A pod that ended counts in the bucket of its
run time. A pod that still runs, or was evicted, says only that it ran for so long: without it, the
long jobs that hold the room would be taken for short ones. Where little was seen, the estimate
leans on a Pareto tail, whose remaining time grows with age: as if two pods more had been seen in
each bucket, half of which outlive each octave.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota.forecast import log_buckets


ONE: Final = 1 << 20
"""All pods; parts are in units of it."""

_SEEN: Final = 2
"""The pods more in each bucket."""
_ENDED: Final = (32, 100)
"""How many of these two end in a bucket: four buckets leave half."""
_SHORTEST: Final = log_buckets.index(16)
"""The first bucket to which the tail applies."""

_LEVELS: Final = log_buckets.LEVELS // log_buckets.PER_OCTAVE
"""In a bucket."""

Counts = Mapping[int, int]
"""Number of pods by bucket of their run time."""


class Survival:
    """The part that runs at least so long; immutable."""

    def __init__(self, ended: Counts, outlived: Counts) -> None:
        """``outlived`` are pods that ran for so long and did not end by themselves."""
        reached = [0] * (log_buckets.COUNT + 1)
        for counts in (ended, outlived):
            for bucket, pods in counts.items():
                reached[bucket] += pods
        for bucket in reversed(range(log_buckets.COUNT)):
            reached[bucket] += reached[bucket + 1]
        left = ONE
        self.by_level: list[int] = []
        """The part that runs for more than the duration of each level, from 0 to ``ONE``."""
        for bucket in range(log_buckets.COUNT):
            tail, of = _ENDED if bucket >= _SHORTEST else (0, _ENDED[1])
            seen = (reached[bucket] + _SEEN) * of
            ends = left * (ended.get(bucket, 0) * of + tail) // seen
            self.by_level += [left - ends * step // _LEVELS for step in range(_LEVELS)]
            left -= ends

    def after(self, seconds: int) -> int:
        """Return the part that runs for more than ``seconds``."""
        return self.by_level[log_buckets.level(seconds)]
