"""metav1.LabelSelector manifest -> Selector."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

import msgspec

from elasticquota.model.fault import Fault
from elasticquota.model.selector import Operator, Requirement, Selector
from elasticquota.wire.codec import fields


MOST: Final = 64
"""Labels in one selector, and expressions in one selector, as in the schema."""

MOST_VALUES: Final = 256
_SELECTOR: Final = ("matchLabels", "matchExpressions")
_REQUIREMENT: Final = ("key", "operator", "values")


class Expression(msgspec.Struct, gc=False):
    """One requirement of a pod's node affinity; the API server guarantees its shape."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


def read(written: object, where: str, faults: list[Fault]) -> Selector:
    """Return the selector, sorted and without duplicates: equal selectors are equal values.

    A selector with a fault may select more than was meant; the caller must check ``faults``.
    """
    selector = fields.record(written, where, "a selector", _SELECTOR, faults)
    at = f"{where}.matchLabels"
    labels = fields.labels(selector.get("matchLabels"), at, faults, MOST)
    found = {Requirement(key, "In", (value,)) for key, value in labels.items()}
    at = f"{where}.matchExpressions"
    expressions = fields.sequence(selector.get("matchExpressions"), at, faults, MOST)
    for index, expression in enumerate(expressions):
        found.update(_requirement(expression, f"{at}[{index}]", faults))
    return Selector(tuple(sorted(found)))


def read_values(written: object, where: str, faults: list[Fault]) -> Selector:
    """Return the selector of a map from labels to the values that each may have."""
    found = []
    for key, values in fields.mapping(written, where, faults, MOST).items():
        if fields.is_name(key):
            found.append(_listed(key, "In", values, f"{where}.{key}", faults))
        else:
            faults.append(Fault(where, f"{fields.shown(key)} is not the name of a label"))
    return Selector(tuple(sorted(found)))


def values(selector: Selector) -> dict[str, list[str]]:
    """Return the map from which ``read_values`` makes a selector that lists values."""
    return {requirement.key: [*requirement.values] for requirement in selector.requirements}


def text(selector: Selector) -> str:
    """Return the selector as a query parameter of the API; it must be without faults."""
    return ",".join(_term(requirement) for requirement in selector.requirements)


def _term(requirement: Requirement) -> str:
    match requirement.operator:
        case "In" | "NotIn" as operator:
            return f"{requirement.key} {operator.lower()} ({','.join(requirement.values)})"
        case "Exists":
            return requirement.key
        case "DoesNotExist":
            return f"!{requirement.key}"


def _requirement(written: object, where: str, faults: list[Fault]) -> Iterator[Requirement]:
    expression = fields.record(written, where, "a requirement", _REQUIREMENT, faults)
    key = expression.get("key")
    if not fields.is_name(key):
        faults.append(fields.mismatch(f"{where}.key", "the name of a label", key))
        return
    match expression.get("operator"):
        case "In" | "NotIn" as operator:
            yield _listed(key, operator, expression.get("values"), f"{where}.values", faults)
        case "Exists" | "DoesNotExist" as operator:
            if expression.get("values"):
                faults.append(Fault(f"{where}.values", f"{operator} on {key} must not name values"))
            yield Requirement(key, operator)
        case other:
            operators = ", ".join(get_args(Operator))
            faults.append(fields.mismatch(f"{where}.operator", f"one of {operators}", other))


def _listed(
    key: str, operator: Literal["In", "NotIn"], written: object, at: str, faults: list[Fault]
) -> Requirement:
    listed = fields.sequence(written, at, faults, MOST_VALUES)
    if not listed:
        faults.append(Fault(at, f"{operator} on {key} must name values"))
    labels = [
        fields.label_value(value, f"{at}[{number}]", faults) for number, value in enumerate(listed)
    ]
    known = {label for label in labels if label is not None}
    return Requirement(key, operator, tuple(sorted(known)))
