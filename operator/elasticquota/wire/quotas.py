"""ElasticQuota manifest -> Quota (K 1.1-1.3)."""

import msgspec

from elasticquota import names
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.wire import amounts
from elasticquota.wire.metadata import ObjectMeta


class QuotaSpec(msgspec.Struct, gc=False):
    min: amounts.Written | None = None
    max: amounts.Written | None = None


class QuotaManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: QuotaSpec | None = None


def read(manifest: QuotaManifest) -> Quota:
    """The quota as written; bad parts are named in ``faults`` with their field path."""
    meta = manifest.metadata
    spec = manifest.spec or QuotaSpec()
    faults: list[str] = []
    quota_max = amounts.read(spec.max, "spec.max", faults)
    quota_min = amounts.read(spec.min, "spec.min", faults)
    faults.extend(_min_beyond_max(spec, quota_min, quota_max))
    where = f"metadata.annotations[{names.SHARED_WEIGHT}]"
    weight = amounts.read_json(meta.annotation(names.SHARED_WEIGHT), where, faults)
    where = f"metadata.annotations[{names.NAMESPACES}]"
    bound = amounts.read_names(meta.annotation(names.NAMESPACES), where, faults)
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
        generation=meta.generation,
        faults=tuple(faults),
    )


def _min_beyond_max(spec: QuotaSpec, quota_min: Resources, quota_max: Resources) -> list[str]:
    if not quota_max:
        return []
    faults = []
    for resource, amount in sorted(quota_min.items()):
        limit = quota_max.get(resource)
        if limit is None:
            faults.append(f"spec.min.{resource}: must also be named in spec.max")
        elif amount > limit:
            asked, allowed = (spec.min or {})[resource], (spec.max or {})[resource]
            faults.append(
                f"spec.min.{resource}: {asked} must be less than or equal to {allowed}, "
                f"the max of the same resource"
            )
    return faults
