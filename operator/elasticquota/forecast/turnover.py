"""How the room of a quota came free in the last day: run times and amounts of the pods that ended.

Kept in slots of 15 minutes for the last hour, and of three hours for the day, so its size does not
grow with the number of pods. The order in which the events of a slot come does not matter.
"""

from collections import Counter
from typing import Final

from elasticquota import totals
from elasticquota.forecast import log_buckets
from elasticquota.model.wait_estimate import Turnover
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_SHORT: Final = 15 * _MINUTE
_LONG: Final = 3 * _HOUR


class _Slot(Struct):
    ended: Counter[int] = field(default_factory=Counter)
    """Pods by bucket of their run time."""
    evicted: Counter[int] = field(default_factory=Counter)
    freed: dict[str, int] = field(default_factory=dict)

    def add(self, other: "_Slot") -> None:
        self.ended += other.ended
        self.evicted += other.evicted
        totals.add(self.freed, other.freed)


class QuotaTurnover:
    """Of one quota, or of all quotas of a tree; mutable. Times are epoch milliseconds."""

    def __init__(self, since: int) -> None:
        self._since = since
        self._changed = since
        self._short: dict[int, _Slot] = {}
        """By begin."""
        self._long: dict[int, _Slot] = {}

    def restore(self, published: Turnover) -> None:
        """Take over what an earlier process published; nothing has been noted yet."""
        self._since = min(self._since, published.since)
        hour, day = _Slot(), _Slot()
        totals.add(hour.freed, published.freed_last_hour)
        totals.add(day.freed, published.freed_last_day)
        totals.subtract(day.freed, published.freed_last_hour)
        for most, pods in published.run_times:
            day.ended[log_buckets.index(most - 1)] += pods
        left = published.pods_last_hour
        for bucket in sorted(day.ended):
            moved = min(left, day.ended[bucket])
            left -= moved
            hour.ended[bucket] += moved
            day.ended[bucket] -= moved
        self._slot(published.at).add(hour)
        before = published.at - _HOUR
        self._long.setdefault(before - before % _LONG - _LONG, _Slot()).add(day)
        self._changed = published.at

    def ended(self, at: int, seconds: int, freed: Resources) -> None:
        """Note that a pod ended ``at`` after it had run for ``seconds``."""
        slot = self._slot(at)
        slot.ended[log_buckets.index(seconds)] += 1
        totals.add(slot.freed, freed)
        self._changed = max(self._changed, at)

    def evicted(self, at: int, seconds: int) -> None:
        """Note that a pod was evicted: it would have run for longer than ``seconds``."""
        self._slot(at).evicted[log_buckets.index(seconds)] += 1

    def run_times(self, now: int) -> tuple[Counter[int], Counter[int]]:
        """Return the pods that ended, and those that were evicted, in the last day, by bucket."""
        self._forget(now)
        day = self._sum(now - _DAY)
        return day.ended, day.evicted

    def published(self, starts: int, in_range: int) -> Turnover | None:
        """Return what the status says, as of the last change; None: no pod ended in that day."""
        at = self._changed
        self._forget(at)
        day, hour = self._sum(at - _DAY), self._sum(at - _HOUR)
        if not day.ended and not starts:
            return None
        return Turnover(
            since=max(self._since, at - _DAY),
            at=at,
            pods_last_hour=hour.ended.total(),
            pods_last_day=day.ended.total(),
            freed_last_hour=_positive(hour.freed),
            freed_last_day=_positive(day.freed),
            run_times=tuple(
                (log_buckets.end(bucket), pods)
                for bucket, pods in sorted(day.ended.items())
                if pods
            ),
            starts=starts,
            starts_in_range=in_range,
        )

    def _slot(self, at: int) -> _Slot:
        return self._short.setdefault(at - at % _SHORT, _Slot())

    def _sum(self, since: int) -> _Slot:
        """All that ended in a slot that reaches beyond ``since``."""
        found = _Slot()
        for width, slots in ((_SHORT, self._short), (_LONG, self._long)):
            for begin, slot in slots.items():
                if begin + width > since:
                    found.add(slot)
        return found

    def _forget(self, now: int) -> None:
        """Move slots that are older than an hour to the long ones; drop those older than a day."""
        for begin in [begin for begin in self._short if begin + _SHORT <= now - _HOUR]:
            self._long.setdefault(begin - begin % _LONG, _Slot()).add(self._short.pop(begin))
        for begin in [begin for begin in self._long if begin + _LONG <= now - _DAY]:
            del self._long[begin]


def _positive(amounts: Resources) -> Resources:
    return {key: amount for key, amount in sorted(amounts.items()) if amount > 0}
