"""When so much room will have come free: from the ages of the pods that hold it.

Each pod ends by a time with the probability that its age leaves it (``survival``), or at its
deadline; the sum over all pods is the room that has come free. What has come free goes to waiting
pods, which hold it again and return it in turn.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from elasticquota.forecast import log_buckets
from elasticquota.forecast.survival import ONE, Survival


STEPS: Final = tuple(
    log_buckets.begin(bucket) for bucket in range(log_buckets.index(16), log_buckets.COUNT, 2)
)
"""The times that are computed, in seconds: half an octave apart."""


class Holding(NamedTuple):
    """Pods of about the same age that hold room."""

    age: int
    """Bucket of ``log_buckets``."""
    amount: int
    """Of one resource, accounting units."""
    ends_in: int | None = None
    """Seconds until their deadline; None: they have none."""


Supply = Sequence[int]
"""What has come free by each of ``STEPS``; it never falls."""


def freed(holdings: Iterable[Holding], survival: Survival) -> Supply:
    """Return how much of one resource comes free with time."""
    left = survival.by_level
    total = [0] * len(STEPS)
    for each in holdings:
        now = max(1, survival.after(log_buckets.begin(each.age)))
        for step, level in enumerate(_levels(each.age)):
            ended = ONE - left[level] * ONE // now
            if each.ends_in is not None and each.ends_in <= STEPS[step]:
                ended = ONE
            total[step] += each.amount * ended
    ended_after = [ONE - each for each in left]
    by_step: list[int] = []
    came: list[int] = []
    for step, levels in enumerate(_AGAIN):
        again = sum(
            [amount * ended_after[level] for amount, level in zip(came, levels, strict=True)]
        )
        most = max(by_step[-1] if by_step else 0, (total[step] + again) // ONE)
        came.append(most - (by_step[-1] if by_step else 0))
        by_step.append(most)
    return by_step


def time_to(supply: Supply, need: int) -> int | None:
    """Return after how many seconds ``need`` has come free; None: not within the times computed."""
    if need <= 0:
        return 0
    before, since = 0, 0
    for total, at in zip(supply, STEPS, strict=True):
        if total >= need:
            return since + (at - since) * (need - before) // (total - before)
        before, since = total, at
    return None


@lru_cache(maxsize=log_buckets.COUNT)
def _levels(age: int) -> tuple[int, ...]:
    """The level of a pod of this age at each of ``STEPS``."""
    return tuple(log_buckets.level(log_buckets.begin(age) + at) for at in STEPS)


_AGAIN: Final = tuple(
    tuple(log_buckets.level(later - at) for at in STEPS if at < later) for later in STEPS
)
"""At each of ``STEPS``, the level of a pod that started at each earlier one."""
