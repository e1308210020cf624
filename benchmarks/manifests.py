"""Complete objects as the API server returns them, with all the fields that quotas never read.

managedFields, conditions, images, addresses; pods are in ``pod_manifests``. A reader that decodes
only the fields it needs must still skip the rest.
"""

import uuid
from typing import Any, Final

from elasticquota import names, resources
from elasticquota.resources import Resources


Document = dict[str, Any]

CREATED: Final = "2026-01-01T00:00:00Z"
DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
POOL: Final = "main"
ROOT: Final = "pool-root"
TREE: Final = "42"

_NAMESPACE: Final = uuid.UUID(int=1)


def node(name: str, offered: Resources) -> Document:
    """A Ready node with many images."""
    allocatable = resources.text(offered)
    fine = ("MemoryPressure", "DiskPressure", "PIDPressure")
    return {
        "metadata": {
            **metadata(name, "", "kubelet", _NODE_FIELDS),
            "labels": {
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "pool": POOL,
                "topology.kubernetes.io/zone": "zone-a",
            },
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
        },
        "spec": {"podCIDR": "198.51.100.0/24", "providerID": f"example:///zone-a/{name}"},
        "status": {
            "capacity": allocatable,
            "allocatable": allocatable,
            "conditions": [
                *(condition(kind, "False", "KubeletIsFine") for kind in fine),
                condition("Ready", "True", "KubeletReady"),
            ],
            "addresses": [
                {"type": "InternalIP", "address": "192.0.2.10"},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": {"kubeletVersion": "v1.37.2", "operatingSystem": "linux"},
            "images": _IMAGES,
        },
    }


def quota(name: str, parent: str, low: Resources, high: Resources, *, is_parent: bool) -> Document:
    """A quota of the tree below ``ROOT``."""
    labels = {
        names.PARENT: parent,
        names.IS_PARENT: "true" if is_parent else "false",
        names.TREE_ID: TREE,
    }
    if name == ROOT:
        labels[names.IS_ROOT] = "true"
    return {
        "metadata": {**metadata(name, "quotas", "kubectl", {}), "labels": labels},
        "spec": {"min": resources.text(low), "max": resources.text(high)},
    }


def profile() -> Document:
    """The profile that makes one tree of all nodes."""
    return {
        "metadata": {
            **metadata("pool", "quotas", "kubectl", {}),
            "labels": {names.TREE_ID: TREE},
        },
        "spec": {"quotaName": ROOT, "nodeSelector": {"matchLabels": {"pool": POOL}}},
    }


def metadata(name: str, namespace: str, manager: str, fields: Document) -> Document:
    """Metadata as the server completes it; ``fields`` are those that ``manager`` owns."""
    entry = {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": CREATED,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": uid(name),
        "resourceVersion": "812345",
        "creationTimestamp": CREATED,
        "managedFields": [entry],
    }


def uid(name: str) -> str:
    """A uid that is the same in every run."""
    return str(uuid.uuid5(_NAMESPACE, name))


def condition(kind: str, status: str, reason: str = "") -> Document:
    """A condition with a reason and a message, or with neither."""
    said = {"reason": reason, "message": f"{kind} is {status}: {reason}"} if reason else {}
    times = {"lastProbeTime": None, "lastTransitionTime": CREATED}
    return {"type": kind, "status": status, **times, **said}


def fields(*paths: str) -> Document:
    """The ``fieldsV1`` of dotted paths."""
    made: Document = {}
    for path in paths:
        place = made
        for step in path.split("."):
            place = place.setdefault(f"f:{step}", {})
    return made


_IMAGES: Final = [
    {"names": [f"registry.example/image-{number}@sha256:{DIGEST}"], "sizeBytes": 10**8 + number}
    for number in range(20)
]
_NODE_FIELDS: Final = fields(
    "status.allocatable.cpu",
    "status.allocatable.memory",
    "status.capacity.cpu",
    "status.conditions.Ready.lastHeartbeatTime",
    "status.images",
    "status.nodeInfo",
)
