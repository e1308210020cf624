"""metav1.LabelSelector manifest -> Selector."""

from typing import get_args

import msgspec

from elasticquota.model.selector import Operator, Requirement, Selector


class Expression(msgspec.Struct, gc=False):
    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class SelectorManifest(msgspec.Struct, rename="camel", gc=False):
    match_labels: dict[str, str] | None = None
    match_expressions: list[Expression] | None = None


def read(manifest: SelectorManifest, where: str, faults: list[str]) -> Selector:
    """Requirements sorted and without duplicates, so equal selectors are equal values."""
    found = {
        Requirement(key, "In", (value,)) for key, value in (manifest.match_labels or {}).items()
    }
    for expression in manifest.match_expressions or []:
        values = tuple(sorted(set(expression.values or [])))
        match expression.operator:
            case "In" | "NotIn" as operator:
                if not values:
                    faults.append(f"{where}: {operator} on {expression.key} must name values")
                    continue
                found.add(Requirement(expression.key, operator, values))
            case "Exists" | "DoesNotExist" as operator:
                found.add(Requirement(expression.key, operator))
            case other:
                known = ", ".join(get_args(Operator))
                faults.append(f"{where}: operator must be one of {known}, got '{other}'")
    return Selector(tuple(sorted(found)))
