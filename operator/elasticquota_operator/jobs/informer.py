"""Watch the jobs of one kind, once the API server serves it, and put them into the job cache."""

from functools import partial

from elasticquota.jobs.adapter import JobAdapter
from elasticquota_kube.client import paths
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import KeptManifest
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer
from elasticquota_operator.jobs.controller import JobController


def job_informer(
    context: ControllerContext,
    adapter: JobAdapter,
    controller: JobController,
    *,
    every: float = crd_informer.ASKS_EVERY,
) -> CrdInformer[KeptManifest]:
    """Return the informer of the jobs of one kind."""
    return CrdInformer(
        context.api,
        paths.of_kind(adapter),
        KeptManifest,
        partial(controller.store, adapter),
        every=every,
        on_restart=context.telemetry.watch_restarted,
        on_unread=context.unread,
    )
