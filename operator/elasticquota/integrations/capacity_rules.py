"""What an ElasticQuota of capacity scheduling may say: amounts, min within max, one per namespace.

The schema of the CRD that our chart installs refuses the first two earlier. The rules here also
judge where another release's CRD is served, and where the API server is too old for the schema's
rules. A stored quota that breaks a rule is followed all the same: ``capacity`` cuts its min, and
of two in a namespace the older counts (C2, C5).
"""

from collections.abc import Iterator, Sequence

from elasticquota import quantity, resources
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


def added(new: CapacityQuota, old: CapacityQuota | None) -> tuple[Fault, ...]:
    """The faults of ``new`` that ``old`` does not have."""
    known = set() if old is None else set(_faults(old))
    return tuple(fault for fault in _faults(new) if fault not in known)


def second(quota: CapacityQuota, others: Sequence[Key]) -> tuple[Fault, ...]:
    """The fault of a new quota in a namespace that has ``others`` already (C2)."""
    names = sorted(other.name for other in others if other != quota.key)
    if not names:
        return ()
    text = f"one quota counts in a namespace, and {quota.key.namespace} has {names[0]}"
    return (Fault("metadata.namespace", f"{text}; edit that one, or delete it first"),)


def _faults(quota: CapacityQuota) -> Iterator[Fault]:
    yield from quota.faults
    for key in resources.exceeding(quota.min, quota.max):
        low, high = quantity.text(key, quota.min[key]), quantity.text(key, quota.max[key])
        yield Fault(
            f"spec.min.{key}",
            f"{low} must be less than or equal to {high}, its max; lower min or raise max",
        )
