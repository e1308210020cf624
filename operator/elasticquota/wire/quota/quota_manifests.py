"""Quota -> ElasticQuota manifest, or the smallest patch of the stored one.

For quotas that are translated from an external system. The manifest has what
`elasticquota.integrations` can express: place in the tree, min, max, bound namespaces, queueing,
grace, preemption policy, delay of usage beyond max, order of the queue, nodes, limits, shared
weight, lending, allowed namespaces and the external system.
``quotas.read`` makes the same quota from it. Other fields of a stored quota are kept.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names, resources
from elasticquota.model import pools
from elasticquota.model.quota import Quota
from elasticquota.wire.codec import durations, merge, metadata, selectors
from elasticquota.wire.quota import bounds, equal_keys, limits, policies


def manifest(quota: Quota, annotations: Mapping[str, str]) -> dict[str, Any]:
    """Return the object to create; ``annotations`` are added to those of the quota itself."""
    marks = {"annotations": annotations} if annotations else {}
    if quota.kept_for:
        marks["labels"] = {names.DIALECT: quota.kept_for}
    spec = {
        **_equal(quota),
        "parent": None if quota.parent == names.ROOT_QUOTA else quota.parent,
        "min": resources.text(pools.outside(quota.min)),
        "max": resources.text(pools.outside(quota.max)),
        bounds.FIELD: bounds.document(quota.min, quota.max),
    }
    settings = {field: said for field, said in {**spec, **_settings(quota)}.items() if said}
    # No followed system states these: a patch leaves those of a stored quota alone.
    if quota.allowed_namespaces is not None:
        settings["access"] = {"pods": list(quota.allowed_namespaces)}
    if not quota.allow_lent:
        settings["lends"] = False
    if quota.shared_weight is not None:
        settings["weight"] = resources.text(quota.shared_weight)
    return metadata.document(names.QUOTA_API, names.QUOTA_KIND, quota.key, settings, **marks)


def patch(
    quota: Quota, annotations: Mapping[str, str], stored: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the merge patch that makes ``stored`` equal to ``quota``; None if it is equal."""
    there = {"parent": names.ROOT_QUOTA, **equal_keys.said(stored)}
    moved = {
        field: value
        for field, value in _equal(quota).items()
        if (value or None) != there.get(field)
    }
    # The keys too, because the definition of another project drops the fields.
    labels, annotated = equal_keys.texts(moved)
    labels[names.DIALECT] = quota.kept_for or None
    annotated |= annotations
    inside = bounds.document(quota.min, quota.max, stored.get("spec"))
    settings = {**_settings(quota), bounds.FIELD: inside, **moved}
    low, high = pools.outside(quota.min), pools.outside(quota.max)
    return merge.quota(stored, labels, annotated, low, high, settings)


def _equal(quota: Quota) -> dict[str, Any]:
    """The fields that keys of Koordinator say too, and that followed systems state."""
    return {
        "parent": quota.parent,
        "isParent": quota.is_parent,
        "namespaces": list(quota.namespaces),
    }


def _settings(quota: Quota) -> dict[str, Any]:
    """The fields of the spec besides min and max; an empty one must be absent."""
    grace, delay = quota.reclaim_grace, quota.over_max_delay
    sections: dict[str, Mapping[str, Any]] = {
        "queue": {
            "policy": names.STRICT if quota.strict_queue else None,
            "order": None if quota.orders_by_priority else names.BY_AGE,
            "applications": quota.application_order or None,
        },
        "reclaim": {
            "grace": None if grace is None else durations.text(grace),
            "overMaxDelay": None if delay is None else policies.over_max_text(delay),
            "preemption": quota.preemption or None,
        },
        "limits": limits.document(quota.limits),
        "nodeSelector": selectors.values(quota.nodes),
    }
    return {
        field: {key: said for key, said in settings.items() if said is not None}
        for field, settings in sections.items()
    }
