"""How much a pod asks for: the upstream PodRequests rule, exactly (semantics 3).

Sum of the containers; init containers run one after the other, so each only needs to fit together
with the sidecars (``restartPolicy: Always``) started before it; a container or sidecar that is
being resized counts the most of what is asked, allocated and in force, or only the latter two when
the node has declared the resize infeasible; pod-level requests for cpu, memory and hugepages
replace the sum and are resized alike; overhead is added last. Amounts are summed in thousandths,
as the API server keeps them, and rounded up to accounting units once, as the scheduler does.

A missing request is the limit. The API server fills this in when a pod is created, so it matters
only for manifests that never met one.

Deliberately not counted: ephemeral containers, which may not ask for anything, and what resource
claims take from a node's cpu and memory (``DRANodeAllocatableResources``, alpha in 1.36).
"""

from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from elasticquota import names, quantity, resources
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts


class Requirements(msgspec.Struct, gc=False):
    requests: amounts.Written | None = None
    limits: amounts.Written | None = None


class InForce(msgspec.Struct, gc=False):
    requests: amounts.Written | None = None


class Container(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    resources: Requirements | None = None
    restart_policy: str | None = None

    @property
    def sidecar(self) -> bool:
        """Of an init container: runs on beside the others."""
        return self.restart_policy == "Always"


class ContainerStatus(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    resources: InForce | None = None
    allocated_resources: amounts.Written | None = None


_HUGEPAGES: Final = "hugepages-"

Items = tuple[tuple[str, quantity.Written], ...]
"""A resource list as written, in a form that can be a key."""


class Held(NamedTuple):
    """What the node says of a container or pod that is being resized."""

    in_force: Items
    allocated: Items


class Part(NamedTuple):
    """What counts of one container."""

    requests: Items
    held: Held | None
    sidecar: bool


class Whole(NamedTuple):
    """What counts at pod level."""

    requests: Items
    limits: Items
    held: Held | None


class Shape(NamedTuple):
    """The parts of a pod that decide its size."""

    containers: tuple[Part, ...]
    init_containers: tuple[Part, ...]
    whole: Whole | None
    overhead: Items
    resize_infeasible: bool


class Size(NamedTuple):
    """A pod's request, shared by all pods of one shape."""

    request: Resources
    """Accounting units, with ``pods: 1``."""
    overhead: Resources
    """The part of the request that is overhead: what rounding leaves of it."""
    faults: tuple[str, ...]
    """Unreadable entries, which count 0."""


def size(shape: Shape) -> Size:
    """How much a pod of this shape asks for; remembered unless the shape is unusually large."""
    parts = shape.containers + shape.init_containers
    if len(parts) + sum([len(found.requests) for found in parts]) > _LARGEST_KEPT:
        return _measured(shape)
    return _kept(shape)


def _measured(shape: Shape) -> Size:
    faults: list[str] = []
    infeasible = shape.resize_infeasible
    running: Resources = resources.EMPTY
    for index, container in enumerate(shape.containers):
        request = _of_part(container, f"spec.containers[{index}]", infeasible, faults)
        running = resources.add(running, request)
    sidecars: Resources = resources.EMPTY
    starting: Resources = resources.EMPTY
    for index, container in enumerate(shape.init_containers):
        request = _of_part(container, f"spec.initContainers[{index}]", infeasible, faults)
        with_sidecars = resources.add(sidecars, request)
        starting = resources.maximum(starting, with_sidecars)
        if container.sidecar:
            running = resources.add(running, request)
            sidecars = with_sidecars
    total = resources.maximum(running, starting)
    if shape.whole is not None:
        total |= _of_whole(shape.whole, total, infeasible, faults)
    overhead = _thousandths(shape.overhead, "spec.overhead", faults)
    request = _accounted(resources.add(total, overhead))
    added = resources.positive(resources.subtract(request, _accounted(total)))
    return Size({**request, names.PODS: 1}, added, tuple(faults))


_LARGEST_KEPT: Final = 64
"""Containers and their requests; what is made up to be large must not stay in memory."""
_kept = lru_cache(maxsize=4096)(_measured)


def part(container: Container, status: ContainerStatus | None) -> Part:
    """What counts of a container."""
    requirements = container.resources or Requirements()
    requests = requirements.requests or {}
    if requirements.limits and not requirements.limits.keys() <= requests.keys():
        requests = requirements.limits | requests
    held = None
    if status is not None and not _settled(status, requests):
        held = _held(status.resources, status.allocated_resources)
    return Part(items(requests), held, container.sidecar)


def whole(
    requirements: Requirements | None, in_force: InForce | None, allocated: amounts.Written | None
) -> Whole | None:
    """What counts at pod level; None when nothing is written there."""
    if requirements is None:
        return None
    requests, limits = items(requirements.requests), items(requirements.limits)
    return Whole(requests, limits, _held(in_force, allocated))


def items(written: amounts.Written | None) -> Items:
    """The entries as written."""
    return tuple(written.items()) if written else ()


def _accounted(thousandths: Resources) -> dict[str, int]:
    return {name: quantity.accounted(name, amount) for name, amount in thousandths.items()}


def _settled(status: ContainerStatus, requests: amounts.Written) -> bool:
    """Whether all three sizes are the same, as for nearly every container."""
    return (
        status.resources is not None
        and status.resources.requests == requests
        and status.allocated_resources in (None, requests)
    )


def _held(in_force: InForce | None, allocated: amounts.Written | None) -> Held | None:
    """Upstream looks at what is allocated only beside something in force."""
    return None if in_force is None else Held(items(in_force.requests), items(allocated))


def _of_part(part: Part, where: str, infeasible: bool, faults: list[str]) -> Resources:
    requests = _thousandths(part.requests, f"{where}.resources.requests", faults)
    return _effective(requests, part.held, infeasible, where, faults)


def _of_whole(
    whole: Whole, containers: Resources, infeasible: bool, faults: list[str]
) -> Resources:
    requests = _thousandths(whole.requests, "spec.resources.requests", faults)
    limits = _thousandths(whole.limits, "spec.resources.limits", faults)
    for name, limit in limits.items():
        # What containers ask for stands in for a missing request, except for hugepages.
        if name not in containers or name.startswith(_HUGEPAGES):
            requests.setdefault(name, limit)
    effective = _effective(requests, whole.held, infeasible, "spec", faults)
    return {
        name: effective.get(name, 0)
        for name in requests
        if name in (names.CPU, names.MEMORY) or name.startswith(_HUGEPAGES)
    }


def _effective(
    requests: Resources, held: Held | None, infeasible: bool, where: str, faults: list[str]
) -> Resources:
    """What counts of ``requests``, whether or not a resize is under way."""
    if held is None:
        return requests
    kept = resources.maximum(
        _thousandths(held.in_force, f"{where}: status.resources.requests", faults),
        _thousandths(held.allocated, f"{where}: status.allocatedResources", faults),
    )
    return kept if infeasible else resources.maximum(requests, kept)


def _thousandths(items: Items, where: str, faults: list[str]) -> dict[str, int]:
    return amounts.readable(items, lambda _, value: quantity.thousandths(value), where, faults)
