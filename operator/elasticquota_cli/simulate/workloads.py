"""A workload stands for its pods: as many as it has replicas, all alike, with stable names.

Deployment, StatefulSet, ReplicaSet and ReplicationController by ``replicas``, a Job by what it
would run at once (``parallelism``, at most the completions that are left). A ReplicaSet of a
Deployment stands for nothing of its own. Not here: DaemonSets, whose pods no quota holds unless
they ask for one, and CronJobs, which have no pod until they are due.
"""

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta, OwnerReference
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.simulate import shape, submitted
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.submitted import Owner, Submitted


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
"""Pods of one workload; more is taken for a slip of the finger."""


@dataclass(frozen=True, slots=True)
class Workload:
    owner: Owner
    key: Key
    count: int
    """Pods that should be there at one time."""
    pattern: Submitted
    """A pod of it, named like the workload."""
    live: bool
    where: str


class _Template(msgspec.Struct, gc=False):
    metadata: ObjectMeta | None = None
    spec: pods.PodSpec | None = None


class _Spec(msgspec.Struct, gc=False):
    replicas: int | None = None
    parallelism: int | None = None
    completions: int | None = None
    suspend: bool | None = None
    template: _Template | None = None


class _Status(msgspec.Struct, gc=False):
    succeeded: int | None = None


class _Manifest(msgspec.Struct, gc=False):
    spec: _Spec
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    status: _Status | None = None


class _More(msgspec.Struct, gc=False):
    template: submitted.Extras | None = None


class _Extras(msgspec.Struct, gc=False):
    spec: _More


def read(document: Document, key: Key, faults: list[str]) -> Workload | None:
    """The workload, or None: with a fault, or because it stands for nothing."""
    manifest = shape.convert(document, _Manifest, faults)
    extras = shape.convert(document, _Extras, faults) if manifest else None
    if manifest is None or extras is None:
        return None
    if document.kind == "ReplicaSet" and _controlled(document.content):
        return None
    count = _count(document.kind, manifest)
    if not 0 <= count <= MOST:
        faults.append(f"{document.where}: must have between 0 and {MOST} pods, got {count}")
        return None
    template = manifest.spec.template or _Template()
    meta = template.metadata or ObjectMeta()
    meta.namespace, meta.name = key
    # What makes the pods of one Job a group.
    meta.owner_references = [OwnerReference(document.kind, key.name, controller=True)]
    pod = pods.PodManifest(meta, template.spec)
    found: submitted.Extras = extras.spec.template or submitted.Extras()
    submitted.fill_requests(pod, found)
    value = pods.read(pod)
    faults.extend(f"{document.where}: spec.template.{fault}" for fault in value.faults)
    owner = Owner(document.kind, *key)
    pattern = Submitted(value, owner, found.priority_class, where=document.where)
    return Workload(owner, key, count, pattern, manifest.metadata.uid != "", document.where)


def _count(kind: str, manifest: _Manifest) -> int:
    spec = manifest.spec
    if kind != "Job":
        return 1 if spec.replicas is None else spec.replicas
    if spec.suspend:
        return 0
    at_once = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is None:
        return at_once
    done = (manifest.status and manifest.status.succeeded) or 0
    return min(at_once, max(0, spec.completions - done))


def _controlled(content: dict[str, Any]) -> bool:
    references = content["metadata"].get("ownerReferences") or ()
    return any(reference.get("controller") for reference in references)
