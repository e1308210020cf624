"""Namespace manifest -> Namespace."""

from collections.abc import Mapping

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
    return Namespace(meta.name, meta.deleting, label, _available(meta.annotations or {}))


def _available(annotations: Mapping[str, str]) -> tuple[str, ...] | None:
    texts = [annotations[key] for key in names.AVAILABLE_QUOTA if key in annotations]
    if not texts:
        return None
    return tuple(sorted({name.strip() for name in texts[0].split(",")} - {""}))
