"""ElasticQuota of capacity scheduling -> min and max (``scheduling.x-k8s.io``; C1-C3).

The kind and the short name equal those of our own quota, but the API group differs. Its labels have
no meaning.
"""

from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import SpecManifest


class CapacityQuota(Struct, frozen=True):
    """One ElasticQuota of capacity scheduling; amounts in accounting units."""

    key: Key
    created: str
    uid: str
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


def read(manifest: SpecManifest) -> CapacityQuota:
    """Return the quota; ``faults`` names each unreadable part, which is left out."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    low = amounts.read_field(spec.get("min"), "spec.min", faults)
    high = amounts.read_field(spec.get("max"), "spec.max", faults)
    return CapacityQuota(meta.key, meta.created, meta.uid, low, high, tuple(faults))
