"""``top``: who borrows, who lends, who lost pods in the last day, and the evictions by hour."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from elasticquota import resources
from elasticquota.model import moments
from elasticquota_cli.overview import report
from elasticquota_cli.overview.standing import Overview, Standing


DAY: Final = 24 * 3_600_000
"""Milliseconds."""


def of(seen: Overview) -> report.Top:
    """The quotas that have something to show, and the hours, newest first."""
    since = -1 if seen.now is None else seen.now - DAY
    lines = (_line(each, since) for each in seen.quotas)
    found = [each for each in lines if each.borrowed or each.lent or each.evicted or each.reclaimed]
    found.sort(key=lambda each: (-each.evicted, each.quota, each.namespace))
    return report.Top(report.API_VERSION, found, list(_hours(seen.quotas, since)), list(seen.notes))


def _line(standing: Standing, since: int) -> report.Balance:
    hours = [each for each in standing.history.hours if each.hour > since]
    return report.Balance(
        namespace=standing.quota.key.namespace,
        quota=standing.quota.name,
        borrowed=resources.text(standing.borrowed),
        lent=resources.text(standing.lent),
        evicted=sum(each.evicted for each in hours),
        reclaimed=sum(each.reclaimed for each in hours),
    )


def _hours(quotas: Sequence[Standing], since: int) -> Iterator[report.Hour]:
    victims: dict[int, Counter[str]] = defaultdict(Counter)
    gainers: dict[int, Counter[str]] = defaultdict(Counter)
    for standing in quotas:
        for each in standing.history.hours:
            victims[each.hour][standing.quota.name] += each.evicted
            gainers[each.hour][standing.quota.name] += each.reclaimed
    for hour in sorted(victims.keys(), reverse=True):
        if hour > since:
            yield report.Hour(
                moments.text(hour),
                victims[hour].total(),
                _most_first(victims[hour]),
                _most_first(gainers[hour]),
            )


def _most_first(counts: Counter[str]) -> dict[str, int]:
    found = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return {name: count for name, count in found if count}
