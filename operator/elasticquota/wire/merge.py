"""A merge patch (RFC 7396) says only what differs: what is gone is null, lists go whole."""

from collections.abc import Mapping
from typing import Any


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
