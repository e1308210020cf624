"""Capacity scheduling's ElasticQuota -> min and max (``scheduling.x-k8s.io``; C1-C3).

The kind and the short name are those of our own quota, the group is another; labels mean nothing.
"""

from dataclasses import dataclass, field

from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import SpecManifest


@dataclass(frozen=True, slots=True)
class CapacityQuota:
    key: Key
    created: str
    uid: str
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def read(manifest: SpecManifest) -> CapacityQuota:
    """What could not be read is left out and named in ``faults`` with its path."""
    meta = manifest.metadata
    faults: list[str] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    low = amounts.read_field(spec.get("min"), "spec.min", faults)
    high = amounts.read_field(spec.get("max"), "spec.max", faults)
    return CapacityQuota(meta.key, meta.created, meta.uid, low, high, tuple(faults))
