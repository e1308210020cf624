"""Compute the request of a pod by the upstream PodRequests rule, exactly (semantics 3).

* The requests of the containers are added up.
* Init containers run one after the other, so each only needs to fit together with the sidecars
  (``restartPolicy: Always``) started before it.
* Of a pod that is being resized the requested, the allocated and the actual amounts count, or the
  latter two when the node has declared the resize infeasible. Up to Kubernetes 1.36 each container
  and sidecar counts with the maximum of them; since 1.37 the pod counts with the maximum of their
  sums. The larger of both counts: no scheduler needs more, whatever its version.
* Pod-level requests for cpu, memory and hugepages replace the sum and are resized in the same way.
* Overhead is added last.

Amounts are summed in thousandths, as the API server keeps them, and rounded up to accounting units
once, as the scheduler does.

A missing request equals the limit. The API server fills it in when a pod is created, so this
matters only for manifests that no API server has stored.

Deliberately not counted: ephemeral containers, which cannot have requests, and what resource
claims take from a node's cpu and memory (``DRANodeAllocatableResources``, alpha in 1.36).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from elasticquota import names, quantity, resources
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts


class Requirements(msgspec.Struct, gc=False):
    """``resources`` of a container or a pod, as written."""

    requests: amounts.Written | None = None
    limits: amounts.Written | None = None


class AppliedResources(msgspec.Struct, gc=False):
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
    resources: AppliedResources | None = None
    allocated_resources: amounts.Written | None = None


_HUGEPAGES: Final = "hugepages-"

Items = tuple[tuple[str, quantity.Written], ...]
"""A resource list as written, in a hashable form."""


class ReportedRequests(NamedTuple):
    """Requests that the node reports for a container or pod that is being resized."""

    in_force: Items | None
    """None: nothing is reported to be in force."""
    allocated: Items


class ContainerRequests(NamedTuple):
    """The requests of one container that count."""

    requests: Items
    held: ReportedRequests | None
    sidecar: bool


class Whole(NamedTuple):
    """What counts at pod level: requests and limits, empty where the pod has none, and a state."""

    requests: Items
    limits: Items
    held: ReportedRequests | None


class Shape(NamedTuple):
    """The parts of a pod that decide its size."""

    containers: tuple[ContainerRequests, ...]
    init_containers: tuple[ContainerRequests, ...]
    whole: Whole | None
    overhead: Items
    resize_infeasible: bool


class Size(NamedTuple):
    """A pod's request, shared by all pods of one shape."""

    request: Resources
    """Accounting units, with ``pods: 1``."""
    overhead: Resources
    """The part of the request that is overhead, after rounding."""
    faults: tuple[Fault, ...]
    """Unreadable entries, which count as 0."""


def size(shape: Shape) -> Size:
    """Return the request of a pod of this shape; cached unless the shape is unusually large."""
    parts = shape.containers + shape.init_containers
    if len(parts) + sum([len(found.requests) for found in parts]) > _LARGEST_KEPT:
        return _measured(shape)
    return _kept(shape)


def _measured(shape: Shape) -> Size:
    faults: list[Fault] = []
    parts = [
        _amounts(part.requests, part.held, f"spec.{field}[{index}]", faults)
        for field, all_parts in (
            ("containers", shape.containers),
            ("initContainers", shape.init_containers),
        )
        for index, part in enumerate(all_parts)
    ]
    asked = _together(shape, [part.requested for part in parts])
    whole = _of_pod(shape.whole, asked, faults)
    total = resources.maximum(_until_36(shape, parts, whole), _since_37(shape, parts, whole))
    overhead = _thousandths(shape.overhead, "spec.overhead", faults)
    request = _accounted(resources.add(total, overhead))
    added = resources.positive(resources.subtract(request, _accounted(total)))
    return Size({**request, names.PODS: 1}, added, tuple(faults))


_LARGEST_KEPT: Final = 64
"""Containers plus their requests in a cached shape; crafted large shapes must not fill memory."""
_kept = lru_cache(maxsize=4096)(_measured)


def part(container: Container, status: ContainerStatus | None) -> ContainerRequests:
    """Return the requests of a container that count; ``status`` matters during a resize only."""
    requirements = container.resources or Requirements()
    requests = requirements.requests or {}
    if requirements.limits and not requirements.limits.keys() <= requests.keys():
        requests = requirements.limits | requests
    held = None
    if status is not None and not _settled(status, requests):
        held = _held(status.resources, status.allocated_resources)
    return ContainerRequests(items(requests), held, container.sidecar)


def whole(
    requirements: Requirements | None,
    in_force: AppliedResources | None,
    allocated: amounts.Written | None,
) -> Whole | None:
    """Return what counts at pod level; None when the pod has no resources and no state there."""
    if requirements is None and in_force is None:
        return None
    asked = requirements or Requirements()
    held = None if in_force is None else _held(in_force, allocated)
    return Whole(items(asked.requests), items(asked.limits), held)


