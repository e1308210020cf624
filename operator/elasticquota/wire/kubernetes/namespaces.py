"""Namespace manifest -> Namespace."""

import msgspec

from elasticquota import names
from elasticquota.model.namespace import Namespace
from elasticquota.wire.codec.metadata import ObjectMeta


class NamespaceManifest(msgspec.Struct, gc=False):
    """The part of a Namespace that is read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


def read(manifest: NamespaceManifest) -> Namespace:
    """Return the namespace with the quota that its label names."""
    meta = manifest.metadata
    label = (meta.labels or {}).get(names.NAMESPACE_QUOTA)
    return Namespace(meta.name, terminating=meta.deleting, quota=label)
