"""Namespace manifest -> Namespace."""

import msgspec

from elasticquota.model.namespace import Namespace
from elasticquota.wire.metadata import ObjectMeta


class NamespaceManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


def read(manifest: NamespaceManifest) -> Namespace:
    return Namespace(manifest.metadata.name, terminating=manifest.metadata.deleting)
