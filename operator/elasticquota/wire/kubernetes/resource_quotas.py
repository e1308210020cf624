"""core/v1 ResourceQuota manifest -> the hard limits of a namespace, as written."""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names
from elasticquota.devices import keys as device_keys
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import SpecManifest


_REQUESTS: Final = "requests."
_LIMITED: Final = frozenset({names.CPU, names.MEMORY, "ephemeral-storage", names.PODS})
_STORAGE: Final = "requests.storage"
_MOST: Final = 256

HIERARCHY: Final = "hnc.x-k8s.io/hrq"
"""The label of ResourceQuotas that HNC makes from HierarchicalResourceQuotas."""


class ResourceQuota(Struct, frozen=True):
    """The limits of one ResourceQuota that apply to requests of pods."""

    key: Key
    hard: Resources = field(default_factory=dict)
    """Limits of requests in accounting units, by the resource that pods request."""
    others: tuple[str, ...] = ()
    """Keys of ``spec.hard`` that limit something else."""
    scoped: bool = False
    """Whether it counts only some of the pods."""
    faults: tuple[Fault, ...] = ()
    of_hierarchy: bool = False
    """Whether HNC made it."""


def read(manifest: SpecManifest) -> ResourceQuota:
    """Return the hard limits; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    hard = fields.mapping(spec.get("hard"), "spec.hard", faults, _MOST)
    ours = {key: found for key in sorted(hard) if (found := _resource(key))}
    return ResourceQuota(
        manifest.metadata.key,
        _limits(hard, ours, faults),
        tuple(sorted(hard.keys() - ours.keys())),
        bool(spec.get("scopes") or spec.get("scopeSelector")),
        tuple(faults),
        bool(manifest.metadata.label(HIERARCHY)),
    )


def _resource(key: str) -> str:
    """The resource whose requests the key limits; empty if it limits something else."""
    if key in _LIMITED or (key.startswith("hugepages-") and fields.is_name(key)):
        return key
    if key.endswith(device_keys.SUFFIX) and fields.is_name(key):
        return key
    if key == _STORAGE or not key.startswith(_REQUESTS):
        return ""
    resource = key.removeprefix(_REQUESTS)
    return device_keys.canonical(resource) if fields.is_name(resource) else ""


def _limits(
    hard: Mapping[str, Any], ours: Mapping[str, str], faults: list[Fault]
) -> dict[str, int]:
    """``cpu`` and ``requests.cpu`` limit the same; both hold, so the smaller one counts."""
    found: dict[str, int] = {}
    for key, resource in ours.items():
        amount = amounts.read_one(resource, hard[key], f"spec.hard.{key}", faults)
        if amount is not None:
            found[resource] = min(amount, found.get(resource, amount))
    return found
