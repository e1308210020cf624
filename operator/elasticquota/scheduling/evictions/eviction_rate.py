"""The rate of evictions in a tree: a token bucket, as for the clients of client-go.

Each eviction takes a token. A tree gains ``evictions_per_second`` tokens a second, and keeps those
of two seconds. How many evicted pods are still ending does not count: an owner's min does not
return more slowly where pods are small or end slowly. Evictions that the API server has not yet
accepted do count against what the bucket holds: while it answers slowly or not at all, no more is
decided ahead.

No victim is evicted in part. One of more pods than the bucket holds is evicted when the bucket is
full, and the bucket owes the rest. Later victims wait for the first one that has to wait.

A new process begins with a full bucket. That makes a controller that restarts often no faster: all
graces begin again too, and the default one is longer than the bucket takes to fill.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elasticquota.model.clocks import TokenBucket
from elasticquota.model.decision import Eviction
from elasticquota.scheduling.inputs.policy import Policy


_TOKEN: Final = 1_000
"""A rate per second is also one of thousandths per millisecond."""
_BURST: Final = 2
"""The bucket holds the tokens of so many seconds."""
_LATEST: Final = 1_000
"""A cycle for the victims that wait begins after this time at the latest, in milliseconds."""


class LimitedEvictions(NamedTuple):
    """The evictions of this cycle, and the state for the next one."""

    evictions: list[Eviction]
    bucket: TokenBucket | None
    """None: it is full."""
    due: int | None
    """When the next victims may be evicted (clock of ``now``); None: none waits."""


def burst(policy: Policy) -> int:
    """How many evictions a full bucket allows at once; a cycle looks for no more victims."""
    return policy.evictions_per_second * _BURST


def limit(
    before: TokenBucket | None,
    victims: Sequence[tuple[Eviction, ...]],
    unanswered: int,
    policy: Policy,
    now: int,
) -> LimitedEvictions:
    """Return the evictions of the first ``victims``, as far as the tokens go.

    ``unanswered``: evictions of earlier cycles that the API server has not yet accepted. ``now`` is
    in milliseconds of a monotonic clock.
    """
    rate, most = policy.evictions_per_second, burst(policy) * _TOKEN
    level = most if before is None else min(most, before.level + (now - before.at) * rate)
    usable = min(level, most - unanswered * _TOKEN)
    going: list[Eviction] = []
    for evictions in victims:
        if usable - len(going) * _TOKEN < min(len(evictions) * _TOKEN, most):
            break
        going += evictions
    level -= len(going) * _TOKEN
    bucket = None if level == most else TokenBucket(level, now)
    wanted = sum(map(len, victims))
    return LimitedEvictions(going, bucket, _due(wanted, len(going), level, policy, now))


def _due(wanted: int, going: int, level: int, policy: Policy, now: int) -> int | None:
    """When ``level`` is enough for those that wait; what else slows them down ends with an event.

    With as many as one cycle looks for there may be more of them.
    """
    if wanted >= burst(policy):
        return now + _LATEST
    if going == wanted:
        return None
    missing = (wanted - going) * _TOKEN - level
    time = -(-missing // policy.evictions_per_second)
    return now + (time if 0 < time < _LATEST else _LATEST)
