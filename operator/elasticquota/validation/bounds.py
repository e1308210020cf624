"""The fields of a quota, each by itself, can be read and make sense.

EQ1001: quantities, switches and fields. EQ1002: min within max. EQ1003: shared weight. EQ1004: the
list of namespaces (``binding`` compares it with other quotas). EQ1112: the list of strict resources
(``in_use``). The schema of the CRD refuses most faults of the spec earlier; this rule catches the
others. Annotations have no schema, so only this rule judges them.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import shared_weight, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, annotation
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change


_RULES = {
    annotation(names.SHARED_WEIGHT): "EQ1003",
    annotation(names.NAMESPACES): "EQ1004",
    annotation(names.STRICT_KEYS): "EQ1112-strict",
}
"""The rules about annotations, by their paths."""


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield faults that the old object did not have; ``forest`` is not used."""
    del forest
    if change.new is not None:
        known = set(_faults(change.old)) if change.old is not None else set()
        yield from (fault for fault in _faults(change.new) if fault not in known)


def _faults(quota: Quota) -> Iterator[Violation]:
    for fault in quota.faults:
        rule = "EQ1002" if fault in quota.beyond_max else _rule(fault)
        yield violation.of_fault(rule, fault)
    for warning in quota.warnings:
        yield violation.of_fault("EQ1001-switch", warning)
    yield from shared_weight.check(quota)


def _rule(fault: str) -> str:
    return next((rule for path, rule in _RULES.items() if fault.startswith(path)), "EQ1001")
