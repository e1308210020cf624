"""The chains of owners above pods: from a pod's Job to its CronJob, and to what the user made.

The kinds are those of the events on owners (``reporting.kinds``). Each kind that owns something is
listed once, and of its objects only metadata is read. A chain ends at an owner that is not there or
may not be listed; it is known by the reference to it.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from elasticquota.jobs.adapter import JobKind
from elasticquota.jobs.kinds import table
from elasticquota.model.owner import Owner
from elasticquota.reporting import kinds
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota_cli.why.parts.known import Known
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


LENGTH: Final = 8
"""Owners in a chain; references may form a circle."""


def names() -> Mapping[str, str]:
    """By the plural and the kind in small letters, the kind in small letters."""
    known = kinds.table(table.table())
    plurals = {served.plural: kind.kind.lower() for kind, served in known.items()}
    return plurals | {kind.kind.lower(): kind.kind.lower() for kind in known}


async def added(api: Api, found: Known, namespace: str) -> Known:
    """What is known, with the owners above those that the pods name; raises `ApiError`."""
    first = {each.controller for each in found.pods if each.controller}
    of = await _controllers(api, namespace, first)
    pods = [
        each._replace(above=_chain(each.controller, of)) if each.controller else each
        for each in found.pods
    ]
    return replace(found, pods=pods)


async def _controllers(
    api: Api, namespace: str, owners: set[Owner]
) -> Mapping[Owner, Owner | None]:
    """The controller of each owner and of each of those, level by level."""
    known = kinds.table(table.table())
    controllers: dict[Owner, Owner | None] = {}
    listed: dict[Resource, Mapping[str, Owner | None]] = {}
    level = owners
    for _ in range(LENGTH):
        following: set[Owner] = set()
        for owner in level:
            served = known.get(JobKind(owner.group, owner.kind))
            if served is None or owner in controllers:
                continue
            resource = Resource(owner.group, kinds.version(owner, served), served.plural)
            if resource not in listed:
                listed[resource] = await _listed(api, resource, namespace)
            controllers[owner] = listed[resource].get(owner.uid)
            if (controller := controllers[owner]) is not None:
                following.add(controller)
        level = following
    return controllers


async def _listed(api: Api, resource: Resource, namespace: str) -> Mapping[str, Owner | None]:
    """By uid of the objects of a kind, their controllers; none where they may not be listed."""
    found: dict[str, Owner | None] = {}
    try:
        async for page in api.pages(resource, namespace, metadata_only=True):
            for raw in page.items or ():
                meta = msgspec.json.decode(raw, type=SpecManifest).metadata
                found[meta.uid] = meta.controller
    except ApiError as error:
        if error.is_transient:
            raise
    return found


def _chain(owner: Owner, controllers: Mapping[Owner, Owner | None]) -> tuple[Owner, ...]:
    found: list[Owner] = []
    following = controllers.get(owner)
    while following is not None and following not in found and len(found) < LENGTH:
        found.append(following)
        following = controllers.get(following)
    return tuple(found)
