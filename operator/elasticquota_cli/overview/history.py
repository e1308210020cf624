"""``history``: who took what from whom in the last day, for which workload, and by what right."""

from collections.abc import Iterator

from elasticquota import resources
from elasticquota.model import moments
from elasticquota.model.reclaim_record import ReclaimRecord
from elasticquota.wire.quota import reclaim_records
from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.overview import report
from elasticquota_cli.overview.overview import Overview
from elasticquota_cli.overview.top import DAY


def of(seen: Overview, quota: str = "") -> report.History:
    """The causes of evictions, newest first; of one ``quota``, if it is given.

    Causes of one second are in the order of their quotas and workloads.

    Raises `Failure` for a quota that was not read.
    """
    known = {each.quota.name for each in seen.quotas}
    if quota and quota not in known:
        raise Failure(f"there is no quota {quota} here{nearest.hint(quota, known)}")
    # Both quotas of a cause keep it.
    kept: dict[tuple[object, ...], ReclaimRecord] = {}
    for each in _records(seen, quota):
        kept.setdefault((*each[:6], each.pods), each)
    records = sorted(
        kept.values(),
        key=lambda each: (-each.last, each.evicted_from, each.reclaimed_for, each.workload),
    )
    return report.History(report.API_VERSION, [_cause(each) for each in records], list(seen.notes))


def _records(seen: Overview, quota: str) -> Iterator[ReclaimRecord]:
    since = -1 if seen.now is None else seen.now - DAY
    for published in seen.quotas:
        if quota in ("", published.quota.name):
            yield from (each for each in published.history.records if each.last > since)


def _cause(record: ReclaimRecord) -> report.EvictionCause:
    return report.EvictionCause(
        time=moments.text(record.last),
        since=moments.text(record.first),
        evicted_from=record.evicted_from,
        reclaimed_for=record.reclaimed_for,
        workload=record.workload,
        right=reclaim_records.RIGHTS[record.right],
        pods=record.pods,
        amounts=resources.text(record.amounts),
    )
