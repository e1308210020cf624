"""Reads the objects of a live cluster that state the size of pod groups (``pod_groups``)."""

from collections.abc import Sequence
from typing import Any

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import GroupObject
from elasticquota.pod_groups import objects, reading
from elasticquota.structs import Struct
from elasticquota.wire.kubernetes import pods
from elasticquota_cli import listing
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource


class Groups(Struct, frozen=True):
    """What is needed to read the groups of pods."""

    of_pod: pods.GroupReader
    objects: Sequence[GroupObject]
    kinds: Sequence[str]
    """The adapters all of whose objects were read."""
    notes: Sequence[str]

    def store(self, ledger: Ledger) -> None:
        """Store the objects."""
        for found in self.objects:
            ledger.upsert_group_object(found)
        for kind in self.kinds:
            ledger.follow_group_kind(kind)


async def read(api: Api, chosen: Configuration) -> Groups:
    """Read all objects of the systems that the configuration chooses; raises `Failure`."""
    adapters = chosen.group_adapters()
    found: list[GroupObject] = []
    kinds: list[str] = []
    notes: list[str] = []
    for each in adapters:
        kind = each.object
        if kind is None:
            continue
        for version in kind.versions:
            resource = Resource(kind.group, version, kind.plural)
            try:
                listed = await listing.of(api, resource, into=dict[str, Any])
            except ApiError:
                continue  # this version is not served
            if listed is None:
                text = "you may not read them: the sizes that they state are not known here"
                notes.append(f"{resource.plural}.{resource.group}: {text}")
            else:
                found += [objects.read(document, each, kind) for document in listed]
                kinds.append(each.name)
            break
    return Groups(reading.reader(adapters), found, kinds, notes)
