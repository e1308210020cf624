"""What every verb reads of a live cluster that makes decisions on it, besides the pods."""

from collections.abc import Sequence

from elasticquota.structs import Struct
from elasticquota_cli.explain import live_configuration, live_devices, live_groups, live_jobs
from elasticquota_cli.explain.live_devices import LiveDevices
from elasticquota_cli.explain.live_groups import Groups
from elasticquota_cli.explain.live_jobs import Jobs
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api


class LiveState(Struct, frozen=True):
    """The configuration in force, and what it makes count besides pods."""

    configuration: Configuration
    jobs: Jobs
    groups: Groups
    devices: LiveDevices
    notes: Sequence[str]


async def read(api: Api, given: Configuration | None) -> LiveState:
    """Without a ``given`` configuration that of the operator's ConfigMap counts."""
    chosen, notes = (given, ()) if given else await live_configuration.read(api)
    jobs = await live_jobs.read(api, chosen)
    groups = await live_groups.read(api, chosen)
    devices = await live_devices.read(api, chosen)
    said = [*notes, *jobs.notes, *groups.notes, *devices.notes]
    return LiveState(chosen, jobs, groups, devices, said)
