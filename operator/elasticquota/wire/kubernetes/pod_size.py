"""Compute the request of a pod by the upstream PodRequests rule, exactly (semantics 3).

* The requests of the containers are added up.
* Init containers run one after the other, so each only needs to fit together with the sidecars
  (``restartPolicy: Always``) started before it.
* A container or sidecar that is being resized counts with the maximum of the requested, the
  allocated and the actual amount, or of the latter two when the node has declared the resize
  infeasible.
* Pod-level requests for cpu, memory and hugepages replace the sum and are resized in the same way.
* Overhead is added last.

Amounts are summed in thousandths, as the API server keeps them, and rounded up to accounting units
once, as the scheduler does.

A missing request equals the limit. The API server fills it in when a pod is created, so this
matters only for manifests that no API server has stored.

Deliberately not counted: ephemeral containers, which cannot have requests, and what resource
claims take from a node's cpu and memory (``DRANodeAllocatableResources``, alpha in 1.36).
"""

from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from elasticquota import names, quantity, resources
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts


class Requirements(msgspec.Struct, gc=False):
    """``resources`` of a container or a pod, as written."""

    requests: amounts.Written | None = None
    limits: amounts.Written | None = None


class InForce(msgspec.Struct, gc=False):
    """``resources`` in a status: the requests that the node applies now."""

    requests: amounts.Written | None = None


class Container(msgspec.Struct, rename="camel", gc=False):
    """The part of a container that is read."""

    name: str = ""
    resources: Requirements | None = None
    restart_policy: str | None = None

    @property
    def sidecar(self) -> bool:
        """Whether an init container keeps running next to the other containers."""
        return self.restart_policy == "Always"


class ContainerStatus(msgspec.Struct, rename="camel", gc=False):
    """The part of a container's status that is read."""

    name: str = ""
    resources: InForce | None = None
    allocated_resources: amounts.Written | None = None


_HUGEPAGES: Final = "hugepages-"

Items = tuple[tuple[str, quantity.Written], ...]
"""A resource list as written, in a hashable form."""


class Held(NamedTuple):
    """Requests that the node reports for a container or pod that is being resized."""

    in_force: Items
    allocated: Items


class Part(NamedTuple):
    """The requests of one container that count."""

    requests: Items
    held: Held | None
    sidecar: bool


class Whole(NamedTuple):
    """The requests and limits at pod level that count."""

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
    """The part of the request that is overhead, after rounding."""
    faults: tuple[str, ...]
    """Unreadable entries, which count as 0."""


def size(shape: Shape) -> Size:
    """Return the request of a pod of this shape; cached unless the shape is unusually large."""
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
"""Containers plus their requests in a cached shape; crafted large shapes must not fill memory."""
_kept = lru_cache(maxsize=4096)(_measured)


def part(container: Container, status: ContainerStatus | None) -> Part:
    """Return the requests of a container that count; ``status`` matters during a resize only."""
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
    """Return what counts at pod level; None when the pod has no pod-level resources."""
    if requirements is None:
        return None
    requests, limits = items(requirements.requests), items(requirements.limits)
    return Whole(requests, limits, _held(in_force, allocated))


def items(written: amounts.Written | None) -> Items:
    """Return the entries as written, in a hashable form."""
    return tuple(written.items()) if written else ()


def _accounted(thousandths: Resources) -> dict[str, int]:
    return {name: quantity.accounted(name, amount) for name, amount in thousandths.items()}


def _settled(status: ContainerStatus, requests: amounts.Written) -> bool:
    """Whether all three sizes are equal, as for nearly every container."""
    return (
        status.resources is not None
        and status.resources.requests == requests
        and status.allocated_resources in (None, requests)
    )


def _held(in_force: InForce | None, allocated: amounts.Written | None) -> Held | None:
    """Upstream reads allocated amounts only where amounts in force are reported."""
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
        # The containers' requests replace a missing pod-level request, except for hugepages.
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
    """The requests that count, whether or not a resize is under way."""
    if held is None:
        return requests
    kept = resources.maximum(
        _thousandths(held.in_force, f"{where}: status.resources.requests", faults),
        _thousandths(held.allocated, f"{where}: status.allocatedResources", faults),
    )
    return kept if infeasible else resources.maximum(requests, kept)


def _thousandths(items: Items, where: str, faults: list[str]) -> dict[str, int]:
    return amounts.readable(items, lambda _, value: quantity.thousandths(value), where, faults)
