"""The counters of what quotas borrowed and lent, which never fall while a quota is observed.

A scrape counts to the present, with the amounts of the last decision. A decision under way may say
that an amount changed a second before, and a clock may be set back. Prometheus takes a counter that
falls for a new one and adds all of it again, so the largest total that was shown stays until the
count is beyond it.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily

from elasticquota import quantity, resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import MOST_RESOURCES, ResourceHours, Totals
from elasticquota.resources import EMPTY, Resources


_NONE: Final = Totals(EMPTY, EMPTY)


class ResourceSeconds:
    """Remembers the totals of the last scrape; mutable, for one scrape at a time."""

    def __init__(self) -> None:
        self._shown: dict[tuple[Key, int], Totals] = {}
        """By the quota and when its count began."""

    def families(self, statuses: Iterable[QuotaStatus], now: int) -> Sequence[CounterMetricFamily]:
        """Return both counters at ``now``, epoch seconds."""
        borrowed = CounterMetricFamily(
            "elasticquota_borrowed_resource_seconds",
            "What a quota used above its min, times the seconds: core-seconds, byte-seconds.",
            labels=["quota", "namespace", "tree", "resource"],
        )
        lent = CounterMetricFamily(
            "elasticquota_lent_resource_seconds",
            "The part of its min that a quota did not ask for, times the seconds.",
            labels=["quota", "namespace", "tree", "resource"],
        )
        before, self._shown = self._shown, {}
        for status in statuses:
            hours = status.resource_hours
            if hours is None:
                continue
            series = status.key, hours.since
            sums = self._shown[series] = _grown(before.get(series, _NONE), hours, now)
            for family, totals in zip((borrowed, lent), sums, strict=True):
                for resource, total in totals.items():
                    family.add_metric(
                        [status.key.name, status.key.namespace, status.tree, resource],
                        quantity.whole(resource, total),
                    )
        return borrowed, lent


def _grown(before: Totals, hours: ResourceHours, now: int) -> Totals:
    """The totals at ``now``, but none less than ``before``."""
    pairs = zip(before, hours.totals(now), strict=True)
    return Totals(*(_maximum(was, found) for was, found in pairs))


def _maximum(was: Resources, found: Resources) -> Resources:
    """Where the meter drops resources because they are too many, they are dropped here, too."""
    kept = was if len(found) < MOST_RESOURCES else resources.masked(was, found)
    return resources.maximum(kept, found)
