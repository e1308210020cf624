"""Suggests the nearest existing name for one that is not found."""

from collections.abc import Iterable

from elasticquota import texts
from elasticquota.model.key import Key


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean team-a?``, or an empty text when no name is near."""
    near = texts.nearest(name, known)
    return f"; did you mean {near}?" if near else ""


def hint_of_key(key: Key, known: Iterable[Key]) -> str:
    """As ``hint``: the nearest name in the namespace, the same name in another, or a namespace."""
    keys = list(known)
    here = texts.nearest(
        key.name, (other.name for other in keys if other.namespace == key.namespace)
    )
    if here:
        return f"; did you mean {Key(key.namespace, here)}?"
    elsewhere = sorted(str(other) for other in keys if other.name == key.name)
    if elsewhere:
        return f"; did you mean {elsewhere[0]}?"
    namespaces = {other.namespace for other in keys}
    return "" if key.namespace in namespaces else hint(key.namespace, namespaces)
