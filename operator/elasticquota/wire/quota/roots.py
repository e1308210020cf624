"""RootQuota -> ElasticQuota manifest, or the smallest patch of the one that is stored (K 3).

Ours are the labels and annotations that the profile wants, and min and max whole; what others
added to the metadata stays.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names, resources
from elasticquota.model.decision import RootQuota
from elasticquota.wire.codec import merge


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
    annotations = {**root.annotations, **dict.fromkeys(root.not_annotated)}
    return merge.quota(stored, root.labels, annotations, root.min, root.max)
