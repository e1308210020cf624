"""The history of reclaim in the status of a quota, and back.

Reading is total: what is not as we write it is left out, because a status may be edited.
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import resources
from elasticquota.model import moments
from elasticquota.model.fault import Fault
from elasticquota.model.reclaim_record import HourTotals, ReclaimHistory, ReclaimRecord, Right
from elasticquota.wire.codec import amounts, fields


MOST_RECORDS: Final = 20
MOST_HOURS: Final = 24
_LONGEST_QUOTA: Final = 253
_LONGEST_WORKLOAD: Final = 600
RIGHTS: Final[Mapping[Right, str]] = {
    "min": "Guarantee",
    "fair share": "FairShare",
    "limit": "Limit",
    "priority": "Priority",
    "no node": "NoNode",
}
_READ: Final = {text: right for right, text in RIGHTS.items()}


def history(found: ReclaimHistory) -> dict[str, Any]:
    """Return ``history`` and ``hours`` of a status; without entries they are left out."""
    written: dict[str, Any] = {}
    if found.records:
        written["history"] = [_record(each) for each in found.records]
    if found.hours:
        written["hours"] = [
            {
                "hour": moments.text(each.hour),
                "evicted": each.evicted,
                "reclaimed": each.reclaimed,
            }
            for each in found.hours
        ]
    return written


def read_history(status: Mapping[str, Any]) -> ReclaimHistory:
    """Return the history in the status of a quota, newest first."""
    ignored: list[Fault] = []
    records = fields.sequence(status.get("history"), "history", ignored, MOST_RECORDS)
    hours = fields.sequence(status.get("hours"), "hours", ignored, MOST_HOURS)
    return ReclaimHistory(
        tuple(sorted(filter(None, map(_read_record, records)), key=lambda each: -each.last)),
        tuple(sorted(filter(None, map(_read_hour, hours)), key=lambda each: -each.hour)),
    )


def _record(found: ReclaimRecord) -> dict[str, Any]:
    written: dict[str, Any] = {
        "time": moments.text(found.last),
        "since": moments.text(found.first),
        "evictedFrom": found.evicted_from,
        "reclaimedFor": found.reclaimed_for,
        "workload": found.workload,
        "right": RIGHTS[found.right],
        "pods": found.pods,
        "amounts": resources.text(found.amounts),
    }
    return {key: value for key, value in written.items() if value != ""}


def _read_record(written: object) -> ReclaimRecord | None:
    if not isinstance(written, Mapping):
        return None
    last = moments.read(fields.text(written.get("time")))
    first = moments.read(fields.text(written.get("since")))
    right, pods = _READ.get(fields.text(written.get("right"))), written.get("pods")
    evicted_from = fields.text(written.get("evictedFrom"))
    if last is None or right is None or not fields.is_count(pods):
        return None
    return ReclaimRecord(
        first=last if first is None else min(first, last),
        last=last,
        evicted_from=evicted_from[:_LONGEST_QUOTA],
        reclaimed_for=fields.text(written.get("reclaimedFor"))[:_LONGEST_QUOTA],
        workload=fields.text(written.get("workload"))[:_LONGEST_WORKLOAD],
        right=right,
        pods=pods,
        amounts=amounts.stored(written.get("amounts")),
    )


def _read_hour(written: object) -> HourTotals | None:
    if not isinstance(written, Mapping):
        return None
    hour = moments.read(fields.text(written.get("hour")))
    evicted, reclaimed = written.get("evicted"), written.get("reclaimed")
    if hour is None or not (fields.is_count(evicted) and fields.is_count(reclaimed)):
        return None
    return HourTotals(hour, evicted, reclaimed)
