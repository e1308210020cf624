"""A submitted pod is a user's request, before the API server and the webhook complete it.

A priority class stands for its value, as in the API server; missing requests default to the limits
in ``pod_size``. Pods of a live cluster (they have a uid) are complete already.
"""

from typing import Final, NamedTuple

from elasticquota.model.pod import Pod
from elasticquota.structs import Struct
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import pods


_BUILT_IN_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}


class SubmittedOwner(NamedTuple):
    """The workload that re-creates a pod when it is deleted."""

    kind: str
    namespace: str
    name: str


class SubmittedObjects(Struct, frozen=True):
    """A pod and the facts that ``Pod`` lacks; a new one has neither uid nor time yet."""

    pod: Pod
    owner: SubmittedOwner | None = None
    priority_class: str = ""
    live: bool = False
    where: str = ""


class SubmittedPodSpec(pods.PodSpec, rename="camel", gc=False):
    """The spec with the priority class, which stands for its value until admission."""

    priority_class_name: str | None = None

    @property
    def priority_class(self) -> str:
        """The class whose value counts; empty when the pod has a priority itself."""
        return "" if self.priority is not None else self.priority_class_name or ""


class SubmittedPod(pods.PodManifest, gc=False):
    """A Pod before admission."""

    spec: SubmittedPodSpec | None = None


def owner_of(metadata: ObjectMeta) -> SubmittedOwner | None:
    """The workload behind the controlling owner; for a Deployment's ReplicaSet, the Deployment."""
    found = metadata.controller
    if found is None or found.kind in ("", "Node", "DaemonSet"):
        return None
    kind, name = found.kind, found.name
    suffix = f"-{metadata.label('pod-template-hash')}"
    if kind == "ReplicaSet" and suffix != "-" and name.endswith(suffix):
        kind, name = "Deployment", name.removesuffix(suffix)
    return SubmittedOwner(kind, metadata.namespace, name)


class Priorities(Struct):
    """The values of the priority classes."""

    values: dict[str, int]
    default: int = 0

    @classmethod
    def built_in(cls) -> "Priorities":
        """The classes that every cluster has."""
        return cls(dict(_BUILT_IN_CLASSES))

    def of(self, submitted: SubmittedObjects) -> int | None:
        """The priority of the pod; None when its class is unknown."""
        if submitted.live or (not submitted.priority_class and submitted.pod.priority):
            return submitted.pod.priority
        if not submitted.priority_class:
            return self.default
        return self.values.get(submitted.priority_class)
