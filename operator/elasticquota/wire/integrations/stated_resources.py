"""What a whole job needs, as its annotation says: a map in YAML, of which JSON is a kind (Q20)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import yaml

from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields


_LONGEST: Final = 16 * 1024


def read(text: str, where: str, faults: list[str]) -> Resources:
    """The amounts, in accounting units; what is no such map says nothing and is a fault."""
    if len(text) > _LONGEST:
        faults.append(f"{where}: must not be longer than {_LONGEST} characters")
        return {}
    found = _map(text)
    if found is not None:
        return amounts.read_field(found, where, faults)
    faults.append(f"{where}: must be a map such as cpu: 5, got {fields.shown(text)}")
    return {}


@lru_cache(maxsize=256)
def _map(text: str) -> Mapping[str, object] | None:
    """Remembered, because the same text comes with every change of its job's status."""
    try:
        # Makes nothing but texts, lists and maps: a quantity is a text anyway.
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    return found if isinstance(found, dict) and all(isinstance(key, str) for key in found) else None
