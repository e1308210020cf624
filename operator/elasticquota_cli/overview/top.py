"""``top``: who borrows, who lends, who lost pods in the last day, and the evictions by hour."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from elasticquota import resources
from elasticquota.model import moments
from elasticquota.resources import EMPTY, Resources
from elasticquota_cli.overview import report
from elasticquota_cli.overview.overview import Overview
from elasticquota_cli.why.published.published_quota import PublishedQuota


DAY: Final = 24 * 3_600_000
"""Milliseconds."""


def of(seen: Overview) -> report.Top:
    """The quotas that have something to show, and the hours, newest first."""
    since = -1 if seen.now is None else seen.now - DAY
    lines = (_line(each, since) for each in seen.quotas)
    found = [each for each in lines if each.borrowed or each.lent or each.evicted or each.reclaimed]
    found.sort(key=lambda each: (-each.evicted, each.quota, each.namespace))
    return report.Top(report.API_VERSION, found, list(_hours(seen.quotas, since)), list(seen.notes))


def _line(published: PublishedQuota, since: int) -> report.Balance:
    hours = [each for each in published.history.hours if each.hour > since]
    return report.Balance(
        namespace=published.quota.key.namespace,
        quota=published.quota.name,
        borrowed=resources.text(_borrowed(published)),
        lent=resources.text(_lent(published)),
        evicted=sum(each.evicted for each in hours),
        reclaimed=sum(each.reclaimed for each in hours),
    )


def _borrowed(published: PublishedQuota) -> Resources:
    """What its pods use above min; nothing for a root and for a parent, whose quotas borrow."""
    quota, figures = published.quota, published.figures
    if figures is None or _is_above(published):
        return EMPTY
    above = resources.subtract(figures.used, quota.min)
    return resources.positive(resources.masked(above, quota.min.keys() | quota.max.keys()))


def _lent(published: PublishedQuota) -> Resources:
    """The part of min that its pods do not ask for, and that others may use."""
    quota, figures = published.quota, published.figures
    if figures is None or _is_above(published) or not quota.allow_lent:
        return EMPTY
    idle = resources.subtract(quota.min, figures.request)
    return resources.positive(resources.masked(idle, quota.min))


def _is_above(published: PublishedQuota) -> bool:
    return published.quota.name == published.tree or published.quota.is_parent


def _hours(quotas: Sequence[PublishedQuota], since: int) -> Iterator[report.Hour]:
    victims: dict[int, Counter[str]] = defaultdict(Counter)
    gainers: dict[int, Counter[str]] = defaultdict(Counter)
    for published in quotas:
        for each in published.history.hours:
            victims[each.hour][published.quota.name] += each.evicted
            gainers[each.hour][published.quota.name] += each.reclaimed
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
