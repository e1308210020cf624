"""BuiltInQuota -> ElasticQuota manifest, or the smallest patch of the stored one (K 1.4).

Of a stored object only the annotations of ``BuiltInQuota`` are ours. Its labels and its spec belong
to its author: to Koordinator, or to an administrator who limits the default quota.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names
from elasticquota.model.decision import BuiltInQuota
from elasticquota.wire.codec import metadata


def manifest(quota: BuiltInQuota) -> dict[str, Any]:
    """Return the object to create; its empty spec limits nothing."""
    marks = {"labels": dict(quota.labels), "annotations": dict(quota.annotations)}
    return metadata.document(names.QUOTA_API, names.QUOTA_KIND, quota.key, {}, **marks)


def patch(quota: BuiltInQuota, stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the merge patch of what differs from ``stored``; None if nothing differs."""
    written = (stored.get("metadata") or {}).get("annotations") or {}
    wanted = {key: text for key, text in quota.annotations.items() if written.get(key) != text}
    return {"metadata": {"annotations": wanted}} if wanted else None
