"""``capacity`` of a profile, and the copy on its root quota.

``{mode: Elastic, max: {cpu: 20, memory: 80Gi}, scaleUpTimeout: 15m}``. One fault makes the whole
value unusable: half of it could mean a tree that is far too large.
"""

from collections.abc import Mapping
from typing import Any, Final, get_args

from elasticquota import names, resources
from elasticquota.model.capacity_mode import NODES, SCALE_UP_TIMEOUT, CapacityMode, Mode
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, durations, fields


_MODES: Final = get_args(Mode)
_OF_ELASTIC: Final = ("max", "largestNode", "scaleUpTimeout")
_OWNERS: Final = {**dict.fromkeys(_OF_ELASTIC, "Elastic"), "total": "Declared"}
"""The mode of each field."""
_NEEDED: Final = (names.CPU, names.MEMORY)
_SHORTEST: Final = 10_000
"""Milliseconds. The scheduler and the autoscaler need some seconds for any pod."""


def read(written: object, where: str, faults: list[Fault]) -> CapacityMode | None:
    """Return the mode in a field; None if it is absent or has any fault."""
    if written is None:
        return None
    before = len(faults)
    found = fields.record(written, where, "capacity", ("mode", *_OWNERS), faults)
    mode = NODES if not isinstance(written, dict) else _read(found, where, faults)
    return mode if len(faults) == before else None


def _read(written: Mapping[str, Any], where: str, faults: list[Fault]) -> CapacityMode:
    mode = written.get("mode")
    if mode not in _MODES:
        near = fields.near(mode, _MODES) if isinstance(mode, str) else ""
        faults.append(
            Fault(
                f"{where}.mode",
                f"must be one of Nodes, Elastic and Declared, got {fields.shown(mode)}{near}",
            )
        )
        return CapacityMode()
    faults += [
        Fault(f"{where}.{key}", f"belongs to mode {owner}, and the mode is {mode}")
        for key, owner in _OWNERS.items()
        if key in written and owner != mode
    ]
    if mode == "Elastic":
        return _elastic(written, where, faults)
    if mode == "Declared":
        total = _amounts(written.get("total"), f"{where}.total", "what the tree offers", faults)
        return CapacityMode("Declared", total=total)
    return CapacityMode()


def _elastic(written: Mapping[str, Any], where: str, faults: list[Fault]) -> CapacityMode:
    most = _amounts(written.get("max"), f"{where}.max", "what the nodes may become", faults)
    lacking = [key for key in _NEEDED if key not in most]
    if most and lacking:
        faults.append(
            Fault(
                f"{where}.max",
                f"must name cpu and memory, lacks {' and '.join(lacking)}: nodes to come offer "
                "only what it names",
            )
        )
    largest: Resources | None = None
    if written.get("largestNode") is not None:
        path = f"{where}.largestNode"
        largest = _amounts(written["largestNode"], path, "what the largest node offers", faults)
        for key in resources.exceeding(largest, most):
            large, limit = (resources.text({key: each[key]})[key] for each in (largest, most))
            faults.append(
                Fault(
                    f"{path}.{key}",
                    f"{large} must be less than or equal to {limit}, the max of all nodes together",
                )
            )
    timeout = durations.read_field(
        written.get("scaleUpTimeout"),
        f"{where}.scaleUpTimeout",
        faults,
        shortest=_SHORTEST,
        example="15m",
    )
    return CapacityMode(
        "Elastic",
        max=most,
        largest_node=largest,
        scale_up_timeout=SCALE_UP_TIMEOUT if timeout is None else timeout,
    )


def _amounts(value: object, where: str, what: str, faults: list[Fault]) -> Resources:
    found = amounts.read_field(value, where, faults)
    if not found and (value is None or value == {}):
        faults.append(Fault(where, f"must say {what}, like {{cpu: 20, memory: 80Gi}}"))
    faults += [
        Fault(f"{where}.{key}", f"no node offers it{fields.near(key, names.NATIVE)}")
        for key in found
        if "/" not in key and not names.is_native(key)
    ]
    return found
