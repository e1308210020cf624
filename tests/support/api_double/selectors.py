"""Label and field selectors, as far as the product uses them."""

import re
from typing import Any

from api_double import refusals
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


Document = dict[str, Any]

_EVERYWHERE = frozenset({"metadata.name", "metadata.namespace"})
_PODS = _EVERYWHERE | {"spec.nodeName", "spec.schedulerName", "status.phase"}
_SETS = re.compile(r"^(?P<key>\S+) (?P<verb>in|notin) \((?P<values>[^)]*)\)$")
_COMMAS = re.compile(r",(?![^(]*\))")


def check(resource: Resource, query: dict[str, str]) -> None:
    """Raise `Refusal` for selectors that are not served, before any object is looked at."""
    for term in query.get("fieldSelector", "").split(","):
        path, _, _ = _equality(term)
        if term and path not in (_PODS if resource == paths.PODS else _EVERYWHERE):
            raise refusals.bad_request(f'field label not supported: "{path}"')


def matches(obj: Document, query: dict[str, str]) -> bool:
    """Tell whether an object is selected."""
    fields = query.get("fieldSelector", "")
    labels = query.get("labelSelector", "")
    return all(_field(obj, term) for term in fields.split(",") if term) and all(
        _label(obj["metadata"].get("labels") or {}, term.strip())
        for term in _COMMAS.split(labels)
        if term
    )


def _field(obj: Document, term: str) -> bool:
    path, wanted, negated = _equality(term)
    value: Any = obj
    for part in path.split("."):
        value = value.get(part, {}) if isinstance(value, dict) else {}
    return ((value or "") == wanted) is not negated


def _label(labels: dict[str, str], term: str) -> bool:
    if found := _SETS.match(term):
        values = {text.strip() for text in found["values"].split(",")}
        return (labels.get(found["key"]) in values) is (found["verb"] == "in")
    if "=" in term:
        key, wanted, negated = _equality(term)
        return (labels.get(key) == wanted) is not negated
    return (term.removeprefix("!") in labels) is not term.startswith("!")


def _equality(term: str) -> tuple[str, str, bool]:
    negated = "!=" in term
    key, _, wanted = term.partition("!=" if negated else "=")
    return key.strip(), wanted.removeprefix("=").strip(), negated
