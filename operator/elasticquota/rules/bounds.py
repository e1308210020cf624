"""What a quota says about itself can be read and makes sense.

EQ1001 quantities, EQ1002 min inside max, EQ1003 shared weight, EQ1004 the list of namespaces (who
else binds them is asked by ``binding``), EQ1112 the list of strict resources (``in_use``). The
schema of the CRD refuses most of it earlier; this is the echo for what reaches us all the same, and
the only judge of annotations, which no schema sees.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.rules.change import Change
from elasticquota.rules.violation import Violation, annotation


_WEIGHT = annotation(names.SHARED_WEIGHT)
_NAMESPACES = annotation(names.NAMESPACES)
_STRICT = annotation(names.STRICT_KEYS)


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Faults of reading that the old object did not have; the forest plays no part."""
    del forest
    if change.new is None:
        return ()
    known = set(_faults(change.old)) if change.old is not None else set()
    return tuple(fault for fault in _faults(change.new) if fault not in known)


def _faults(quota: Quota) -> tuple[Violation, ...]:
    written = []
    for fault in quota.faults:
        field, _, message = fault.partition(": ")
        written.append(Violation(_code(field, quota), field, message))
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
    return (*written, *weighed)


def _code(field: str, quota: Quota) -> str:
    if field.startswith(_WEIGHT):
        return "EQ1003"
    if field.startswith(_NAMESPACES):
        return "EQ1004"
    if field.startswith(_STRICT):
        return "EQ1112"
    resource = field.removeprefix("spec.min.")
    # A min that could be read can only be wrong in relation to max.
    return "EQ1002" if resource != field and resource in quota.min else "EQ1001"
