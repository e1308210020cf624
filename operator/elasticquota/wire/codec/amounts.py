"""Resource maps as written -> accounting units, with one fault for each bad entry.

A bad entry is left out of the result and named in the faults; the other entries still count.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from elasticquota import names, pool_keys, quantity
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields


Written = dict[str, str | int | float]
Unit = Callable[[str, quantity.Written], int]
"""Reads the amount of a resource; raises `quantity.QuantityError`."""
MOST: Final = 64
"""Resources that one list of a quota may name, as in the schema.

Pods have no such limit: a resource that is not counted could be used freely.
"""

_SCALARS: Final = frozenset({str, int, float})  # compared by exact type, because a bool is an int
_MOST_NAMES: Final = 4096


def readable(
    items: Iterable[tuple[str, object]], unit: Unit, where: str, faults: list[Fault]
) -> dict[str, int]:
    """Return the amounts that ``unit`` can read and that are not negative; others become faults."""
    amounts: dict[str, int] = {}
    for resource, value in items:
        try:
            amounts[resource] = _counted(resource, value, unit)
        except quantity.QuantityError as error:
            faults.append(Fault(path(where, resource), str(error)))
    return amounts


def plain(found: Resources) -> dict[str, str]:
    """Return amounts as plain digits; with a binary suffix the API server caps very large ones."""
    return {
        key: f"{amount}m" if pool_keys.resource(key) == names.CPU else str(amount)
        for key, amount in sorted(found.items())
    }


def read_field(written: object, where: str, faults: list[Fault]) -> Resources:
    """Return the resource map of a field that may hold anything; ``where`` is its path."""
    return read_any(fields.mapping(written, where, faults, MOST), where, faults)


def stored(written: object) -> Resources:
    """Return a resource list of a status; unreadable amounts are left out and are no faults."""
    ignored: list[Fault] = []
    return read_any(fields.mapping(written, "", ignored), "", ignored)


def read_any(
    written: Mapping[str, Any], where: str, faults: list[Fault], unit: Unit = quantity.amount
) -> dict[str, int]:
    """Return the amounts of a map whose keys and values may be anything."""
    named = []
    for resource, value in sorted(written.items()):
        if fields.is_name(resource):
            named.append((resource, value))
        else:
            faults.append(Fault(where, f"{fields.shown(resource)} is not the name of a resource"))
    return readable(named, unit, where, faults)


def read_one(resource: str, value: object, where: str, faults: list[Fault]) -> int | None:
    """Return the amount at ``where``; None when it is unreadable."""
    try:
        return _counted(resource, value, quantity.amount)
    except quantity.QuantityError as error:
        faults.append(Fault(where, str(error)))
        return None


def _counted(resource: str, value: Any, unit: Unit) -> int:
    if type(value) not in _SCALARS:
        shown = fields.shown(value)
        raise quantity.QuantityError(f"must be a quantity like 500m or 2, got {shown}")
    amount = unit(resource, value)
    if amount < 0:
        raise quantity.QuantityError(f"must not be negative, got {value}")
    return amount


def read_json(
    text: str, where: str, faults: list[Fault], most: int | None = None
) -> Resources | None:
    """Return the resource map in the JSON of an annotation; None when absent or no such map."""
    if not text:
        return None
    written = fields.decoded(text, where, faults, 'map like {"cpu": "4"}', dict)
    if written is None:
        return None
    return read_any(fields.mapping(written, where, faults, most), where, faults)


def read_names(text: str, where: str, faults: list[Fault]) -> tuple[str, ...] | None:
    """Return the JSON list of names of an annotation; None if absent or no list."""
    if not text:
        return None
    written = fields.decoded(text, where, faults, 'list like ["a", "b"]', list)
    if written is None:
        return None
    return fields.listed(written, where, _MOST_NAMES, fields.is_name, "a name", faults)


def path(where: str, resource: str) -> str:
    """Return the path of an entry; in a pod's status the name of a resource may be any text."""
    return (
        f"{where}.{resource}" if fields.is_name(resource) else f"{where}[{fields.shown(resource)}]"
    )
