"""Min and max of a quota <-> two resource lists, in which what is bounded in a pool has a pool key.

``spec.min`` and ``spec.max`` bound resources as a whole, ``spec.pools`` those of single pools:
``[{name: a100, min: {nvidia.com/gpu: "2"}, max: {nvidia.com/gpu: "4"}}]``.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from elasticquota import pool_keys, quantity
from elasticquota.model import pools as model
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.quota import pools


FIELD: Final = "pools"
MOST_RESOURCES: Final = 16
"""That one quota bounds in one pool."""
_FIELDS: Final = ("name", "min", "max")
_SIDES: Final = ("min", "max")


class MinAndMax(NamedTuple):
    """What a quota is guaranteed, and what it may use at most, in accounting units."""

    min: Resources
    max: Resources


def read(spec: Mapping[str, Any], faults: list[Fault]) -> MinAndMax:
    """Return the bounds in ``spec``."""
    whole = _pair(spec, "spec", faults, amounts.MOST)
    reserved = [
        Fault(f"spec.{side}.{key}", "is the key of a pool", "Name the pool in spec.pools")
        for side, bound in zip(_SIDES, whole, strict=True)
        for key in sorted(filter(pool_keys.is_reserved, bound))
    ]
    faults += reserved
    if spec.get(FIELD) is None and not reserved:
        return whole  # the usual case
    low, high = model.outside(whole.min), model.outside(whole.max)
    known: set[str] = set()
    what, written = "a pool of a quota", spec.get(FIELD)
    for name, where, entry in pools.entries(written, f"spec.{FIELD}", what, _FIELDS, faults):
        if name in known:
            faults.append(
                Fault(f"{where}.name", f"'{name}' is there already", "Name each pool once")
            )
            continue
        known.add(name)
        inside = _pair(entry, where, faults, MOST_RESOURCES)
        for side, bound, into in (("min", inside.min, low), ("max", inside.max, high)):
            for resource, amount in bound.items():
                if pools.may_be_counted(resource):
                    into[pool_keys.key(name, resource)] = amount
                else:
                    faults.append(Fault(f"{where}.{side}.{resource}", pools.NOT_COUNTED))
    return MinAndMax(low, high)


def _pair(written: Mapping[str, Any], where: str, faults: list[Fault], most: int) -> MinAndMax:
    """Min and max at one place, and whether max allows min (EQ1002)."""
    texts = {
        side: fields.mapping(written.get(side), f"{where}.{side}", faults, most)
        for side in ("max", "min")
    }
    high = amounts.read_any(texts["max"], f"{where}.max", faults)
    low = amounts.read_any(texts["min"], f"{where}.min", faults)
    for resource, amount in sorted(low.items()) if texts["max"] else ():
        limit = high.get(resource)
        if resource not in texts["max"]:
            faults.append(
                Fault(
                    f"{where}.min.{resource}",
                    f"must also be named in {where}.max",
                    "Add it there, or leave max out for no limit",
                    "EQ1002",
                )
            )
        elif limit is not None and amount > limit:  # an unreadable one has a fault of its own
            faults.append(
                Fault(
                    f"{where}.min.{resource}",
                    f"{texts['min'][resource]} must be less than or equal to "
                    f"{texts['max'][resource]}, the max of the same resource",
                    "Lower min, or raise max",
                    "EQ1002",
                )
            )
    return MinAndMax(low, high)


def document(low: Resources, high: Resources, stored: object = None) -> Any:
    """Return ``spec.pools`` that says these bounds; empty: it must be absent.

    As it stands in a ``stored`` spec where it says them already: a patch replaces the list as a
    whole, and ``1`` and ``1000m`` are equal.
    """
    wanted = _document(low, high)
    before = stored.get(FIELD) if isinstance(stored, Mapping) else None
    faults: list[Fault] = []
    same = bool(before) and read({FIELD: before}, faults) == read({FIELD: wanted}, faults)
    return before if same and not faults else wanted


def _document(low: Resources, high: Resources) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for side, bound in zip(_SIDES, (low, high), strict=True):
        for key, amount in sorted(bound.items()):
            if (inside := pool_keys.split(key)) is not None:
                entry = found.setdefault(inside.pool, {"name": inside.pool})
                entry.setdefault(side, {})[inside.resource] = quantity.text(key, amount)
    return [found[name] for name in sorted(found)]
