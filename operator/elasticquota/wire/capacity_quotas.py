"""Capacity scheduling's ElasticQuota -> min and max (``scheduling.x-k8s.io``; C1-C3).

The kind and the short name are those of our own quota, the group is another; labels mean nothing.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.wire import amounts, fields
from elasticquota.wire.metadata import ObjectMeta


class CapacityManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Any = None


@dataclass(frozen=True, slots=True)
class CapacityQuota:
    key: Key
    created: str
    uid: str
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def read(manifest: CapacityManifest) -> CapacityQuota:
    """What could not be read is left out and named in ``faults`` with its path."""
    meta = manifest.metadata
    faults: list[str] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    found = {}
    for side in ("min", "max"):
        where = f"spec.{side}"
        written = fields.mapping(spec.get(side), where, faults, amounts.MOST)
        found[side] = amounts.read_any(written, where, faults)
    return CapacityQuota(
        meta.key, meta.created, meta.uid, found["min"], found["max"], tuple(faults)
    )
