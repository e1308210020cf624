"""What a quota says about itself can be read and makes sense.

EQ1001 quantities and switches, EQ1002 min inside max, EQ1003 shared weight, EQ1004 the list of
namespaces (who else binds them is asked by ``binding``), EQ1112 the list of strict resources
(``in_use``), PD1307 the list of namespaces whose pods may come (``welcome``), EQ1113 that of those
whose quotas may (``consent``). The schema of the CRD refuses most of it earlier; this is the echo
for what reaches us all the same, and the only judge of annotations, which no schema sees.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation import violation
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation


_WEIGHT = annotation(names.SHARED_WEIGHT)
_NAMESPACES = annotation(names.NAMESPACES)
_STRICT = annotation(names.STRICT_KEYS)
_ALLOWED = annotation(names.ALLOWED_NAMESPACES)
_CHILDREN = annotation(names.CHILD_NAMESPACES)


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Faults of reading that the old object did not have; the forest plays no part."""
    del forest
    if change.new is None:
        return ()
    known = set(_faults(change.old)) if change.old is not None else set()
    return tuple(fault for fault in _faults(change.new) if fault not in known)


def _faults(quota: Quota) -> tuple[Violation, ...]:
    written = [violation.of_fault(_rule(fault, quota), fault) for fault in quota.faults]
    doubtful = [violation.of_fault("EQ1001-switch", warning) for warning in quota.warnings]
    weighed = [
        Violation(
            "EQ1003",
            f"{_WEIGHT}.{resource}",
            "must also be named in spec.max",
            "Add it there, or leave it out of the weight",
        )
        for resource in sorted(quota.shared_weight or {})
        if quota.max and resource not in quota.max
    ]
    return (*written, *doubtful, *weighed)


def _rule(fault: str, quota: Quota) -> str:
    field = fault.partition(": ")[0]
    if field.startswith(_WEIGHT):
        return "EQ1003"
    if field.startswith(_NAMESPACES):
        return "EQ1004"
    if field.startswith(_STRICT):
        return "EQ1112-strict"
    if field.startswith(_ALLOWED):
        return "PD1307"
    if field.startswith(_CHILDREN):
        return "EQ1113"
    resource = field.removeprefix("spec.min.")
    # A min that could be read can only be wrong in relation to max.
    return "EQ1002" if resource != field and resource in quota.min else "EQ1001"
