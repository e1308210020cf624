"""How much a pod asks for: the upstream PodRequests rule, exactly (semantics 3).

Sum of the containers; init containers run one after the other, so each only needs to fit together
with the sidecars (``restartPolicy: Always``) started before it; a container that is being resized
counts the most of what is asked, allocated and in force, or only the latter two when the node has
declared the resize infeasible; pod-level requests for cpu, memory and hugepages replace the sum;
overhead is added last.
"""

from collections.abc import Iterable

import msgspec

from elasticquota import names, resources
from elasticquota.resources import Resources
from elasticquota.wire import amounts


class Requirements(msgspec.Struct, gc=False):
    requests: amounts.Written | None = None


class Container(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    resources: Requirements | None = None
    restart_policy: str | None = None


class ContainerStatus(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    resources: Requirements | None = None
    allocated_resources: amounts.Written | None = None


class Shape(msgspec.Struct, gc=False):
    """The parts of a pod that decide its size."""

    containers: list[Container]
    init_containers: list[Container]
    statuses: list[ContainerStatus]
    pod_level: Requirements | None
    overhead: amounts.Written | None
    resize_infeasible: bool


def size(shape: Shape, faults: list[str]) -> Resources:
    """Accounting units, with ``pods: 1``; unreadable entries count 0 and are named in faults."""
    statuses = {status.name: status for status in shape.statuses}

    def one(container: Container, where: str) -> Resources:
        asked = _requests(container.resources, where, faults)
        status = statuses.get(container.name)
        if status is None or status.resources is None:
            return asked
        held = resources.maximum(
            amounts.read(status.allocated_resources, f"{where}.allocated", faults),
            _requests(status.resources, f"{where}.status", faults),
        )
        return held if shape.resize_infeasible else resources.maximum(asked, held)

    running = resources.add(
        *(one(c, f"spec.containers[{i}]") for i, c in enumerate(shape.containers))
    )
    sidecars: Resources = resources.EMPTY
    starting: Resources = resources.EMPTY
    for index, container in enumerate(shape.init_containers):
        request = one(container, f"spec.initContainers[{index}]")
        if container.restart_policy == "Always":
            running = resources.add(running, request)
            sidecars = resources.add(sidecars, request)
            starting = resources.maximum(starting, sidecars)
        else:
            starting = resources.maximum(starting, resources.add(request, sidecars))
    total = dict(resources.maximum(running, starting))
    pod_level = _requests(shape.pod_level, "spec", faults)
    total.update({name: pod_level[name] for name in _at_pod_level(pod_level)})
    overhead = amounts.read(shape.overhead, "spec.overhead", faults)
    return {**resources.add(total, overhead), names.PODS: 1}


def _requests(requirements: Requirements | None, where: str, faults: list[str]) -> Resources:
    if requirements is None:
        return resources.EMPTY
    return amounts.read(requirements.requests, f"{where}.resources.requests", faults)


def _at_pod_level(resource_names: Iterable[str]) -> list[str]:
    return [
        name
        for name in resource_names
        if name in (names.CPU, names.MEMORY) or name.startswith("hugepages-")
    ]
