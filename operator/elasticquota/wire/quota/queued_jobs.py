"""A queued job as a document, for files that show what a controller saw.

With it the reader of such a file has the queued jobs, without their templates. No cluster stores
such objects and no controller reads them: a reservation written by hand would hold resources
without a job.
"""

from typing import Any, Final

import msgspec

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.wire.codec import amounts
from elasticquota.wire.codec.amounts import Written
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.devices import dumped
from elasticquota.wire.kubernetes import constraints, holders, node_affinity
from elasticquota.wire.quota import pod_groups


KIND: Final = "JobStandIn"


class Spec(msgspec.Struct, rename="camel", gc=False):
    """What the job asks for, and in which quota."""

    job: str = ""
    quota: str = ""
    request: Written = {}
    parts: list[Written] = []
    whole: bool = True
    priority: int = 0
    preemptible: bool = True
    gates: list[str] = []
    bears: list[str] = []
    node_selector: dict[str, str] | None = None
    affinity: node_affinity.Affinity | None = None
    tolerations: list[constraints.WrittenToleration] | None = None


class QueuedJobManifest(msgspec.Struct, gc=False):
    """The document of one queued job."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Spec = msgspec.field(default_factory=Spec)


def manifest(queued_job: QueuedJob, expected: str = "") -> dict[str, Any]:
    """The document of a queued job; ``expected`` becomes the annotation `names.EXPECTED`."""
    metadata: dict[str, Any] = {
        "namespace": queued_job.key.namespace,
        "name": queued_job.key.name,
        "uid": queued_job.uid,
        "creationTimestamp": queued_job.created,
    }
    if queued_job.deleting:
        metadata["deletionTimestamp"] = ""
    annotations = {
        names.EXPECTED: expected,
        **dumped.job_annotations(queued_job),
        **holders.annotations(queued_job.holder),
    }
    if any(annotations.values()):
        metadata["annotations"] = {key: text for key, text in annotations.items() if text}
    return {
        "apiVersion": pod_groups.API,
        "kind": KIND,
        "metadata": metadata,
        "spec": {
            "job": str(queued_job.name),
            "quota": queued_job.quota_label,
            "request": amounts.plain(queued_job.request),
            "parts": [amounts.plain(part) for part in queued_job.parts],
            "whole": queued_job.whole,
            "priority": queued_job.priority,
            "preemptible": queued_job.preemptible,
            "gates": list(queued_job.gates),
            "bears": list(queued_job.labels),
            **constraints.manifest(queued_job.constraints),
        },
    }


def read(document: QueuedJobManifest, faults: list[Fault]) -> QueuedJob:
    """Return the queued job of a document; unreadable amounts are named in ``faults``."""
    meta, spec = document.metadata, document.spec
    parts = (
        amounts.read_any(part, f"spec.parts[{place}]", faults)
        for place, part in enumerate(spec.parts)
    )
    queued_job = QueuedJob(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        name=_job_name(spec.job),
        quota_label=spec.quota,
        request=amounts.read_any(spec.request, "spec.request", faults),
        priority=spec.priority,
        preemptible=spec.preemptible,
        gates=tuple(spec.gates),
        deleting=meta.deleting,
        labels=tuple(spec.bears),
        parts=tuple(parts),
        whole=spec.whole,
        holder=holders.read({}, meta.annotations or {}),
        constraints=constraints.read(
            spec.node_selector, spec.affinity, spec.tolerations or constraints.ALL_TAINTS
        ),
    )
    return dumped.job(queued_job, meta.annotations or {})


def _job_name(written: str) -> JobName:
    kind, _, named = written.partition(" ")
    namespace, _, name = named.rpartition("/")
    return JobName(kind, Key(namespace, name))
