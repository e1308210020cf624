"""Metrics of whole trees: what a tree shares, what its nodes offer, and what is held back."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily, Metric

from elasticquota import quantity, resources
from elasticquota.model.decision import Decisions, ProfileStatus
from elasticquota.resources import EMPTY, Resources


def totals(profiles: Iterable[ProfileStatus]) -> Metric:
    """What each profile's tree shares, and what is there."""
    found = GaugeMetricFamily(
        "elasticquota_tree",
        "What each profile's tree shares (total) and what its nodes offer now (present).",
        labels=["profile", "namespace", "mode", "resource", "field"],
    )
    for profile in profiles:
        labels = [profile.key.name, profile.key.namespace, profile.mode]
        for field, held in (("total", profile.total), ("present", profile.present)):
            for resource, amount in held.items():
                found.add_metric([*labels, resource, field], quantity.whole(resource, amount))
    return found


def guarantee_cover(decisions: Decisions) -> Metric:
    """What the nodes of a profile's tree offer, divided by what its quotas are guaranteed.

    The guarantee of a tree is the sum of the effective mins directly below its root.
    """
    cover = GaugeMetricFamily(
        "elasticquota_guarantee_cover_ratio",
        "What the nodes of a tree offer now, divided by the sum of the mins below its root.",
        labels=["tree", "resource"],
    )
    present = {profile.tree_id: profile.present for profile in decisions.profiles}
    roots = {
        each.key.name: present[each.tree_id]
        for each in decisions.statuses
        if each.key.name == each.tree and each.tree_id in present
    }
    guaranteed: dict[str, Resources] = {}
    for each in decisions.statuses:
        if each.parent in roots and each.tree == each.parent:
            guaranteed[each.tree] = resources.add(guaranteed.get(each.tree, EMPTY), each.min)
    for tree, mins in guaranteed.items():
        for resource, amount in mins.items():
            if amount:
                cover.add_metric([tree, resource], roots[tree].get(resource, 0) / amount)
    return cover


def held(decisions: Decisions) -> Metric:
    """Evictions that the breaker holds back."""
    found = GaugeMetricFamily(
        "elasticquota_evictions_held",
        "Evictions that the eviction breaker holds back for some seconds.",
        labels=["tree"],
    )
    for tree, count in decisions.held.items():
        found.add_metric([tree], float(count))
    return found
