"""The resources of a whole job from its annotation: a map in YAML or JSON (Q20)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import yaml

from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields


_LONGEST: Final = 16 * 1024


def read(text: str, where: str, faults: list[Fault]) -> Resources:
    """Return the amounts in accounting units; empty and a fault if the text is no such map."""
    if len(text) > _LONGEST:
        faults.append(Fault(where, f"must not be longer than {_LONGEST} characters"))
        return {}
    found = _map(text)
    if found is not None:
        return amounts.read_field(found, where, faults)
    faults.append(fields.mismatch(where, "a map such as cpu: 5", text))
    return {}


@lru_cache(maxsize=256)
def _map(text: str) -> Mapping[str, object] | None:
    """Cached, because every change of the job's status brings the same text again."""
    try:
        # Makes only texts, lists and maps; a quantity may be a text.
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    return found if isinstance(found, dict) and all(isinstance(key, str) for key in found) else None
