"""Quota -> ElasticQuota manifest, or the smallest patch of the one that is stored.

For quotas that a translation made: said are place, min, max, bound namespaces, grace, nodes, limits
and for whom it is kept, which is what `elasticquota.integrations` can say. Read back by
``quotas.read`` it is the same quota. Whatever else is on a stored one stays.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from elasticquota import names, resources
from elasticquota.model.quota import Quota
from elasticquota.wire.codec import merge, selectors
from elasticquota.wire.quota import limits


def manifest(quota: Quota, annotations: Mapping[str, str]) -> dict[str, Any]:
    """The object to create, with ``annotations`` besides those that the quota has."""
    metadata: dict[str, Any] = {"name": quota.key.name, "namespace": quota.key.namespace}
    annotated = {**annotations, **_annotations(quota)}
    for part, said in (("labels", _labels(quota)), ("annotations", annotated)):
        if found := {key: text for key, text in said.items() if text is not None}:
            metadata[part] = found
    spec = {"min": resources.text(quota.min), "max": resources.text(quota.max)}
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": metadata,
        "spec": {side: amounts for side, amounts in spec.items() if amounts},
    }


def patch(
    quota: Quota, annotations: Mapping[str, str], stored: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The merge patch that makes ``stored`` say the same, or None when it does."""
    labels = _labels(quota)
    there = (stored.get("metadata") or {}).get("labels") or {}
    if (there.get(names.PARENT) or names.ROOT_QUOTA) == quota.parent:
        # Whether the label says what holds without it is the webhook's to choose.
        del labels[names.PARENT]
    annotated = {**annotations, **_annotations(quota)}
    return merge.quota(stored, labels, annotated, quota.min, quota.max)


def _labels(quota: Quota) -> dict[str, str | None]:
    """None: must not be there."""
    return {
        names.PARENT: None if quota.parent == names.ROOT_QUOTA else quota.parent,
        names.IS_PARENT: "true" if quota.is_parent else None,
        names.DIALECT: quota.kept_for or None,
    }


def _annotations(quota: Quota) -> dict[str, str | None]:
    bound = msgspec.json.encode(quota.namespaces).decode() if quota.namespaces else None
    grace = None if quota.reclaim_grace is None else _duration(quota.reclaim_grace)
    queueing = names.STRICT if quota.strict_queue else None
    nodes = selectors.json_text(quota.nodes) if quota.nodes.requirements else None
    return {
        names.NAMESPACES: bound,
        names.RECLAIM_GRACE: grace,
        names.QUEUEING: queueing,
        names.NODE_SELECTOR: nodes,
        names.LIMITS: limits.json_text(quota.limits) if quota.limits else None,
    }


def _duration(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
