"""What is computed by the controller's own decisions: of files, or for who may read everything."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elasticquota.structs import replace
from elasticquota_cli.arguments import config
from elasticquota_cli.live import listing, state
from elasticquota_cli.live.listing import Raws
from elasticquota_cli.why.computed import files, live, moment, pod, quota
from elasticquota_cli.why.computed.moment import Inputs
from elasticquota_cli.why.parts import known
from elasticquota_cli.why.parts.known import Known, KnownJob, Seen
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


def of_files(named: Sequence[str], configuration: Path | None, namespace: str) -> Known:
    """Read the files; raises `Failure`."""
    return _known(files.read(named, config.chosen(configuration)), namespace)


async def of_cluster(
    api: Api, found: Mapping[Resource, Raws], configuration: Path | None, namespace: str
) -> Known:
    """Read what else counts; without a ``configuration`` that of the operator. Raises `Failure`."""
    chosen: Configuration | None = config.chosen(configuration) if configuration else None
    inputs = live.inputs(found, await state.read(api, chosen))
    quotas = listing.understood(found[paths.QUOTAS], dict[str, Any], paths.QUOTAS.plural, [])
    return replace(_known(inputs, namespace), estimates=known.estimates(quotas), is_live=True)


def _known(inputs: Inputs, namespace: str) -> Known:
    """What decisions on ``inputs`` say of the pods of ``namespace``, and of any quota."""
    now = moment.of(inputs)
    places = {wait.uid: wait.place for wait in now.now.waits}
    return Known(
        basis="computed",
        pods=[
            Seen(
                each,
                inputs.owners.get(each.key),
                places.get(each.uid, 0),
                inputs.controllers.get(each.key),
            )
            for each in inputs.ledger.pods.values()
            if each.key.namespace == namespace
        ],
        explain=lambda key: pod.explain(inputs, now, key),
        quota=lambda key: quota.explain(inputs, now, key),
        past=inputs.past,
        jobs=[KnownJob(*each.name, each.key) for each in inputs.ledger.jobs.values()],
    )
