"""RootQuota -> ElasticQuota manifest, or the smallest patch of the stored one (K 3).

We own the labels and annotations that the profile asks for, and all of min, max, pools and tree.
Labels and annotations from others are kept.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names
from elasticquota.model import pools
from elasticquota.model.decision import RootQuota
from elasticquota.wire.codec import merge, metadata
from elasticquota.wire.quota import bounds


def manifest(root: RootQuota) -> dict[str, Any]:
    """Return the object to create: the patch of an empty one."""
    found = {"metadata": {}, "spec": {}, **(patch(root, {}) or {})}
    marks = found["metadata"]
    return metadata.document(names.QUOTA_API, names.QUOTA_KIND, root.key, found["spec"], **marks)


def patch(root: RootQuota, stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the merge patch of what differs from ``stored``; None if nothing differs."""
    annotations = {**root.annotations, **dict.fromkeys(root.not_annotated)}
    # What the profile says by labels, no field may say.
    fields = [field for field, key in names.EQUAL_KEYS.items() if key in root.labels]
    inside = bounds.document(root.min, root.max, stored.get("spec"))
    settings = {"tree": root.tree, bounds.FIELD: inside, **dict.fromkeys(fields)}
    low, high = pools.outside(root.min), pools.outside(root.max)
    return merge.quota(stored, root.labels, annotations, low, high, settings)
