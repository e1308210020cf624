"""Resource maps as people write them -> accounting units, with a sentence for every bad entry.

A bad entry is left out of the result and named in the faults; the good entries still count.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from elasticquota import names, quantity
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields


Written = dict[str, str | int | float]
Unit = Callable[[str, quantity.Written], int]
"""Reads the amount of a resource."""
MOST: Final = 64
"""Resources that one list of a quota may name, as in the schema.

No bound for pods: what is not counted would be free.
"""

_SCALARS: Final = frozenset({str, int, float})  # compared exactly, for a bool is an int
_MOST_NAMES: Final = 4096


def readable(
    items: Iterable[tuple[str, object]], unit: Unit, where: str, faults: list[str]
) -> dict[str, int]:
    """Amounts that ``unit`` can read and that are not negative; the others are named in faults."""
    amounts: dict[str, int] = {}
    for resource, value in items:
        try:
            amounts[resource] = _counted(resource, value, unit)
        except quantity.QuantityError as error:
            faults.append(f"{path(where, resource)}: {error}")
    return amounts


def plain(found: Resources) -> dict[str, str]:
    """In plain digits: a binary suffix would cap what is larger than the API server's numbers."""
    return {
        key: f"{amount}m" if key == names.CPU else str(amount)
        for key, amount in sorted(found.items())
    }


def read_field(
    written: object, where: str, faults: list[str], unit: Unit = quantity.amount
) -> Resources:
    """The resource map in a field that may hold anything; ``where`` is its path."""
    return read_any(fields.mapping(written, where, faults, MOST), where, faults, unit)


def read_any(
    written: Mapping[str, Any], where: str, faults: list[str], unit: Unit = quantity.amount
) -> dict[str, int]:
    """Amounts of a map of which nobody guarantees what its keys and values are."""
    named = []
    for resource, value in sorted(written.items()):
        if fields.is_name(resource):
            named.append((resource, value))
        else:
            faults.append(f"{where}: {fields.shown(resource)} is not the name of a resource")
    return readable(named, unit, where, faults)


def read_one(resource: str, value: object, where: str, faults: list[str]) -> int | None:
    """One amount, which stands at ``where``; None when it cannot be read."""
    try:
        return _counted(resource, value, quantity.amount)
    except quantity.QuantityError as error:
        faults.append(f"{where}: {error}")
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
    text: str, where: str, faults: list[str], most: int | None = None
) -> Resources | None:
    """A resource map kept as JSON in an annotation; None when absent or no such map."""
    if not text:
        return None
    written = fields.decoded(text, where, faults, 'map like {"cpu": "4"}', dict)
    if written is None:
        return None
    return read_any(fields.mapping(written, where, faults, most), where, faults)


def read_names(text: str, where: str, faults: list[str], also: str = "") -> tuple[str, ...] | None:
    """A JSON list of names (or ``also``) in an annotation; None when absent or no such list."""
    if not text:
        return None
    written = fields.decoded(text, where, faults, 'list like ["a", "b"]', list)
    if written is None:
        return None
    found = []
    for index, name in enumerate(fields.sequence(written, where, faults, _MOST_NAMES)):
        if fields.is_name(name) or (also and name == also):
            found.append(name)
        else:
            faults.append(f"{where}[{index}]: must be a name, got {fields.shown(name)}")
    return tuple(found)


def path(where: str, resource: str) -> str:
    """Of an entry; the names in a pod's status are checked by nobody."""
    return (
        f"{where}.{resource}" if fields.is_name(resource) else f"{where}[{fields.shown(resource)}]"
    )
