"""Answers ProvisioningRequests, as Cluster Autoscaler documents its two classes.

``check-capacity`` looks whether the nodes of now have room and books it. With
``best-effort-atomic-scale-up`` nodes are made for all pods of a request at one time, or none. A
booking does not expire.
"""

from collections.abc import Sequence
from typing import Final

from local_cluster.api import Object
from local_cluster.autoscaler.fit import Room
from local_cluster.autoscaler.groups import Group
from local_cluster.autoscaler.plan import Plan, plan


CHECK: Final = "check-capacity.autoscaling.x-k8s.io"
ATOMIC: Final = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
CLASSES: Final = (CHECK, ATOMIC)
CONSUME: Final = "autoscaling.x-k8s.io/consume-provisioning-request"


def is_open(request: Object) -> bool:
    """Whether the request is of a class of ours, and has no final answer yet."""
    state = conditions(request)
    final = ("Provisioned", "Failed", "BookingExpired", "CapacityRevoked")
    return request["spec"]["provisioningClassName"] in CLASSES and not any(
        state.get(kind) == "True" for kind in final
    )


def is_booked(request: Object) -> bool:
    """Whether room is booked for the request."""
    state = conditions(request)
    gone = any(state.get(kind) == "True" for kind in ("Failed", "BookingExpired"))
    return state.get("Provisioned") == "True" and not gone


def uses(pod: Object, request: Object) -> bool:
    """Whether a pod with a node uses what was booked for the request."""
    of, metadata = request["metadata"], pod["metadata"]
    return (
        (metadata.get("annotations") or {}).get(CONSUME) == of["name"]
        and metadata["namespace"] == of["namespace"]
        and bool(pod["spec"].get("nodeName"))
    )


def conditions(request: Object) -> dict[str, str]:
    """Type -> status of each condition."""
    listed = (request.get("status") or {}).get("conditions") or ()
    return {each["type"]: each["status"] for each in listed}


def pods_of(request: Object, templates: dict[str, Object]) -> list[Object]:
    """The pods that the request is for; raises ``KeyError`` for a template that is not there."""
    return [
        templates[each["podTemplateRef"]["name"]]["template"]
        for each in request["spec"]["podSets"]
        for _ in range(each["count"])
    ]


def answer(
    request: Object,
    pods: Sequence[Object],
    rooms: Sequence[Room],
    groups: Sequence[Group],
    sizes: dict[str, int],
) -> tuple[Plan | None, str, str, str]:
    """The plan to carry out, and the status, reason and message of ``Provisioned``."""
    atomic = request["spec"]["provisioningClassName"] == ATOMIC
    found = plan(pods, rooms, groups if atomic else (), sizes)
    if found.failed:
        text = "Capacity is not found, the autoscaler will try to find it later."
        return None, "False", "CapacityIsNotFound", text
    if found.more:
        return found, "True", "CapacityIsProvisioned", "Capacity is provisioned in the cluster"
    return found, "True", "CapacityIsFound", "Capacity is found in the cluster"
