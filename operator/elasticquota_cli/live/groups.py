"""Reads the objects of a live cluster that state the size of pod groups (``pod_groups``)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import GroupObject
from elasticquota.model.unread import Unread
from elasticquota.pod_groups import composites, reading
from elasticquota.structs import Struct
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.live import listing
from elasticquota_config.model import Configuration
from elasticquota_kube.client import discovery, paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


class LiveGroups(Struct, frozen=True):
    """What is needed to read the groups of pods."""

    of_pod: pods.GroupReader
    objects: Sequence[GroupObject]
    kinds: Sequence[str]
    """The adapters all of whose objects were read."""
    unread: Sequence[Unread]
    notes: Sequence[str]

    def store(self, ledger: Ledger) -> None:
        """Store the objects."""
        for found in self.objects:
            ledger.upsert_group_object(found)
        for kind in self.kinds:
            ledger.follow_group_kind(kind)
        for unread in self.unread:
            ledger.note_unread(unread)


async def read(api: Api, chosen: Configuration) -> LiveGroups:
    """Read all objects of the systems that the configuration chooses; raises `Failure`."""
    adapters = chosen.group_adapters()
    group_objects: list[GroupObject] = []
    kinds: list[str] = []
    unread: list[Unread] = []
    notes: list[str] = []
    for each in adapters:
        kind = each.object
        if kind is None:
            continue
        ours = paths.of_kind(kind)
        listed = await _first(api, ours, notes)
        if listed is None:
            unread += await _unread(api, each.name, ours)
        elif listed.readable:
            above = None
            if each.composite is not None:
                above = await _first(api, paths.of_kind(each.composite), notes)
            documents = () if above is None else above.documents
            group_objects += composites.of_documents(each, kind, listed.documents, documents)
            kinds.append(each.name)
    notes += [f"{each}: its groups are not known here" for each in unread]
    return LiveGroups(reading.reader(adapters), group_objects, kinds, unread, notes)


class _Listed(NamedTuple):
    """The objects of a kind that is served; none if they may not be read."""

    readable: bool
    documents: Sequence[dict[str, Any]] = ()


async def _first(api: Api, ours: Sequence[Resource], notes: list[str]) -> _Listed | None:
    """The objects in the first version that is served; None: none is."""
    for resource in ours:
        try:
            listed = await listing.of(api, resource, into=dict[str, Any])
        except ApiError:
            continue  # this version is not served
        if listed is None:
            text = "you may not read them: the sizes that they state are not known here"
            notes.append(f"{resource.plural}.{resource.group}: {text}")
            return _Listed(readable=False)
        return _Listed(True, listed)
    return None


async def _unread(api: Api, adapter: str, ours: Sequence[Resource]) -> Sequence[Unread]:
    """The kind, if it is served in other versions than ``ours``."""
    first = ours[0]
    read = tuple(resource.version for resource in ours)
    try:
        served = await discovery.instead(api, first.group, first.plural, read)
    except ApiError:
        served = ()
    definition = f"{first.plural}.{first.group}"
    return [Unread(definition, served, read, adapter)] if served else []
