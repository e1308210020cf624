"""Kueue's objects -> as written: Cohort, ClusterQueue, LocalQueue, ResourceFlavor.

All served versions have the same form, except for two names: the cohort of a ClusterQueue is
``cohort`` in v1beta1 and v1 and ``cohortName`` in v1beta2; the parent of a Cohort is ``parent`` in
v1alpha1 and v1beta1 and ``parentName`` in v1beta2 and v1. Both are read in every version.
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import quantity
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota_import.manifests import kueue_quotas
from elasticquota_import.manifests.kueue_quotas import Groups


API: Final = "kueue.x-k8s.io"
COHORT: Final = "Cohort"
CLUSTER_QUEUE: Final = "ClusterQueue"
LOCAL_QUEUE: Final = "LocalQueue"
FLAVOR: Final = "ResourceFlavor"
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
"""The label by which a pod or job names a LocalQueue of its namespace."""

NONE: Final = "None"
STRICT: Final = "StrictFIFO"
NEVER: Final = "Never"

_LONGEST: Final = 253
_MOST_LABELS: Final = 64
_GROUPS: Final = "spec.resourceGroups"
_QUEUE: Final = frozenset(
    {
        "cohort",
        "cohortName",
        "resourceGroups",
        "queueingStrategy",
        "namespaceSelector",
        "fairSharing",
        "preemption",
        "stopPolicy",
    }
)
_COHORT: Final = frozenset({"parent", "parentName", "resourceGroups", "fairSharing"})
_LOCAL: Final = frozenset({"clusterQueue", "stopPolicy"})
_FUNGIBILITY: Final = "flavorFungibility"


class Preemption(Struct, frozen=True):
    """Whose workloads a ClusterQueue may preempt; without a word: none."""

    reclaim: str = NEVER
    within: str = NEVER
    borrow: str = NEVER


class Member(Struct, frozen=True):
    """What a ClusterQueue and a Cohort have in common."""

    name: str
    above: str = ""
    """The cohort to which it belongs; empty: none."""
    groups: Groups = ()
    weight: int | None = None
    """``fairSharing.weight`` in thousandths; None: not written, which means 1."""
    others: tuple[str, ...] = ()
    """Other fields of spec that it has, sorted."""
    faults: tuple[Fault, ...] = ()


class Cohort(Member, frozen=True):
    """One Cohort."""


class ClusterQueue(Member, frozen=True):
    """One ClusterQueue."""

    strict: bool = False
    stop: str = NONE
    preemption: Preemption = field(default_factory=Preemption)
    selects: str = "none"
    """The namespaces that may use it: ``all``, ``none`` or ``some``."""


class LocalQueue(Struct, frozen=True):
    """One LocalQueue."""

    key: Key
    cluster_queue: str = ""
    stop: str = NONE
    others: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


class Flavor(Struct, frozen=True):
    """One ResourceFlavor."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def cohort(manifest: SpecManifest) -> Cohort:
    """Return the Cohort; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    return Cohort(
        manifest.metadata.name,
        _above(spec, ("parentName", "parent"), faults),
        kueue_quotas.read(spec.get("resourceGroups"), _GROUPS, faults),
        _weight(spec, faults),
        _others(spec, _COHORT),
        tuple(faults),
    )


def cluster_queue(manifest: SpecManifest) -> ClusterQueue:
    """Return the ClusterQueue; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    preemption = fields.mapping(spec.get("preemption"), "spec.preemption", faults)
    borrow = fields.mapping(
        preemption.get("borrowWithinCohort"), "spec.preemption.borrowWithinCohort", faults
    )
    return ClusterQueue(
        manifest.metadata.name,
        _above(spec, ("cohortName", "cohort"), faults),
        kueue_quotas.read(spec.get("resourceGroups"), _GROUPS, faults),
        _weight(spec, faults),
        _others(spec, _QUEUE),
        strict=spec.get("queueingStrategy") == STRICT,
        stop=_choice(spec.get("stopPolicy"), NONE),
        preemption=Preemption(
            _choice(preemption.get("reclaimWithinCohort"), NEVER),
            _choice(preemption.get("withinClusterQueue"), NEVER),
            _choice(borrow.get("policy"), NEVER),
        ),
        selects=_selects(spec.get("namespaceSelector"), faults),
        faults=tuple(faults),
    )


def local_queue(manifest: SpecManifest) -> LocalQueue:
    """Return the LocalQueue; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    return LocalQueue(
        manifest.metadata.key,
        _named(spec.get("clusterQueue"), "spec.clusterQueue", faults),
        _choice(spec.get("stopPolicy"), NONE),
        _others(spec, _LOCAL),
        tuple(faults),
    )


def flavor(manifest: SpecManifest) -> Flavor:
    """Return the ResourceFlavor; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    labels = fields.labels(spec.get("nodeLabels"), "spec.nodeLabels", faults, _MOST_LABELS)
    others = _others(spec, frozenset({"nodeLabels"}))
    return Flavor(manifest.metadata.name, labels, others, tuple(faults))


def _above(spec: Mapping[str, Any], keys: tuple[str, str], faults: list[Fault]) -> str:
    for key in keys:
        if found := _named(spec.get(key), f"spec.{key}", faults):
            return found
    return ""


def _named(value: object, where: str, faults: list[Fault]) -> str:
    if value is None or value == "":
        return ""
    if fields.is_text(value, _LONGEST):
        return value
    faults.append(fields.mismatch(where, "a name", value))
    return ""


def _weight(spec: Mapping[str, Any], faults: list[Fault]) -> int | None:
    sharing = fields.mapping(spec.get("fairSharing"), "spec.fairSharing", faults)
    value = sharing.get("weight")
    if value is None:
        return None
    where = "spec.fairSharing.weight"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        faults.append(fields.mismatch(where, "a quantity like 500m or 2", value))
        return None
    try:
        weight = quantity.thousandths(value)
    except quantity.QuantityError as error:
        faults.append(Fault(where, str(error)))
        return None
    if weight < 0:
        faults.append(Fault(where, f"must not be negative, got {value}"))
        return None
    return weight


def _selects(value: object, faults: list[Fault]) -> str:
    if value is None:
        return "none"
    selector = fields.mapping(value, "spec.namespaceSelector", faults)
    return "some" if any(selector.values()) else "all"


def _choice(value: object, usual: str) -> str:
    """A word of an enumeration in a form that is safe in a message."""
    return usual if value is None or value == "" else fields.shown_key(value)


def _others(spec: Mapping[str, Any], known: frozenset[str]) -> tuple[str, ...]:
    """Fields that are not read; what the API server fills in says nothing."""
    found = {key for key in spec.keys() - known if spec[key] not in (None, {}, [], "")}
    usual = {"whenCanBorrow": ("Borrow", "MayStopSearch"), "whenCanPreempt": ("TryNextFlavor",)}
    choice = spec.get(_FUNGIBILITY)
    if isinstance(choice, dict) and all(choice.get(key) in usual.get(key, ()) for key in choice):
        found -= {_FUNGIBILITY}
    return tuple(sorted({fields.shown_key(key) for key in found}))
