"""What every verb reads of a live cluster that makes decisions on it, besides the pods."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from elasticquota_cli.explain import lists, live_configuration, live_devices, live_groups, live_jobs
from elasticquota_cli.explain.live_devices import LiveDevices
from elasticquota_cli.explain.live_groups import Groups
from elasticquota_cli.explain.live_jobs import Jobs
from elasticquota_cli.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


_GROUND: Final = (paths.QUOTAS, paths.PROFILES, paths.NODES, paths.NAMESPACES)


@dataclass(frozen=True, slots=True)
class LiveState:
    """The configuration in force, and what it makes count besides pods."""

    configuration: Configuration
    jobs: Jobs
    groups: Groups
    devices: LiveDevices
    notes: Sequence[str]


async def ground(api: Api) -> Mapping[Resource, Raws | None]:
    """Quotas, profiles, nodes and namespaces; None for what may not be listed."""
    found = await asyncio.gather(*(lists.listed(api, each) for each in _GROUND))
    return dict(zip(_GROUND, found, strict=True))


async def read(api: Api, given: Configuration | None) -> LiveState:
    """Without a ``given`` configuration that of the operator's ConfigMap counts."""
    chosen, notes = (given, ()) if given else await live_configuration.read(api)
    jobs = await live_jobs.read(api, chosen)
    groups = await live_groups.read(api, chosen)
    devices = await live_devices.read(api, chosen)
    said = [*notes, *jobs.notes, *groups.notes, *devices.notes]
    return LiveState(chosen, jobs, groups, devices, said)
