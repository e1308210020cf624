"""What every verb reads of a live cluster that makes decisions on it, besides the pods."""

from collections.abc import Sequence

from elasticquota.structs import Struct
from elasticquota_cli.live import configuration, devices, groups, jobs
from elasticquota_cli.live.devices import LiveDevices
from elasticquota_cli.live.groups import LiveGroups
from elasticquota_cli.live.jobs import LiveJobs
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api


class LiveState(Struct, frozen=True):
    """The configuration in force, and what it makes count besides pods."""

    configuration: Configuration
    jobs: LiveJobs
    groups: LiveGroups
    devices: LiveDevices
    notes: Sequence[str]


async def read(api: Api, given: Configuration | None) -> LiveState:
    """Without a ``given`` configuration that of the operator's ConfigMap counts."""
    chosen, notes = (given, ()) if given else await configuration.read(api)
    queued = await jobs.read(api, chosen)
    grouped = await groups.read(api, chosen)
    claimed = await devices.read(api, chosen)
    said = [*notes, *queued.notes, *grouped.notes, *claimed.notes]
    return LiveState(chosen, queued, grouped, claimed, said)
