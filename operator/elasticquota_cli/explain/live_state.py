"""What every verb reads of a live cluster that makes decisions on it, besides the pods."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from elasticquota_cli import listing
from elasticquota_cli.explain import live_configuration, live_devices, live_groups, live_jobs
from elasticquota_cli.explain.live_devices import LiveDevices
from elasticquota_cli.explain.live_groups import Groups
from elasticquota_cli.explain.live_jobs import Jobs
from elasticquota_cli.failure import Failure
from elasticquota_cli.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")

_SECONDS: Final = 30.0
"""Timeout for one page of a list."""
_GROUND: Final = (paths.QUOTAS, paths.PROFILES, paths.NODES, paths.NAMESPACES)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The configuration in force, and what it makes count besides pods."""

    configuration: Configuration
    jobs: Jobs
    groups: Groups
    devices: LiveDevices
    notes: Sequence[str]


def run(cluster: listing.Cluster, work: Callable[[Api], Awaitable[T]]) -> T:
    """The result of ``work``, whose lists may take a while; raises `Failure`."""
    try:
        return cluster.run(lambda api: work(api.within(_SECONDS)))
    except RecursionError:
        raise Failure("cannot read the cluster: an object is nested too deeply") from None


async def ground(api: Api) -> Mapping[Resource, Raws | None]:
    """Quotas, profiles, nodes and namespaces; None for what may not be listed."""
    found = await asyncio.gather(*(listed(api, each) for each in _GROUND))
    return dict(zip(_GROUND, found, strict=True))


async def listed(api: Api, resource: Resource, namespace: str | None = None) -> Raws | None:
    """All objects, undecoded; None when that is forbidden."""
    try:
        return await listing.of(api, resource, namespace, into=msgspec.Raw)
    except ApiError:
        text = f"the API server knows no {resource.plural}; is the operator installed?"
        raise Failure(text) from None


async def surroundings(api: Api, given: Configuration | None) -> Surroundings:
    """Without a ``given`` configuration that of the operator's ConfigMap counts."""
    chosen, notes = (given, ()) if given else await live_configuration.read(api)
    jobs = await live_jobs.read(api, chosen)
    groups = await live_groups.read(api, chosen)
    devices = await live_devices.read(api, chosen)
    said = [*notes, *jobs.notes, *groups.notes, *devices.notes]
    return Surroundings(chosen, jobs, groups, devices, said)