def items(written: amounts.Written | None) -> Items:
    """Return the entries as written, in a hashable form."""
    return tuple(written.items()) if written else ()


def _settled(status: ContainerStatus, requests: amounts.Written) -> bool:
    """Whether all sizes that are reported are equal, as for nearly every container."""
    in_force = requests if status.resources is None else status.resources.requests
    return in_force == requests and status.allocated_resources in (None, requests)


def _held(in_force: AppliedResources | None, allocated: amounts.Written | None) -> ReportedRequests:
    return ReportedRequests(
        None if in_force is None else items(in_force.requests), items(allocated)
    )


class _Amounts(NamedTuple):
    """What a container or a pod has, in thousandths."""

    requested: Resources
    allocated: Resources
    in_force: Resources | None
    """None: nothing is reported to be in force."""

    def most(self, *, infeasible: bool) -> Resources:
        """The largest of each resource; what is requested counts unless it is infeasible."""
        if self.in_force is None:
            return self.requested
        kept = resources.maximum(self.in_force, self.allocated)
        return kept if infeasible else resources.maximum(self.requested, kept)


def _amounts(
    requests: Items, held: ReportedRequests | None, where: str, faults: list[Fault]
) -> _Amounts:
    requested = _thousandths(requests, f"{where}.resources.requests", faults)
    if held is None:
        return _Amounts(requested, {}, None)
    allocated = _thousandths(held.allocated, f"{where}: status.allocatedResources", faults)
    if held.in_force is None:
        return _Amounts(requested, allocated, None)
    in_force = _thousandths(held.in_force, f"{where}: status.resources.requests", faults)
    return _Amounts(requested, allocated, in_force)


def _of_pod(whole: Whole | None, containers: Resources, faults: list[Fault]) -> _Amounts:
    """What the pod has at its own level; ``containers`` is what these request."""
    if whole is None:
        return _Amounts({}, {}, None)
    found = _amounts(whole.requests, whole.held, "spec", faults)
    requested = dict(found.requested)
    for name, limit in _thousandths(whole.limits, "spec.resources.limits", faults).items():
        # The containers' requests replace a missing pod-level request, except for hugepages.
        if name not in containers or name.startswith(_HUGEPAGES):
            requested.setdefault(name, limit)
    return found._replace(requested=_at_pod_level(requested))


def _at_pod_level(amounts: Resources) -> Resources:
    """The resources that a pod may have at its own level."""
    return {
        name: amount
        for name, amount in amounts.items()
        if name in (names.CPU, names.MEMORY) or name.startswith(_HUGEPAGES)
    }


def _together(shape: Shape, amounts: Sequence[Resources]) -> Resources:
    """What the containers need that each have these amounts, in the order of the shape."""
    count = len(shape.containers)
    running = resources.add(*amounts[:count])
    sidecars: Resources = resources.EMPTY
    starting: Resources = resources.EMPTY
    for container, amount in zip(shape.init_containers, amounts[count:], strict=True):
        with_sidecars = resources.add(sidecars, amount)
        starting = resources.maximum(starting, with_sidecars)
        if container.sidecar:
            running = resources.add(running, amount)
            sidecars = with_sidecars
    return resources.maximum(running, starting)


def _until_36(shape: Shape, parts: Sequence[_Amounts], whole: _Amounts) -> Resources:
    """Each container counts the most that it has; the state of init containers does not count."""
    infeasible = shape.resize_infeasible
    resized = [True] * len(shape.containers) + [each.sidecar for each in shape.init_containers]
    total = _together(
        shape,
        [
            part.most(infeasible=infeasible) if counts else part.requested
            for part, counts in zip(parts, resized, strict=True)
        ],
    )
    most = whole.most(infeasible=infeasible)
    return {**total, **{name: most.get(name, 0) for name in whole.requested}}


def _since_37(shape: Shape, parts: Sequence[_Amounts], whole: _Amounts) -> Resources:
    """The pod counts the most of three sums, of which the node may report two as the pod's own.

    A container without a state counts what it requests, also when a resize is infeasible: whether
    it is a container of the resize is not known.
    """
    infeasible = shape.resize_infeasible
    allocated = [
        part.allocated or (part.requested if part.in_force is None or not infeasible else {})
        for part in parts
    ]
    in_force = [part.in_force or other for part, other in zip(parts, allocated, strict=True)]
    total = resources.maximum(_together(shape, allocated), _together(shape, in_force))
    if whole.allocated and whole.in_force:
        total = resources.maximum(total, resources.maximum(whole.allocated, whole.in_force))
    if not infeasible:
        total = resources.maximum(total, _together(shape, [part.requested for part in parts]))
    if whole.requested:
        total |= _at_pod_level(whole.most(infeasible=infeasible))
    return total


def _accounted(thousandths: Resources) -> dict[str, int]:
    return {name: quantity.accounted(name, amount) for name, amount in thousandths.items()}


def _thousandths(items: Items, where: str, faults: list[Fault]) -> dict[str, int]:
    return amounts.readable(items, lambda _, value: quantity.thousandths(value), where, faults)
