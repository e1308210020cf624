"""Turns a workload into its pods: as many as it has replicas, all alike, with stable names.

Deployment, StatefulSet, ReplicaSet and ReplicationController count by ``replicas``, a Job by what
it would run at one time (``parallelism``, at most the completions that are left). A ReplicaSet of a
Deployment is skipped. Not supported: DaemonSets, whose pods belong to no quota unless they name
one, and CronJobs, which have no pod until they are due.
"""

from typing import Any, Final

import msgspec

from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.codec.metadata import ObjectMeta, OwnerReference
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.kubernetes.new_workloads import Counts
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import shape, submitted
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.submitted import SubmittedObjects, SubmittedOwner


KINDS: Final = frozenset(
    {
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "ReplicaSet"),
        ("v1", "ReplicationController"),
        ("batch/v1", "Job"),
    }
)
MOST: Final = 200_000
"""Most pods of one workload; a larger number counts as a typing error."""


class Workload(Struct, frozen=True):
    """A workload with the pattern of its pods."""

    owner: SubmittedOwner
    key: Key
    count: int
    """Number of pods that should exist at one time."""
    pattern: SubmittedObjects
    """One of its pods, with the workload's name."""
    live: bool
    where: str


class _Template(msgspec.Struct, gc=False):
    metadata: ObjectMeta | None = None
    spec: submitted.SubmittedPodSpec | None = None


class _Spec(Counts, gc=False):
    template: _Template | None = None


class _Status(msgspec.Struct, gc=False):
    succeeded: int | None = None


class _Manifest(msgspec.Struct, gc=False):
    spec: _Spec
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    status: _Status | None = None


def read(
    document: Document,
    key: Key,
    faults: list[InputFault],
    groups: pods.GroupReader = pods.no_groups,
) -> Workload | None:
    """The workload; None with a fault, or without one if it has no pods of its own.

    ``groups`` reads the pod groups of other systems.
    """
    manifest = shape.convert(document, _Manifest, faults)
    if manifest is None:
        return None
    if document.kind == "ReplicaSet" and _controlled(document.content):
        return None
    count = _count(document.kind, manifest)
    if not 0 <= count <= MOST:
        faults.append(document.fault(f"must have between 0 and {MOST} pods, got {count}"))
        return None
    template = manifest.spec.template or _Template()
    meta = template.metadata or ObjectMeta()
    meta.namespace, meta.name = key
    # The pods of one Job are a group because of their owner.
    meta.owner_references = [OwnerReference(document.kind, key.name, controller=True)]
    value = pods.read(pods.PodManifest(meta, template.spec), (), groups)
    faults.extend(document.located(fault.below("spec.template") for fault in value.faults))
    owner = SubmittedOwner(document.kind, *key)
    priority_class = template.spec.priority_class if template.spec else ""
    pattern = SubmittedObjects(value, owner, priority_class, where=document.where)
    return Workload(owner, key, count, pattern, manifest.metadata.uid != "", document.where)


def _count(kind: str, manifest: _Manifest) -> int:
    spec = manifest.spec
    if kind != "Job":
        return 1 if spec.replicas is None else spec.replicas
    return spec.of_job((manifest.status and manifest.status.succeeded) or 0)


def _controlled(content: dict[str, Any]) -> bool:
    references = content["metadata"].get("ownerReferences") or ()
    return any(reference.get("controller") for reference in references)
