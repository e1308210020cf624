"""Reads a live cluster with the user's own credentials, as the objects of a simulation.

Everything has a uid, so it is taken as stored. Pods are decoded page by page, and only what quotas
need of them is kept. The lists are read one after the other, so a busy cluster may change between
two of them.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from elasticquota.structs import Struct
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import jobs as live_jobs
from elasticquota_cli.live import listing, readable
from elasticquota_cli.live import state as live_state
from elasticquota_cli.live.listing import Raws
from elasticquota_cli.simulate import submitted, trial
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.objects import Objects, Placed, PriorityClass
from elasticquota_cli.simulate.submitted import SubmittedObjects
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_SOURCE: Final = "the cluster"


class Closed(Struct, frozen=True):
    """What the user may not read in all namespaces, of all that decisions need."""

    plurals: Sequence[str]


class _PriorityClass(msgspec.Struct, rename="camel", gc=False):
    metadata: ObjectMeta
    value: int = 0
    global_default: bool | None = None


def read(cluster: listing.Cluster, chosen: Configuration | None) -> Objects | Closed:
    """Read the cluster; raises `Failure`.

    Without a ``chosen`` configuration that of the operator's ConfigMap counts.
    """
    return cluster.read(lambda api: _read(api, chosen))


async def _read(api: Api, given: Configuration | None) -> Objects | Closed:
    ground = await readable.ground(api)
    closed = [each.plural for each, raws in ground.items() if raws is None]
    if closed:
        return Closed([*closed, paths.PODS.plural])
    around = await live_state.read(api, given)
    jobs, groups = around.jobs, around.groups
    objects = Objects(
        configuration=around.configuration,
        job_labels=jobs.labels,
        groups=groups.of_pod,
        group_objects=list(groups.objects),
        group_kinds=set(groups.kinds),
        unread=list(groups.unread),
        devices=list(around.devices.objects()),
        notes=[*around.notes],
    )
    _add_ground(objects, ground)
    await _add_priority_classes(objects, api)
    if not await _add_pods(objects, api):
        return Closed([paths.PODS.plural])
    stored = [each.pod for each in objects.pods]
    objects.jobs += live_jobs.counted(jobs, stored, int(time.time() * 1000))
    return trial.sound(objects, ())


def _add_ground(objects: Objects, ground: Mapping[Resource, Raws | None]) -> None:
    def documents(resource: Resource, kind: type[Any]) -> Iterator[Placed]:
        raws = ground[resource] or ()
        contents = listing.documents(raws, kind, resource.plural, objects.notes)
        for number, content in enumerate(contents, start=1):
            metadata = msgspec.convert(content["metadata"], ObjectMeta)
            yield Placed(metadata.key, Document(content, _SOURCE, number))

    objects.quotas += documents(paths.QUOTAS, quotas.QuotaManifest)
    objects.profiles += documents(paths.PROFILES, profiles.ProfileManifest)
    objects.nodes += map(
        nodes.read,
        listing.understood(
            ground[paths.NODES] or (), nodes.NodeManifest, paths.NODES.plural, objects.notes
        ),
    )
    objects.namespaces += map(
        namespaces.read,
        listing.understood(
            ground[paths.NAMESPACES] or (),
            namespaces.NamespaceManifest,
            paths.NAMESPACES.plural,
            objects.notes,
        ),
    )


async def _add_priority_classes(objects: Objects, api: Api) -> None:
    """Without them, new pods of a class that is not built in count with priority 0."""
    found = await listing.of(api, paths.PRIORITY_CLASSES, into=_PriorityClass)
    if found is None:
        text = "you may not read them: new pods count with priority 0, if their class is not known"
        objects.notes.append(f"{paths.PRIORITY_CLASSES.plural}: {text}")
    objects.priority_classes += (
        PriorityClass(each.metadata.name, each.value, bool(each.global_default))
        for each in found or ()
    )


async def _add_pods(objects: Objects, api: Api) -> bool:
    """Add the pods that count; returns whether the user may list them."""
    try:
        async for page in api.pages(paths.PODS):
            for manifest in listing.understood(
                page.items or (), pods.PodManifest, paths.PODS.plural, objects.notes
            ):
                if not manifest.finished:
                    pod = pods.read(manifest, objects.job_labels, objects.groups)
                    owner = submitted.owner_of(manifest.metadata)
                    objects.pods.append(SubmittedObjects(pod, owner, live=True))
    except ApiError as error:
        if error.is_forbidden:
            return False
        raise Failure(refusal.unread(paths.PODS, error)) from None
    return True
