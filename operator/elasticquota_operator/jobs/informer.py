"""Watch the jobs of one kind, once the API server serves it, and put them into the job cache."""

from functools import partial
from typing import Any

import msgspec

from elasticquota.jobs.adapter import JobAdapter
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer
from elasticquota_operator.jobs.controller import JobController


class _JobMetadata(msgspec.Struct, rename="camel", gc=False, omit_defaults=True):
    """The fields that decisions read; the others are dropped."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: Any = None
    annotations: Any = None
    owner_references: Any = None


class JobManifest(msgspec.Struct, gc=False, omit_defaults=True):
    """A job of any kind."""

    metadata: _JobMetadata = msgspec.field(default_factory=_JobMetadata)
    spec: Any = None
    status: Any = None


def job_informer(
    context: ControllerContext,
    adapter: JobAdapter,
    controller: JobController,
    *,
    every: float = crd_informer.ASKS_EVERY,
) -> CrdInformer[JobManifest]:
    """Return the informer of the jobs of one kind."""
    return CrdInformer(
        context.api,
        [Resource(adapter.group, version, adapter.plural) for version in adapter.versions],
        JobManifest,
        partial(controller.store, adapter),
        every=every,
        on_restart=context.telemetry.watch_restarted,
        on_unread=context.unread,
    )
