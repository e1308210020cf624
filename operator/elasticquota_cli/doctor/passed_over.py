"""Reports labels and annotations that are passed over and look like one that is read.

Fields of specs that do not exist are reported from files alone: an API server stores none.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from elasticquota.forest import nearest_names, wording
from elasticquota.forest.nearest_names import Kind
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_cli.doctor.inventory import Found, Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


_KINDS: Final[Mapping[Resource, tuple[Kind, str]]] = {
    paths.QUOTAS: ("quota", "ElasticQuota"),
    paths.PROFILES: ("profile", "ElasticQuotaProfile"),
    paths.PODS: ("pod", "Pod"),
    paths.NAMESPACES: ("namespace", "Namespace"),
    paths.TREES: ("tree", "ElasticQuotaTree"),
}


class _Head(msgspec.Struct, gc=False):
    """An object of which only the metadata and the names of the fields of its spec are read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: object = None


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace, kind and warning, with the objects that it is about."""
    scratch = Found(inventory.found.objects)  # what is not understood is noted where it is read
    about: dict[tuple[str, Resource, str], list[Key]] = defaultdict(list)
    for resource, (kind, _) in _KINDS.items():
        for each in scratch.all(resource, _Head):
            meta = each.metadata
            for warning in (
                *nearest_names.of_keys(kind, meta.labels, meta.annotations),
                *nearest_names.of_fields(kind, each.spec),
            ):
                namespace = meta.namespace or meta.name
                about[namespace, resource, warning].append(meta.key)
    for (namespace, resource, warning), keys in about.items():
        _, name = _KINDS[resource]
        subject, text = f"{name} {keys[0]}", warning
        if len(keys) > 1:
            subject = f"Namespace {namespace}"
            named = wording.some(sorted(key.name for key in keys))
            text = f"{wording.counted(len(keys), name)} ({named}): {warning}"
        yield Finding(
            "warning",
            subject,
            text,
            "correct the key where the object is made, or remove it",
            (namespace,),
        )
