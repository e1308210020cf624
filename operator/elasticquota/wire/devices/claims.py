"""ResourceClaim and ResourceClaimTemplate manifests -> claims and templates.

Each part that cannot be read is one fault with its path; a claim with a fault is not counted until
it is corrected (``devices.pod_claims``).
"""

from collections.abc import Iterator
from typing import Any, Final

from elasticquota.model.claims import (
    ALL,
    Alternative,
    ClaimSpec,
    ClaimTemplate,
    DeviceClaim,
    DeviceRequest,
)
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import StatusManifest


MOST_REQUESTS: Final = 32
MOST_ALTERNATIVES: Final = 8
MOST_RESULTS: Final = 1024
MOST_DEVICES: Final = 2**31 - 1
"""Devices of one request; the scheduler allocates at most 32."""

_REQUESTS: Final = "spec.devices.requests"


def read(manifest: StatusManifest) -> DeviceClaim:
    """Return the claim; ``allocated`` counts what its status says."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    requests = tuple(_requests(spec, "", faults))
    allocated = _allocated(manifest.status, requests, faults)
    counted = tuple(request for request, is_admin in requests if not is_admin)
    owners = (each for each in meta.owner_references or () if each.controller)
    owner = next((each.uid for each in owners if each.kind == "Pod"), "")
    return DeviceClaim(meta.key, ClaimSpec(counted, tuple(faults)), owner, allocated)


def read_template(manifest: StatusManifest) -> ClaimTemplate:
    """Return the template."""
    meta = manifest.metadata
    faults: list[Fault] = []
    outer = fields.mapping(manifest.spec, "spec", faults)
    spec = fields.mapping(outer.get("spec"), "spec.spec", faults)
    requests = _requests(spec, "spec.", faults)
    counted = tuple(request for request, is_admin in requests if not is_admin)
    return ClaimTemplate(meta.key, ClaimSpec(counted, tuple(faults)))


def _requests(spec: Any, prefix: str, faults: list[Fault]) -> Iterator[tuple[DeviceRequest, bool]]:
    """Iterate over the requests, each with whether it is for admin access."""
    devices = fields.mapping(spec.get("devices"), f"{prefix}spec.devices", faults)
    where = f"{prefix}{_REQUESTS}"
    listed = fields.sequence(devices.get("requests"), where, faults, MOST_REQUESTS)
    for index, each in enumerate(listed):
        at = f"{where}[{index}]"
        request = fields.mapping(each, at, faults)
        name = fields.text(request.get("name"))
        exactly, alternatives = request.get("exactly"), request.get("firstAvailable")
        if exactly is not None:
            exact = fields.mapping(exactly, f"{at}.exactly", faults)
            only = _alternative(exact, "", f"{at}.exactly", faults)
            yield DeviceRequest(name, only), exact.get("adminAccess") is True
        elif alternatives is not None:
            below = f"{at}.firstAvailable"
            options = fields.sequence(alternatives, below, faults, MOST_ALTERNATIVES)
            read = [
                _alternative(
                    fields.mapping(option, f"{below}[{i}]", faults), None, f"{below}[{i}]", faults
                )
                for i, option in enumerate(options)
            ]
            yield DeviceRequest(name, tuple(part for parts in read for part in parts)), False
        else:
            faults.append(Fault(at, "must have exactly or firstAvailable"))


def _alternative(
    written: Any, name: str | None, at: str, faults: list[Fault]
) -> tuple[Alternative, ...]:
    device_class = written.get("deviceClassName")
    if not fields.is_name(device_class):
        faults.append(
            fields.mismatch(f"{at}.deviceClassName", "the name of a DeviceClass", device_class)
        )
        return ()
    name = fields.text(written.get("name")) if name is None else name
    mode = written.get("allocationMode") or "ExactCount"
    if mode == "All":
        return (Alternative(name, device_class, ALL),)
    if mode != "ExactCount":
        faults.append(fields.mismatch(f"{at}.allocationMode", "ExactCount or All", mode))
        return ()
    count = written.get("count", 1)
    if type(count) is not int or not 0 < count <= MOST_DEVICES:
        faults.append(fields.mismatch(f"{at}.count", f"a number from 1 to {MOST_DEVICES}", count))
        return ()
    return (Alternative(name, device_class, count),)


def _allocated(
    status: Any, requests: tuple[tuple[DeviceRequest, bool], ...], faults: list[Fault]
) -> dict[str, int] | None:
    """Return class -> allocated devices; None: nothing is allocated."""
    status_fields = fields.mapping(status, "status", faults)
    if status_fields.get("allocation") is None:
        return None
    where = "status.allocation.devices.results"
    allocation = fields.mapping(status_fields.get("allocation"), "status.allocation", faults)
    devices = fields.mapping(allocation.get("devices"), "status.allocation.devices", faults)
    classes = dict(_classes(requests))
    counts: dict[str, int] = {}
    for index, each in enumerate(
        fields.sequence(devices.get("results"), where, faults, MOST_RESULTS)
    ):
        result = fields.mapping(each, f"{where}[{index}]", faults)
        if result.get("adminAccess") is True:
            continue
        name = fields.text(result.get("request"))
        device_class = classes.get(name)
        if device_class is None:
            shown = fields.shown(result.get("request"))
            faults.append(
                Fault(f"{where}[{index}].request", f"must name a request of the claim, got {shown}")
            )
        else:
            counts[device_class] = counts.get(device_class, 0) + 1
    return counts


def _classes(requests: tuple[tuple[DeviceRequest, bool], ...]) -> Iterator[tuple[str, str]]:
    """Iterate over what results may name, with the class."""
    for request, _ in requests:
        for each in request.alternatives:
            name = f"{request.name}/{each.name}" if each.name else request.name
            yield name, each.device_class
