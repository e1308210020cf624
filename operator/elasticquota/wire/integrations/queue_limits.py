"""Read ``limits`` of YuniKorn's queues and partitions, and amounts in its units (Y6, Y9)."""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names, quantity
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.quota import limits


VCORE: Final = "vcore"
_FIELDS: Final = frozenset({"limit", "users", "groups", "maxresources", "maxapplications"})


class QueueLimit(Struct, frozen=True):
    """The limit of each of the users and each of the groups."""

    where: str
    """Its field path."""
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    max: Resources | None = None
    """None if not given."""
    most_applications: int | None = None
    others: tuple[str, ...] = ()
    """Paths of fields that have no effect in YuniKorn."""


def read(written: object, where: str, faults: list[Fault]) -> tuple[QueueLimit, ...]:
    """Return the limits at ``where``; ``faults`` names each unreadable part, which is left out."""
    listed = fields.sequence(written, where, faults, limits.MOST)
    return tuple(_one(each, f"{where}[{index}]", faults) for index, each in enumerate(listed))


def amounts_of(listed: Mapping[str, Any], where: str, faults: list[Fault]) -> dict[str, int]:
    """Return the amounts in accounting units; YuniKorn's ``vcore`` becomes cpu."""
    read_ = amounts.read_any(listed, where, faults, _unit)
    return {names.CPU if key == VCORE else key: each for key, each in read_.items()}


def called(resource: str) -> str:
    """Return YuniKorn's name of a resource: cpu is ``vcore``."""
    return VCORE if resource == names.CPU else resource


def _one(written: object, where: str, faults: list[Fault]) -> QueueLimit:
    found = fields.mapping(written, where, faults)
    fields.no_others(found, _FIELDS, where, "a limit", faults)
    most, count = found.get("maxresources"), found.get("maxapplications")
    at = f"{where}.maxresources"
    listed = dict(fields.mapping(most, at, faults, amounts.MOST))
    has_cpu = listed.pop(names.CPU, None) is not None
    return QueueLimit(
        where,
        limits.people(found.get("users"), f"{where}.users", faults),
        limits.people(found.get("groups"), f"{where}.groups", faults),
        None if most is None else amounts_of(listed, at, faults),
        None if count is None else limits.count(count, f"{where}.maxapplications", faults),
        (f"{at}.{names.CPU}",) if has_cpu else (),
    )


def _unit(resource: str, value: quantity.Written) -> int:
    return quantity.amount(names.CPU if resource == VCORE else resource, value)
