"""KAI Scheduler's Queue manifest -> as written (``scheduling.run.ai/v2``).

Its numbers have units of their own: cpu in millicores, memory in megabytes (10^6 bytes), GPUs in
devices, all of them with fractions. -1 means no limit, and a number that is not written is 0.
"""

import math
from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import SpecManifest


API: Final = "scheduling.run.ai"
QUEUE: Final = "Queue"
QUEUE_NAME: Final = "kai.scheduler/queue"
"""The label by which a pod names its queue."""

GPU: Final = "nvidia.com/gpu"
RESOURCES: Final[Mapping[str, tuple[str, int]]] = {
    "cpu": (names.CPU, 1),
    "gpu": (GPU, 1),
    "memory": (names.MEMORY, 1_000_000),
}
"""By their name: the resource, and accounting units in one of theirs."""

UNLIMITED: Final = -1
USUAL_PRIORITY: Final = 100
_LONGEST: Final = 253
_LARGEST: Final = 2**60
_SIDES: Final = ("quota", "limit", "overQuotaWeight", "lendingLimit")
_FIELDS: Final = frozenset({"displayName", "parentQueue", "resources", "priority"})


class KaiQueue(Struct, frozen=True):
    """One Queue; amounts in accounting units."""

    name: str
    parent: str = ""
    quota: Resources = field(default_factory=dict)
    """A missing resource is unlimited."""
    limit: Resources = field(default_factory=dict)
    """A missing resource is unlimited."""
    weight: Resources = field(default_factory=dict)
    """In thousandths, for every resource."""
    lending: Resources = field(default_factory=dict)
    """Only resources with a limit."""
    cut: tuple[str, ...] = ()
    """Paths of numbers that were rounded down to a whole unit."""
    priority: int = USUAL_PRIORITY
    others: tuple[str, ...] = ()
    """Other fields of spec that it has, sorted."""
    faults: tuple[Fault, ...] = ()


def read(manifest: SpecManifest) -> KaiQueue:
    """Return the queue; ``faults`` names each unreadable part, which counts as 0."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    given = fields.mapping(spec.get("resources"), "spec.resources", faults)
    figures: dict[str, dict[str, int]] = {side: {} for side in _SIDES}
    cut: list[str] = []
    for theirs, (ours, unit) in RESOURCES.items():
        at = f"spec.resources.{theirs}"
        written = fields.mapping(given.get(theirs), at, faults)
        for side in _SIDES:
            number = _number(written.get(side), f"{at}.{side}", side, faults)
            if number is None:
                continue
            units = number * (1000 if side == "overQuotaWeight" else unit)
            figures[side][ours] = math.floor(units)
            if units != figures[side][ours]:
                cut.append(f"{at}.{side}")
    unknown = {f"resources.{fields.shown_key(key)}" for key in given.keys() - RESOURCES.keys()}
    return KaiQueue(
        manifest.metadata.name,
        _parent(spec.get("parentQueue"), faults),
        figures["quota"],
        figures["limit"],
        figures["overQuotaWeight"],
        figures["lendingLimit"],
        tuple(cut),
        _priority(spec.get("priority"), faults),
        tuple(sorted({fields.shown_key(key) for key in spec.keys() - _FIELDS} | unknown)),
        tuple(faults),
    )


def _number(value: object, where: str, side: str, faults: list[Fault]) -> float | int | None:
    """The number; None if there is no limit. What is absent or unreadable is 0."""
    if value is None:
        return None if side == "lendingLimit" else 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        faults.append(fields.mismatch(where, "a number", value))
        return 0
    if value == UNLIMITED and side in ("quota", "limit"):
        return None
    if value < 0:
        faults.append(Fault(where, f"must be {UNLIMITED} or not negative, got {value}"))
        return 0
    return value


def _parent(value: object, faults: list[Fault]) -> str:
    if value is None or value == "":
        return ""
    if fields.is_text(value, _LONGEST):
        return value
    faults.append(fields.mismatch("spec.parentQueue", "a name", value))
    return ""


def _priority(value: object, faults: list[Fault]) -> int:
    if value is None:
        return USUAL_PRIORITY
    if type(value) is int and abs(value) < 2**31:
        return value
    faults.append(fields.mismatch("spec.priority", "a whole number", value))
    return USUAL_PRIORITY
