"""Who took what from whom: evictions of one cause, as the statuses of both quotas keep them."""

from typing import Final, Literal, NamedTuple

from elasticquota.resources import Resources


Right = Literal["min", "fair share", "limit", "priority", "no node"]
"""By what right a workload is evicted: its room is within the min, or within the fair share, of a
quota; it is beyond a limit; a workload of its quota is more important; no node took it in time."""


class ReclaimRecord(NamedTuple):
    """Evictions of one cause: the same quotas, the same workload that waited, the same right."""

    first: int
    """Epoch milliseconds of the first eviction, whole seconds."""
    last: int
    """Epoch milliseconds of the last one, whole seconds."""
    evicted_from: str
    """The quota whose pods were evicted."""
    reclaimed_for: str
    """The quota that got the room; empty: none, for a limit."""
    workload: str
    """The workload that waited, such as ``pod team-a/x``; empty: none, for a limit."""
    right: Right
    pods: int
    amounts: Resources
    """What the evicted pods asked for together, accounting units."""


class HourTotals(NamedTuple):
    """Evictions of one hour."""

    hour: int
    """Epoch milliseconds of the begin of the hour."""
    evicted: int
    """Pods of the quota that were evicted."""
    reclaimed: int
    """Pods of other quotas that were evicted for it."""


class ReclaimHistory(NamedTuple):
    """What the status of a quota says about reclaim; bounded in number and in age."""

    records: tuple[ReclaimRecord, ...] = ()
    """Newest first."""
    hours: tuple[HourTotals, ...] = ()
    """Newest first; hours without an eviction are left out."""


NO_HISTORY: Final = ReclaimHistory()
