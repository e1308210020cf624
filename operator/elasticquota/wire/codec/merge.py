"""Merge patches (RFC 7396) of what differs: null removes a field, lists are replaced as a whole."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from elasticquota import quantity, resources
from elasticquota.resources import Resources


def difference(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the patch that turns ``stored`` into ``wanted``; empty when they are equal."""
    patch: dict[str, Any] = {key: None for key in stored if key not in wanted}
    for key, value in wanted.items():
        before = stored.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            inner = difference(before, value)
            if inner:
                patch[key] = inner
        elif before != value:
            patch[key] = value
    return patch


def quota(
    stored: Mapping[str, Any],
    labels: Mapping[str, str | None],
    annotations: Mapping[str, str | None],
    low: Resources,
    high: Resources,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any] | None:
    """Return the patch that writes these values into a stored ElasticQuota; None if it has them.

    None removes a label or annotation; other labels and annotations are kept. ``low`` and ``high``
    are min and max, ``settings`` other fields of the spec, of which an empty one is removed.
    """
    metadata = stored.get("metadata") or {}
    written = stored.get("spec")
    spec = written if isinstance(written, Mapping) else {}
    parts = {
        "metadata": {
            "labels": _texts(metadata.get("labels") or {}, labels),
            "annotations": _texts(metadata.get("annotations") or {}, annotations),
        },
        "spec": {"min": amounts(spec.get("min"), low), "max": amounts(spec.get("max"), high)},
    }
    there = {field: spec[field] for field in settings if field in spec}
    other = difference(there, {field: said for field, said in settings.items() if said})
    patch = {
        part: {field: change for field, change in fields.items() if change}
        for part, fields in parts.items()
    }
    patch["spec"] |= other
    return {part: fields for part, fields in patch.items() if fields} or None


def _texts(stored: Mapping[str, str], wanted: Mapping[str, str | None]) -> dict[str, str | None]:
    return {key: text for key, text in wanted.items() if stored.get(key) != text}


def amounts(stored: object, wanted: Resources) -> dict[str, Any]:
    """Return the patch of a resource list; the same amount in another notation is no difference.

    ``1`` and ``1000m`` are equal. A stored value that is no map, which another schema may have
    allowed, is replaced by ``wanted``.
    """
    written = dict(stored) if isinstance(stored, Mapping) else {}
    for key, amount in wanted.items():
        if key in written and _same(key, written[key], amount):
            written[key] = quantity.text(key, amount)
    return difference(written, resources.text(wanted))


def _same(resource: str, written: Any, amount: int) -> bool:
    try:
        return quantity.amount(resource, written) == amount
    except (quantity.QuantityError, TypeError):
        return False
