"""Volcano's Queue manifest -> as written (``scheduling.volcano.sh/v1beta1``), and its namespaces.

A Namespace names the queue of its pods by an annotation; a pod names another queue by its own.
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest


API: Final = "scheduling.volcano.sh"
QUEUE: Final = "Queue"
QUEUE_NAME: Final = "scheduling.volcano.sh/queue-name"
"""The annotation by which a Namespace or a pod names its queue."""

NODE_GROUP: Final = "volcano.sh/nodegroup-name"
"""The label of nodes that the affinity of a queue is about."""

_LONGEST: Final = 253
_MOST_GROUPS: Final = 64
_FIELDS: Final = frozenset(
    {
        "weight",
        "capability",
        "reclaimable",
        "guarantee",
        "affinity",
        "parent",
        "deserved",
        "priority",
        "dequeueStrategy",
    }
)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_AFFINITY: Final = "nodeGroupAffinity"


class VolcanoQueue(Struct, frozen=True):
    """One Queue; amounts in accounting units."""

    name: str
    parent: str = ""
    weight: int | None = None
    """None: not written, which means 1."""
    capability: Resources = field(default_factory=dict)
    deserved: Resources = field(default_factory=dict)
    guarantee: Resources = field(default_factory=dict)
    reclaimable: bool = True
    priority: int = 0
    strict: bool = False
    groups: tuple[str, ...] = ()
    """The groups of nodes that it requires, sorted."""
    closed: bool = False
    others: tuple[str, ...] = ()
    """Paths in spec of what else it has, sorted."""
    faults: tuple[Fault, ...] = ()


class QueueOfNamespace(Struct, frozen=True):
    """A Namespace and the queue that it names."""

    namespace: str
    queue: str
    """Empty: none."""


def read(manifest: SpecManifest, state: str = "") -> VolcanoQueue:
    """Return the queue; ``faults`` names each unreadable part. ``state`` is that of its status."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    guarantee = fields.mapping(spec.get("guarantee"), "spec.guarantee", faults)
    affinity = fields.mapping(spec.get("affinity"), "spec.affinity", faults)
    return VolcanoQueue(
        manifest.metadata.name,
        _parent(spec.get("parent"), faults),
        _count(spec.get("weight"), "spec.weight", faults),
        amounts.read_field(spec.get("capability"), "spec.capability", faults),
        amounts.read_field(spec.get("deserved"), "spec.deserved", faults),
        amounts.read_field(guarantee.get("resource"), "spec.guarantee.resource", faults),
        spec.get("reclaimable") is not False,
        _count(spec.get("priority"), "spec.priority", faults) or 0,
        spec.get("dequeueStrategy") == "fifo",
        _groups(affinity, faults),
        state in ("Closed", "Closing"),
        _others(spec, affinity),
        tuple(faults),
    )


def namespace(manifest: NamespaceManifest) -> QueueOfNamespace:
    """Return the Namespace with the queue that it names."""
    return QueueOfNamespace(manifest.metadata.name, manifest.metadata.annotation(QUEUE_NAME))


def _parent(value: object, faults: list[Fault]) -> str:
    if value is None or value == "":
        return ""
    if fields.is_text(value, _LONGEST):
        return value
    faults.append(fields.mismatch("spec.parent", "a name", value))
    return ""


def _count(value: object, where: str, faults: list[Fault]) -> int | None:
    if value is None:
        return None
    if type(value) is int and 0 <= value < 2**31:
        return value
    faults.append(fields.mismatch(where, "a whole number from 0", value))
    return None


def _groups(affinity: Mapping[str, Any], faults: list[Fault]) -> tuple[str, ...]:
    where = f"spec.affinity.{_AFFINITY}"
    found = fields.mapping(affinity.get(_AFFINITY), where, faults)
    listed = fields.sequence(found.get(_REQUIRED), f"{where}.{_REQUIRED}", faults, _MOST_GROUPS)
    named = []
    for index, name in enumerate(listed):
        label = fields.label_value(name, f"{where}.{_REQUIRED}[{index}]", faults)
        if label:
            named.append(label)
    return tuple(sorted(set(named)))


def _others(spec: Mapping[str, Any], affinity: Mapping[str, Any]) -> tuple[str, ...]:
    found = {fields.shown_key(key) for key in spec.keys() - _FIELDS if spec[key]}
    for key, inner in affinity.items():
        if key == _AFFINITY and isinstance(inner, dict):
            prefix = f"affinity.{_AFFINITY}"
            rest = inner.keys() - {_REQUIRED}
            found |= {f"{prefix}.{fields.shown_key(each)}" for each in rest if inner[each]}
        elif inner and key != _AFFINITY:
            found.add(f"affinity.{fields.shown_key(key)}")
    return tuple(sorted(found))
