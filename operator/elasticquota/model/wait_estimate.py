"""How long the waiting workloads of a quota still wait, as ranges, and what the ranges rest on.

Values only: ``forecast`` computes them, the status of the quota publishes them, and readers of the
status compute the range of any position from them (``forecast.positions``).
"""

from typing import NamedTuple

from elasticquota import resources
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


class WaitRange(NamedTuple):
    """Seconds until a workload starts: not before ``low``, and not after ``high``."""

    low: int
    high: int | None
    """None: no upper end is known; larger than or equal to ``low`` otherwise."""


class PositionRange(NamedTuple):
    """The range of one position of the queue, from 1."""

    position: int
    low: int
    high: int | None

    @property
    def range(self) -> WaitRange:
        """The range alone."""
        return WaitRange(self.low, self.high)


class WaitEstimate(Struct, frozen=True):
    """The estimate for the queue of one quota, at the moment when it was made."""

    made_at: int
    """Epoch milliseconds; the ranges count from here."""
    message: str
    """One sentence: what the ranges rest on, or why there are none."""
    positions: tuple[PositionRange, ...] = ()
    """In order of position, and low and high never fall; empty: there is nothing to go by."""


class Turnover(Struct, frozen=True):
    """How room of a quota came free in the last day; amounts are accounting units."""

    since: int
    """Epoch milliseconds since when the quota is observed, at most a day ago."""
    at: int
    """Epoch milliseconds of the last change, at which the hour and the day end."""
    pods_last_hour: int = 0
    """Pods that ended and so returned their room."""
    pods_last_day: int = 0
    freed_last_hour: Resources = field(default_factory=lambda: resources.EMPTY)
    freed_last_day: Resources = field(default_factory=lambda: resources.EMPTY)
    starts: int = 0
    """Workloads that started after a range was given to them, the last ones."""
    starts_in_range: int = 0
    """Of those, how many started within their range."""
