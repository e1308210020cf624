"""RootQuota -> ElasticQuota manifest, or the smallest patch of the one that is stored (K 3).

Ours are the labels and annotations that the profile wants, and min and max whole; what others
added to the metadata stays.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names, resources
from elasticquota.model.decision import RootQuota
from elasticquota.wire import merge


def manifest(root: RootQuota) -> dict[str, Any]:
    """The object to create."""
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": {
            "namespace": root.key.namespace,
            "name": root.key.name,
            "labels": dict(root.labels),
            "annotations": dict(root.annotations),
        },
        "spec": {"min": resources.text(root.min), "max": resources.text(root.max)},
    }


def patch(root: RootQuota, stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """The merge patch of what differs from ``stored``, or None when nothing does."""
    metadata = stored.get("metadata") or {}
    annotated = metadata.get("annotations") or {}
    written = stored.get("spec")
    spec = written if isinstance(written, Mapping) else {}
    parts = {
        "metadata": {
            "labels": _added(metadata.get("labels"), root.labels),
            "annotations": {
                **_added(annotated, root.annotations),
                **{key: None for key in root.not_annotated if key in annotated},
            },
        },
        "spec": {
            "min": merge.amounts(spec.get("min"), root.min),
            "max": merge.amounts(spec.get("max"), root.max),
        },
    }
    found = {
        part: {field: change for field, change in fields.items() if change}
        for part, fields in parts.items()
    }
    return {part: fields for part, fields in found.items() if fields} or None


def _added(stored: Mapping[str, str] | None, wanted: Mapping[str, str]) -> dict[str, Any]:
    return {key: value for key, value in wanted.items() if (stored or {}).get(key) != value}
