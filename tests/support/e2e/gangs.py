"""Gangs of other systems on a live cluster: their definitions, objects and pods."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import sentences
from elasticquota.model import wait_reason
from elasticquota.pod_groups import table
from installation import Kubectl, documents
from operators import definitions
from scenes import Pool, condition
from users import Document, User
from waiting import eventually


ALL: Final = {"config": {"podGroups": {"kinds": list(table.NAMES)}}}
"""Chart values with which the groups of all systems are read."""

GANG: Final = "gang.scheduling.koordinator.sh"
LWS: Final = "leaderworkerset.sigs.k8s.io"
YUNIKORN: Final = "yunikorn.apache.org"

_NUMBER: Final = {"type": "integer", "format": "int32", "minimum": 1}
_ANYTHING: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_POD_GROUP: Final = {
    "type": "object",
    "properties": {
        "minMember": _NUMBER,
        "scheduleTimeoutSeconds": {"type": "integer"},
        "minResources": _ANYTHING,
        "queue": {"type": "string"},
    },
}
SERVED: Final = {
    "coscheduling": ("scheduling.x-k8s.io", "v1alpha1"),
    "koordinator": ("scheduling.sigs.k8s.io", "v1alpha1"),
    "volcano": ("scheduling.volcano.sh", "v1beta1"),
}
"""The group and version of each system's PodGroup."""

_LEADER_WORKER_SET: Final = {
    "type": "object",
    "properties": {
        "startupPolicy": {"type": "string", "enum": ["LeaderCreated", "LeaderReady"]},
        "leaderWorkerTemplate": _ANYTHING,
    },
}


@dataclass(frozen=True)
class Gang:
    """What marks the pods of one gang, and the object that states its size, if one does."""

    kind: str
    name: str
    size: int
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_object(self) -> bool:
        """Whether an object states the size."""
        return self.kind in SERVED


def gang(kind: str, name: str, size: int) -> Gang:
    """The marks of a gang in the way of a system; ``own`` is ours."""
    groups = json.dumps([{"name": "workers", "minMember": size}])
    labels, annotations = {
        "own": (
            {"scheduling.x-k8s.io/pod-group": name},
            {"elasticquota.dev/pod-group-size": str(size)},
        ),
        "coscheduling": ({"scheduling.x-k8s.io/pod-group": name}, {}),
        "koordinator": ({"pod-group.scheduling.sigs.k8s.io": name}, {}),
        "volcano": ({}, {"scheduling.k8s.io/group-name": name}),
        "annotations": ({}, {f"{GANG}/name": name, f"{GANG}/min-available": str(size)}),
        "leaderworkerset": (
            {f"{LWS}/name": name, f"{LWS}/group-index": "0"},
            {f"{LWS}/size": str(size)},
        ),
        "yunikorn": (
            {"applicationId": name},
            {f"{YUNIKORN}/task-group-name": "workers", f"{YUNIKORN}/task-groups": groups},
        ),
    }[kind]
    return Gang(kind, name, size, labels, annotations)


KINDS: Final = (
    "own",
    "coscheduling",
    "koordinator",
    "volcano",
    "annotations",
    "leaderworkerset",
    "yunikorn",
)


def pod(pool: Pool, short: str, quota: str, of: Gang, **facts: Any) -> Document:
    """The manifest of a pod of a gang."""
    found = pool.pod_manifest(short, quota, **facts)
    found["metadata"]["labels"].update(of.labels)
    found["metadata"]["annotations"].update(of.annotations)
    return found


def pods(pool: Pool, prefix: str, quota: str, of: Gang, numbers: range, **facts: Any) -> list[str]:
    """Create pods of a gang."""
    names = [f"{prefix}-{number}" for number in numbers]
    for name in names:
        pool.admin.create(pod(pool, name, quota, of, **facts))
    return names


def pod_group(namespace: str, of: Gang, **annotations: str) -> Document:
    """The object that states the size of a gang."""
    group, version = SERVED[of.kind]
    metadata = {"name": of.name, "namespace": namespace, "annotations": annotations}
    return {
        "apiVersion": f"{group}/{version}",
        "kind": "PodGroup",
        "metadata": metadata,
        "spec": {"minMember": of.size},
    }


def leader_worker_set(namespace: str, of: Gang, startup: str) -> Document:
    """The object of a gang of LeaderWorkerSet; ``startup`` is its policy."""
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": of.name, "namespace": namespace},
        "spec": {"startupPolicy": startup, "leaderWorkerTemplate": {"size": of.size}},
    }


def why(pool: Pool, short: str) -> str:
    """What our message to a waiting pod says, after its code; empty: there is none yet."""
    said = str(condition(pool.get_pod(short), "PodScheduled").get("message", ""))
    return sentences.why(said) if wait_reason.of(said) else ""


def waits_for_its_object(pool: Pool, quota: str, kind: str) -> bool:
    """Whether a new pod of the kind waits for its object; the pod is gone afterwards."""
    (probe,) = pods(pool, "probe", quota, gang(kind, "probe", 2), range(1))
    seen = eventually(
        lambda: why(pool, probe) or ("running" if probe in pool.running(quota) else ""), bool
    )
    pool.delete_pods(probe)
    return f"the {kind} object {pool.namespace}/probe does not exist" in seen


def apply(kubectl: Kubectl, *objects: Document) -> None:
    """Apply objects of any kind."""
    kubectl("apply", "-f", "-", stdin=documents(objects))


def serve(admin: User, kubectl: Kubectl) -> None:
    """Install the definitions of all systems' groups."""
    for group, version in SERVED.values():
        definitions.serve(admin, group, version, "PodGroup", _POD_GROUP)
        listed = partial(kubectl.attempt, "get", f"podgroups.{group}")
        eventually(listed, lambda done: done.returncode == 0)
    group = "leaderworkerset.x-k8s.io"
    definitions.serve(admin, group, "v1", "LeaderWorkerSet", _LEADER_WORKER_SET)
    listed = partial(kubectl.attempt, "get", f"leaderworkersets.{group}")
    eventually(listed, lambda done: done.returncode == 0)
