"""ResourceSlice manifest -> Slice.

Drivers write slices, and the API server guarantees their shape. A part with another shape is left
out and named in the faults.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from elasticquota import quantity
from elasticquota.model.devices import Amount, Counters, Device, Reach, Slice, Value, Version
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.kubernetes import node_affinity


MOST_DEVICES: Final = 128
MOST_PARTS: Final = 64
"""Attributes, capacities, counters of one device."""


def read(manifest: StatusManifest) -> Slice:
    """Return the slice."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    pool = fields.mapping(spec.get("pool"), "spec.pool", faults)
    driver = fields.text(spec.get("driver"))
    reach = _reach(spec, "spec", faults)
    devices = []
    written = fields.sequence(spec.get("devices"), "spec.devices", faults, MOST_DEVICES)
    per_device = spec.get("perDeviceNodeSelection") is True
    for index, each in enumerate(written):
        where = f"spec.devices[{index}]"
        entry = fields.mapping(each, where, faults)
        own = _reach(entry, where, faults) if per_device else reach
        if own is not None:
            devices.append(_device(entry, driver, own, where, faults))
    return Slice(
        manifest.metadata.name,
        driver,
        fields.text(pool.get("name")),
        _integer(pool.get("generation")),
        _integer(pool.get("resourceSliceCount"), 1),
        tuple(devices),
        dict(_shared_counters(spec.get("sharedCounters"), faults)),
        tuple(faults),
    )


def _device(
    entry: Mapping[str, Any], driver: str, reach: Reach, where: str, faults: list[Fault]
) -> Device:
    attributes = fields.mapping(entry.get("attributes"), f"{where}.attributes", faults, MOST_PARTS)
    capacity = fields.mapping(entry.get("capacity"), f"{where}.capacity", faults, MOST_PARTS)
    values = ((name, _value(each)) for name, each in sorted(attributes.items()))
    amounts = (
        (name, _nano(each, f"{where}.capacity", faults)) for name, each in sorted(capacity.items())
    )
    return Device(
        fields.text(entry.get("name")),
        driver,
        tuple((_qualified(name, driver), value) for name, value in values if value is not None),
        tuple(
            (_qualified(name, driver), Amount(nano)) for name, nano in amounts if nano is not None
        ),
        _taken(entry.get("consumesCounters"), where, faults),
        entry.get("allowMultipleAllocations") is True,
        reach,
    )


def _reach(written: Mapping[str, Any], where: str, faults: list[Fault]) -> Reach | None:
    """Return the nodes from which devices can be used; None: it is not said."""
    node = written.get("nodeName")
    if isinstance(node, str) and node:
        return Reach(node)
    if written.get("allNodes") is True:
        return Reach(everywhere=True)
    selector = written.get("nodeSelector")
    if selector is None:
        return None
    try:
        required = msgspec.convert(selector, node_affinity.RequiredNodeTerms)
    except msgspec.ValidationError:
        faults.append(Fault(f"{where}.nodeSelector", "must be a node selector"))
        return None
    return Reach(terms=required.terms)


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, rest = name.partition("/")
    return (domain, rest) if slash else (driver, name)


def _value(written: Any) -> Value | None:
    if not isinstance(written, dict):
        return None
    for kind in ("int", "bool", "string"):
        if written.get(kind) is not None:
            value: Value = written[kind]
            return value if isinstance(value, str | int) else None
        if isinstance(written.get(f"{kind}s"), list):
            return tuple(each for each in written[f"{kind}s"] if isinstance(each, str | int))
    if isinstance(written.get("version"), str):
        return Version(written["version"])
    if isinstance(written.get("versions"), list):
        return tuple(Version(each) for each in written["versions"] if isinstance(each, str))
    return None


def _nano(written: Any, where: str, faults: list[Fault]) -> int | None:
    value = written.get("value") if isinstance(written, dict) else written
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        faults.append(fields.mismatch(where, "a quantity", value))
        return None
    try:
        nano = quantity.parse(value)
    except quantity.QuantityError as error:
        faults.append(Fault(where, str(error)))
        return None
    if nano < 0:  # such a device would enlarge the counters of its pool
        faults.append(Fault(where, f"must not be negative, got {value}"))
        return None
    return nano


def _taken(written: Any, where: str, faults: list[Fault]) -> Counters:
    where = f"{where}.consumesCounters"
    found: dict[tuple[str, str], int] = {}
    for each in fields.sequence(written, where, faults, MOST_PARTS):
        part = fields.mapping(each, where, faults)
        for name, nano in _counters(part.get("counters"), where, faults):
            key = (fields.text(part.get("counterSet")), name)
            found[key] = found.get(key, 0) + nano
    return tuple(sorted(found.items()))


def _shared_counters(written: Any, faults: list[Fault]) -> Iterator[tuple[tuple[str, str], int]]:
    where = "spec.sharedCounters"
    for each in fields.sequence(written, where, faults, MOST_PARTS):
        part = fields.mapping(each, where, faults)
        for name, nano in _counters(part.get("counters"), where, faults):
            yield (fields.text(part.get("name")), name), nano


def _counters(written: Any, where: str, faults: list[Fault]) -> Iterator[tuple[str, int]]:
    for name, each in sorted(fields.mapping(written, where, faults, MOST_PARTS).items()):
        nano = _nano(each, f"{where}.{fields.shown_key(name)}", faults)
        if nano is not None:
            yield name, nano


def _integer(written: Any, default: int = 0) -> int:
    return written if type(written) is int else default
