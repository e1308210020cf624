"""A submitted pod is a user's request, before the API server and the webhook complete it.

Missing requests default to the limits, and a priority class stands for its value, as in the API
server. Pods of a live cluster (they have a uid) are complete already.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from elasticquota.model.pod import Pod
from elasticquota.wire.codec import amounts
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import pod_size, pods


_BUILT_IN_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}


class Owner(NamedTuple):
    """The workload that re-creates a pod when it is deleted."""

    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """A pod and the facts that ``Pod`` lacks; a new one has neither uid nor time yet."""

    pod: Pod
    owner: Owner | None = None
    priority_class: str = ""
    live: bool = False
    where: str = ""


class _Limits(msgspec.Struct, gc=False):
    limits: amounts.Written | None = None


class _Container(msgspec.Struct, gc=False):
    resources: _Limits | None = None


class _Spec(msgspec.Struct, rename="camel", gc=False):
    containers: list[_Container] | None = None
    init_containers: list[_Container] | None = None
    resources: _Limits | None = None
    priority_class_name: str | None = None
    priority: int | None = None


class Extras(msgspec.Struct, gc=False):
    """Fields that matter only before admission, read beside `pods.PodManifest`."""

    spec: _Spec | None = None

    @property
    def priority_class(self) -> str:
        """The class whose value counts; empty when the pod has a priority itself."""
        if self.spec is None or self.spec.priority is not None:
            return ""
        return self.spec.priority_class_name or ""


def fill_requests(manifest: pods.PodManifest, extras: Extras) -> None:
    """Fill in requests from limits, for each container and for the pod as a whole."""
    if manifest.spec is None or extras.spec is None:
        return
    spec, limited = manifest.spec, extras.spec
    for containers, limits in (
        (spec.containers, limited.containers),
        (spec.init_containers, limited.init_containers),
    ):
        for container, found in zip(containers or (), limits or (), strict=True):
            container.resources = _filled(container.resources, found.resources, frozenset())
    # For the whole pod a limit counts as request only if no container requests the resource.
    asked = {
        resource
        for container in spec.containers or ()
        if container.resources is not None
        for resource in container.resources.requests or ()
    }
    spec.resources = _filled(spec.resources, limited.resources, frozenset(asked))


def _filled(
    requirements: pod_size.Requirements | None, limits: _Limits | None, asked: frozenset[str]
) -> pod_size.Requirements | None:
    if limits is None or not limits.limits:
        return requirements
    requests = (requirements.requests if requirements else None) or {}
    missing = {key: limit for key, limit in limits.limits.items() if key not in asked}
    return pod_size.Requirements({**missing, **requests})


def owner_of(metadata: ObjectMeta, references: list[dict[str, str]]) -> Owner | None:
    """The workload behind the controlling owner; for a Deployment's ReplicaSet, the Deployment."""
    for reference in references:
        if not reference.get("controller"):
            continue
        kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
        if kind in ("", "Node", "DaemonSet"):
            return None
        suffix = f"-{metadata.label('pod-template-hash')}"
        if kind == "ReplicaSet" and suffix != "-" and name.endswith(suffix):
            kind, name = "Deployment", name.removesuffix(suffix)
        return Owner(kind, metadata.namespace, name)
    return None


@dataclass(slots=True)
class Priorities:
    """The values of the priority classes."""

    values: dict[str, int]
    default: int = 0

    @classmethod
    def built_in(cls) -> "Priorities":
        """The classes that every cluster has."""
        return cls(dict(_BUILT_IN_CLASSES))

    def of(self, submitted: Submitted) -> int | None:
        """The priority of the pod; None when its class is unknown."""
        if submitted.live or (not submitted.priority_class and submitted.pod.priority):
            return submitted.pod.priority
        if not submitted.priority_class:
            return self.default
        return self.values.get(submitted.priority_class)
