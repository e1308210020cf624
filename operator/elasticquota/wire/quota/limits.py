"""Limits of users, groups and applications <-> ``spec.limits`` of a quota.

``{applications: 9, people: [{users: [ann], max: {cpu: "4"}, applications: 2}]}``
"""

from typing import Any, Final, TypeGuard

from elasticquota import resources
from elasticquota.model.fault import Fault
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.wire.codec import amounts, fields


MOST: Final = 256
"""Limits that one quota may have."""
MOST_NAMES: Final = 4096
"""Users, or groups, that one limit may have."""
MOST_APPLICATIONS: Final = 2**63
LONGEST: Final = 256
"""Characters in the name of a user or a group."""
_ALL: Final = ("applications", "people")
_ONE: Final = ("users", "groups", "max", "applications")


def read(written: object, where: str, faults: list[Fault]) -> QuotaLimits:
    """Return the limits; ``faults`` names each unreadable part, which is left out."""
    found = fields.record(written, where, "limits", _ALL, faults)
    at = f"{where}.people"
    listed = fields.sequence(found.get("people"), at, faults, MOST)
    return QuotaLimits(
        count(found.get("applications"), f"{where}.applications", faults),
        tuple(_one(each, f"{at}[{index}]", faults) for index, each in enumerate(listed)),
    )


def document(limits: QuotaLimits) -> dict[str, Any]:
    """Return the field from which ``read`` makes ``limits``."""
    all_fields = {
        "applications": limits.applications,
        "people": [
            _said(
                {
                    "users": [*each.users],
                    "groups": [*each.groups],
                    "max": resources.text(each.max),
                    "applications": each.applications,
                }
            )
            for each in limits.each
        ],
    }
    return _said(all_fields)


def count(value: object, where: str, faults: list[Fault]) -> int:
    """Return a number of applications; 0 if absent or unreadable."""
    if value is None:
        return 0
    if fields.is_count(value, MOST_APPLICATIONS - 1):
        return value
    faults.append(fields.mismatch(where, "a whole number from 0", value))
    return 0


def people(written: object, where: str, faults: list[Fault]) -> tuple[str, ...]:
    """Return the names of users or groups; ``*`` stands for all."""
    return fields.listed(written, where, MOST_NAMES, _is_person, "a name or *", faults)


def _is_person(name: object) -> TypeGuard[str]:
    return fields.is_text(name, LONGEST)


def _one(written: object, where: str, faults: list[Fault]) -> Limit:
    found = fields.record(written, where, "a limit", _ONE, faults)
    users = people(found.get("users"), f"{where}.users", faults)
    groups = people(found.get("groups"), f"{where}.groups", faults)
    if not (users or groups):
        faults.append(Fault(where, "must name users or groups"))
    return Limit(
        users,
        groups,
        amounts.read_field(found.get("max"), f"{where}.max", faults),
        count(found.get("applications"), f"{where}.applications", faults),
    )


def _said(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if value}
