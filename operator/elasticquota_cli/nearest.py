"""Suggests the nearest existing name for one that is not found."""

import difflib
from collections.abc import Iterable

from elasticquota.model.key import Key


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean team-a?``, or an empty text when no name is near."""
    near = _near(name, known)
    return f"; did you mean {near}?" if near else ""


def hint_of_key(key: Key, known: Iterable[Key]) -> str:
    """As ``hint``: the nearest name in the namespace, the same name in another, or a namespace."""
    keys = list(known)
    here = _near(key.name, (other.name for other in keys if other.namespace == key.namespace))
    if here:
        return f"; did you mean {Key(key.namespace, here)}?"
    elsewhere = sorted(str(other) for other in keys if other.name == key.name)
    if elsewhere:
        return f"; did you mean {elsewhere[0]}?"
    namespaces = {other.namespace for other in keys}
    return "" if key.namespace in namespaces else hint(key.namespace, namespaces)


def _near(name: str, known: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.5)), "")
