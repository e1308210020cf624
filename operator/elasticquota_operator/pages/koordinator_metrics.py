"""Koordinator's gauge of quotas, for dashboards that were made for it (K 7).

One series per quota, figure and resource, under its name and labels: cpu in millicores, all else in
base units. The tree is the tree id, empty for the default tree. Our own gauge has most of the same
in base units; this one is exposed only where the administrator asks for it.
"""

from collections.abc import Iterable, Mapping

from prometheus_client.core import GaugeMetricFamily

from elasticquota.model.decision import QuotaStatus
from elasticquota.resources import Resources


def family(statuses: Iterable[QuotaStatus]) -> GaugeMetricFamily:
    """All series of these quotas."""
    gauge = GaugeMetricFamily(
        "scheduler_elastic_quota_status",
        "Figures of each quota as Koordinator exposes them: millicores, bytes, devices.",
        labels=["name", "resource", "tree", "is_parent", "parent", "field"],
    )
    for status in statuses:
        is_parent = "true" if status.is_parent else "false"
        for field, held in _figures(status).items():
            for resource, amount in held.items():
                labels = [
                    status.key.name,
                    resource,
                    status.tree_id,
                    is_parent,
                    status.parent,
                    field,
                ]
                gauge.add_metric(labels, float(amount))
    return gauge


def _figures(status: QuotaStatus) -> Mapping[str, Resources]:
    return {
        "allocated": status.allocated,
        "child-request": status.child_request,
        "guaranteed": status.guaranteed,
        "max": status.max,
        "min": status.min,
        "non-preemptible-request": status.non_preemptible_request,
        "non-preemptible-used": status.non_preemptible_used,
        "request": status.request,
        "runtime": status.runtime,
        "sharedWeight": status.weight,
        "unschedulable-resource": status.unschedulable,
        "used": status.used,
    }
