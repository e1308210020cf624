"""Quota -> ElasticQuota manifest, for quotas that a translation made.

Says place, min, max, bound namespaces and grace: what `elasticquota.dialects` can say. Read back
by ``quotas.read`` it is the same quota.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from elasticquota import names, resources
from elasticquota.model.quota import Quota


def manifest(quota: Quota, annotations: Mapping[str, str]) -> dict[str, Any]:
    """The object to create, with ``annotations`` besides those that the quota has."""
    labels = {}
    if quota.parent != names.ROOT_QUOTA:
        labels[names.PARENT] = quota.parent
    if quota.is_parent:
        labels[names.IS_PARENT] = "true"
    annotated = dict(annotations)
    if quota.namespaces:
        annotated[names.NAMESPACES] = msgspec.json.encode(quota.namespaces).decode()
    if quota.reclaim_grace is not None:
        annotated[names.RECLAIM_GRACE] = _duration(quota.reclaim_grace)
    metadata: dict[str, Any] = {"name": quota.key.name, "namespace": quota.key.namespace}
    if labels:
        metadata["labels"] = labels
    if annotated:
        metadata["annotations"] = annotated
    spec = {"min": resources.text(quota.min), "max": resources.text(quota.max)}
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": metadata,
        "spec": {side: amounts for side, amounts in spec.items() if amounts},
    }


def _duration(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
