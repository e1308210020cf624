"""ElasticQuota manifest -> Quota (K 1.1-1.3).

A quota of which nothing can be understood is still a quota, with its name and its place: otherwise
its pods would belong to the default quota and run there.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from elasticquota import names
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.wire import amounts, fields
from elasticquota.wire.metadata import ObjectMeta


class QuotaManifest(msgspec.Struct, gc=False):
    """``spec`` has any shape: the schema in force when it was stored need not have been ours."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Any = None


class Published(msgspec.Struct, gc=False):
    """What the controller wrote into a quota, apart from what people write."""

    status: Any = None


def used(published: Published) -> Resources:
    """What the pods of the stored quota use; what cannot be read there is taken for nothing."""
    ignored: list[str] = []
    status = fields.mapping(published.status, "status", ignored)
    return amounts.read_any(
        fields.mapping(status.get("used"), "status.used", ignored), "status.used", ignored
    )


def read(manifest: QuotaManifest) -> Quota:
    """The quota as written; bad parts are named in ``faults`` with their field path."""
    meta = manifest.metadata
    faults: list[str] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    written_max = fields.mapping(spec.get("max"), "spec.max", faults, amounts.MOST)
    quota_max = amounts.read_any(written_max, "spec.max", faults)
    written_min = fields.mapping(spec.get("min"), "spec.min", faults, amounts.MOST)
    quota_min = amounts.read_any(written_min, "spec.min", faults)
    if written_max:
        faults.extend(_min_beyond_max(quota_min, quota_max, written_min, written_max))
    where = f"metadata.annotations[{names.SHARED_WEIGHT}]"
    weight = amounts.read_json(meta.annotation(names.SHARED_WEIGHT), where, faults, amounts.MOST)
    where = f"metadata.annotations[{names.NAMESPACES}]"
    bound = amounts.read_names(meta.annotation(names.NAMESPACES), where, faults)
    where = f"metadata.annotations[{names.STRICT_KEYS}]"
    strict = amounts.read_names(meta.annotation(names.STRICT_KEYS), where, faults)
    where = f"metadata.annotations[{names.TOTAL_RESOURCE}]"
    total = amounts.read_json(meta.annotation(names.TOTAL_RESOURCE), where, faults)
    return Quota(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        parent=meta.label(names.PARENT) or names.ROOT_QUOTA,
        is_parent=meta.label(names.IS_PARENT) == "true",
        is_root=meta.label(names.IS_ROOT) == "true",
        tree_id=meta.label(names.TREE_ID),
        min=quota_min,
        max=quota_max,
        shared_weight=weight,
        allow_lent=meta.label(names.ALLOW_LENT) != "false",
        namespaces=bound or (),
        profile=meta.label(names.PROFILE),
        total=total,
        shares_default_tree=meta.label(names.IGNORE_DEFAULT_TREE) == "true",
        guarantee_usage=meta.annotation(names.GUARANTEE_USAGE) == "true",
        strict_keys=strict or (),
        generation=meta.generation,
        faults=tuple(faults),
    )


def _min_beyond_max(
    quota_min: Resources,
    quota_max: Resources,
    written_min: Mapping[str, Any],
    written_max: Mapping[str, Any],
) -> list[str]:
    """What is named in max but could not be read has its own sentence already."""
    faults = []
    for resource, amount in sorted(quota_min.items()):
        limit = quota_max.get(resource)
        if resource not in written_max:
            faults.append(f"spec.min.{resource}: must also be named in spec.max")
        elif limit is not None and amount > limit:
            faults.append(
                f"spec.min.{resource}: {written_min[resource]} must be less than or equal to "
                f"{written_max[resource]}, the max of the same resource"
            )
    return faults
