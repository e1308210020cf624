"""How a quota did: the room that came free in the last hour and day, and how its estimates held.

Each span is kept in slots, so its size does not grow with the number of pods, and the order in
which the events of a slot come does not matter.
"""

from typing import Final, NamedTuple

from elasticquota import names, resources, totals
from elasticquota.forecast.accuracy import Accuracy
from elasticquota.model.wait_estimate import Turnover
from elasticquota.resources import Resources


_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


class Freed(NamedTuple):
    """What pods returned that ended by themselves."""

    amounts: Resources
    """In accounting units."""
    milliseconds: int
    """The time in which they did."""

    @property
    def pods(self) -> int:
        """How many these are."""
        return self.amounts.get(names.PODS, 0)

    def seconds(self, wanted: Resources) -> int:
        """Return how long ``wanted`` takes at this rate, at least 1; some of each came free."""
        span = self.milliseconds
        times = [amount * span // (1000 * self.amounts[key]) for key, amount in wanted.items()]
        return max([1, *times])


class _Span:
    """What came free in a span of time, in slots by their begin; mutable."""

    def __init__(self, length: int, slot: int) -> None:
        self._length = length
        self._slot = slot
        self._slots: dict[int, dict[str, int]] = {}

    def add(self, at: int, amounts: Resources) -> None:
        """Add what came free ``at``, and forget what is older than the span by then."""
        begin = at - at % self._slot
        totals.add(self._slots.setdefault(begin, {}), amounts)
        self._slots = self._since(at - self._length)

    def spread(self, since: int, at: int, amounts: Resources) -> None:
        """Add evenly what came free between ``since`` and ``at``."""
        begins = range(max(since, at - self._length), at, self._slot) or (at,)
        for slot, begin in enumerate(begins):
            share = {key: _part(amount, slot, len(begins)) for key, amount in amounts.items()}
            self.add(begin, share)

    def until(self, now: int, since: int) -> Freed:
        """Return what came free in the span that ends ``now``, or from ``since``."""
        slots = self._since(now - self._length)
        amounts: dict[str, int] = {}
        for each in slots.values():
            totals.add(amounts, each)
        first = max(since, min(now - self._length, *slots, now))
        return Freed(amounts, max(1000, now - first))

    def _since(self, since: int) -> dict[int, dict[str, int]]:
        """The slots that reach beyond that time."""
        return {begin: each for begin, each in self._slots.items() if begin + self._slot > since}


class QuotaTurnover:
    """Of one quota, or of all quotas of a tree; mutable. Times are epoch milliseconds."""

    def __init__(self, since: int) -> None:
        self.accuracy = Accuracy()
        self._since = since
        self._changed = since
        self._hour = _Span(_HOUR, 15 * _MINUTE)
        self._day = _Span(_DAY, 3 * _HOUR)

    def restore(self, published: Turnover) -> None:
        """Take over what an earlier process published; nothing has been noted yet."""
        since = self._since = min(self._since, published.since)
        at = self._changed = published.at
        self._hour.spread(since, at, published.freed_last_hour)
        self._day.spread(since, at, published.freed_last_day)
        self.accuracy.restore(published.starts, published.starts_in_range)

    def ended(self, at: int, freed: Resources) -> None:
        """Note that a pod ended ``at``."""
        for span in (self._hour, self._day):
            span.add(at, freed)
        self._changed = max(self._changed, at)

    def last_day(self, now: int) -> Freed:
        """Return what came free in the last day, or since the quota is observed."""
        return self._day.until(now, self._since)

    def published(self) -> Turnover | None:
        """Return what the status says, as of the last end; None: no pod ended in that day."""
        at = self._changed
        day, hour = self.last_day(at), self._hour.until(at, self._since)
        if not day.pods and not self.accuracy.starts:
            return None
        return Turnover(
            since=max(self._since, at - _DAY),
            at=at,
            pods_last_hour=hour.pods,
            pods_last_day=day.pods,
            freed_last_hour=resources.positive(hour.amounts),
            freed_last_day=resources.positive(day.amounts),
            starts=self.accuracy.starts,
            starts_in_range=self.accuracy.in_range,
        )


def _part(amount: int, slot: int, slots: int) -> int:
    """That of one of equal slots; together they are the amount."""
    return amount * (slot + 1) // slots - amount * slot // slots
