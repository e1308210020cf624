"""Explains by decisions, for users who may read what these need, and from files."""

from collections.abc import Mapping, Sequence

from elasticquota_cli.explain import files, job, live, live_state, moment, pod, quota, report
from elasticquota_cli.explain.moment import Inputs
from elasticquota_cli.explain.parts.asked import Asked, Explain
from elasticquota_cli.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


def of_files(paths: Sequence[str], asked: Asked, chosen: Configuration | None) -> Explain:
    """Read the files; raises `Failure`."""
    inputs = files.read(paths, chosen)
    asked = asked.within(files.NAMESPACE)
    return lambda: _explain(inputs, asked)


async def of_cluster(
    api: Api, found: Mapping[Resource, Raws], asked: Asked, chosen: Configuration | None
) -> Explain:
    """Read what else counts; without a ``chosen`` configuration that of the operator.

    Raises `Failure`.
    """
    around = await live_state.read(api, chosen)
    return lambda: _explain(live.inputs(found, around), asked)


def _explain(inputs: Inputs, asked: Asked) -> report.Report:
    if asked.what == "quota":
        return quota.explain(inputs, moment.of(inputs), asked.key)
    key = job.find(inputs.ledger, asked.kind, asked.key) if asked.what == "job" else asked.key
    return pod.explain(inputs, moment.of(inputs), key)
