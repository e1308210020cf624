"""The fields of a quota, each by itself, can be read and make sense.

EQ1001: quantities, switches and fields. EQ1002: min within max. EQ1003: shared weight, which names
only resources that max names, where max names any. EQ1004: the list of namespaces
(``bound_namespaces`` compares it with other quotas). EQ1112: the list of strict resources. Reading
a quota finds them, and says of each which rule it breaks; the rest is EQ1001. The schema of the CRD
refuses most faults of the spec earlier. Annotations have no schema.
"""

from collections.abc import Iterator

from elasticquota import pool_keys, quantity
from elasticquota.forest import violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota


def check(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield all that is wrong with ``quota`` by itself; ``forest`` is not used."""
    del forest
    yield from unread(quota)
    yield from doubts(quota)


def unread(quota: Quota) -> list[Violation]:
    """Return what could not be read or makes no sense: such a quota is not accepted."""
    found = [violation.of_fault("EQ1001", fault) for fault in quota.faults]
    # No reader makes negative amounts, and none may reach the sharing.
    for side, amounts in (("min", quota.min), ("max", quota.max)):
        if not amounts or min(amounts.values()) >= 0:
            continue  # the usual case
        for key, amount in sorted(amounts.items()):
            if amount < 0:
                message = f"must not be negative, got {quantity.text(key, amount)}"
                found.append(Violation("EQ1001", pool_keys.field(side, key), message))
    return found


def doubts(quota: Quota) -> Iterator[Violation]:
    """Yield what does not mean what its author may think."""
    for fault in quota.warnings:
        yield violation.of_fault("EQ1001-switch", fault)
    if not quota.shared_weight or not quota.max:
        return
    for resource in sorted(quota.shared_weight.keys() - quota.max.keys()):
        yield Violation(
            "EQ1003",
            f"{violation.setting(quota, 'weight')}.{resource}",
            "must also be named in spec.max",
            "Add it there, or leave it out of the weight",
        )
