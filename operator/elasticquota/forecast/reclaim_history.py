"""Who took what from whom: the evictions of the last day, for the statuses of both quotas.

Evictions of one cause within ten minutes are one record. A quota keeps its last 20 records and the
numbers of its last 24 hours, so that its size does not grow with the number of pods.
"""

from typing import Final

from elasticquota import resources
from elasticquota.model.decision import Eviction
from elasticquota.model.reclaim_record import (
    NO_HISTORY,
    HourTotals,
    ReclaimHistory,
    ReclaimRecord,
)


MOST_RECORDS: Final = 20
_HOUR: Final = 3_600_000
_DAY: Final = 24 * _HOUR
_ONE_CAUSE: Final = 600_000
"""Milliseconds before or after a record in which another eviction belongs to it."""


class ReclaimHistories:
    """The histories of all quotas; mutable. Times are epoch milliseconds."""

    def __init__(self) -> None:
        self._known: dict[str, ReclaimHistory] = {}
        self._changed: set[str] = set()

    def of(self, quota: str) -> ReclaimHistory:
        """Return the history of a quota as of its last eviction."""
        return self._known.get(quota, NO_HISTORY)

    def restore(self, quota: str, found: ReclaimHistory) -> None:
        """Replace the history of a quota by what its status says."""
        if found != self.of(quota):
            self._changed.add(quota)
        if found == NO_HISTORY:
            self._known.pop(quota, None)
        else:
            self._known[quota] = found

    def note(self, eviction: Eviction, at: int) -> None:
        """Note that the API server accepted an eviction."""
        at -= at % 1000
        for quota in {eviction.quota, eviction.owner} - {""}:
            self._known[quota] = _with(self.of(quota), quota, eviction, at)
            self._changed.add(quota)

    def forget(self, quotas: set[str]) -> None:
        """Drop the histories of these quotas, which are gone."""
        for quota in quotas & self._known.keys():
            del self._known[quota]

    def drain_changed(self) -> set[str]:
        """Return the quotas whose histories changed since the last call."""
        found, self._changed = self._changed, set()
        return found

    def quotas(self) -> set[str]:
        """Return the quotas with a history."""
        return set(self._known)


def _with(before: ReclaimHistory, quota: str, eviction: Eviction, at: int) -> ReclaimHistory:
    new = ReclaimRecord(
        first=at,
        last=at,
        evicted_from=eviction.quota,
        reclaimed_for=eviction.owner,
        workload=eviction.preemptor,
        right=eviction.right,
        pods=1,
        amounts=dict(eviction.request),
    )
    others: list[ReclaimRecord] = []
    for each in before.records:
        if _cause(each) == _cause(new) and _is_near(each, at):
            new = _joined(each, new)
        elif each.last > at - _DAY:
            others.append(each)
    records = sorted((new, *others), key=lambda each: -each.last)
    hour = at - at % _HOUR
    lost, won = int(eviction.quota == quota), int(eviction.owner == quota)
    hours = {each.hour: each for each in before.hours if each.hour > at - _DAY}
    known = hours.get(hour, HourTotals(hour, 0, 0))
    hours[hour] = HourTotals(hour, known.evicted + lost, known.reclaimed + won)
    newest = sorted(hours.values(), key=lambda each: -each.hour)
    return ReclaimHistory(tuple(records[:MOST_RECORDS]), tuple(newest[:24]))


def _cause(record: ReclaimRecord) -> tuple[str, str, str, str]:
    return record.evicted_from, record.reclaimed_for, record.workload, record.right


def _is_near(record: ReclaimRecord, at: int) -> bool:
    return record.first - _ONE_CAUSE < at < record.last + _ONE_CAUSE


def _joined(before: ReclaimRecord, new: ReclaimRecord) -> ReclaimRecord:
    return before._replace(
        first=min(before.first, new.first),
        last=max(before.last, new.last),
        pods=before.pods + new.pods,
        amounts=resources.add(before.amounts, new.amounts),
    )
