"""Pods, and objects of apps/v1 and batch/v1 that make pods, as they are created: one pod of theirs.

A Deployment or StatefulSet makes as many pods as it has replicas, a Job what runs at one time: its
parallelism, at most its completions. A suspended Job makes none.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from elasticquota.model.pod import Pod
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import pods


PODS: Final = "pods"
KINDS: Final[Mapping[str, str]] = {
    PODS: "Pod",
    "deployments": "Deployment",
    "statefulsets": "StatefulSet",
    "jobs": "Job",
}
"""By plural."""


class NewPods(NamedTuple):
    """Pods that are all alike."""

    pod: Pod
    meta: ObjectMeta
    """Of the pod, or of the template."""
    number: int
    where: str = ""
    """Where ``meta`` and the spec are in the object."""


class _NewPodTemplate(msgspec.Struct, gc=False):
    metadata: ObjectMeta | None = None
    spec: pods.PodSpec | None = None


class Counts(msgspec.Struct, gc=False):
    """How many pods the spec of a workload asks for."""

    replicas: int | None = None
    parallelism: int | None = None
    completions: int | None = None
    suspend: bool | None = None

    def of_job(self, done: int = 0) -> int:
        """How many pods a Job runs at one time when ``done`` of them have succeeded."""
        if self.suspend:
            return 0
        at_once = 1 if self.parallelism is None else self.parallelism
        return (
            at_once if self.completions is None else min(at_once, max(0, self.completions - done))
        )


class _NewWorkloadSpec(Counts, gc=False):
    template: _NewPodTemplate | None = None


class NewWorkload(msgspec.Struct, gc=False):
    """A workload as the API server completed it."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _NewWorkloadSpec = msgspec.field(default_factory=_NewWorkloadSpec)


def of_workload(manifest: NewWorkload) -> NewPods:
    """The pods that a workload makes first."""
    template = manifest.spec.template or _NewPodTemplate()
    meta = template.metadata or ObjectMeta()
    meta.namespace, meta.name = manifest.metadata.namespace, manifest.metadata.name
    pod = pods.read(pods.PodManifest(meta, template.spec))
    spec = manifest.spec
    number = spec.of_job() if spec.replicas is None else spec.replicas
    return NewPods(pod, meta, max(0, number), "spec.template.")


def of_pod(manifest: pods.PodManifest) -> NewPods:
    """The pod itself."""
    return NewPods(pods.read(manifest), manifest.metadata, 1)
