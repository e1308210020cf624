"""A merge patch (RFC 7396) says only what differs: what is gone is null, lists go whole."""

from collections.abc import Mapping
from typing import Any

from elasticquota import quantity, resources
from elasticquota.resources import Resources


def difference(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The patch that makes ``wanted`` of ``stored``; empty when they are equal."""
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
) -> dict[str, Any] | None:
    """The patch that makes a stored ElasticQuota say these; None when it does.

    A label or annotation of None must not be there; those of others stay. ``low`` and ``high`` are
    min and max.
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
    found = {
        part: {field: change for field, change in fields.items() if change}
        for part, fields in parts.items()
    }
    return {part: fields for part, fields in found.items() if fields} or None


def _texts(stored: Mapping[str, str], wanted: Mapping[str, str | None]) -> dict[str, str | None]:
    return {key: text for key, text in wanted.items() if stored.get(key) != text}


def amounts(stored: object, wanted: Resources) -> dict[str, Any]:
    """The patch of a resource list; equal amounts written differently are no difference.

    ``1`` and ``1000m`` are equal. What is no map at all, as another schema may have let through, is
    replaced by what is wanted.
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
