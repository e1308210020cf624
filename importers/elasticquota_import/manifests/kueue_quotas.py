"""Kueue's ResourceGroups, as ClusterQueues and Cohorts have them -> amounts for each flavor.

``nominalQuota``, ``borrowingLimit`` and ``lendingLimit`` are written for each resource of each
flavor (kueue.x-k8s.io, from v1alpha1 to v1).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct
from elasticquota.wire.codec import amounts, fields


_MOST_GROUPS: Final = 16
_MOST: Final = 64
_LONGEST: Final = 253
_SIDES: Final = ("nominalQuota", "borrowingLimit", "lendingLimit")


class FlavorQuota(Struct, frozen=True):
    """What one flavor of a group provides; amounts in accounting units."""

    where: str
    name: str
    nominal: Resources
    """Has every resource of the flavor; what cannot be read counts as 0."""
    borrowing: Resources
    """Only resources with a limit."""
    lending: Resources
    """Only resources with a limit."""


Groups = tuple[tuple[FlavorQuota, ...], ...]


def read(written: object, where: str, faults: list[Fault]) -> Groups:
    """Return the flavors of each group that has any."""
    groups = []
    for index, group in enumerate(fields.sequence(written, where, faults, _MOST_GROUPS)):
        at = f"{where}[{index}]"
        content = fields.mapping(group, at, faults)
        flavors = fields.sequence(content.get("flavors"), f"{at}.flavors", faults, _MOST)
        # A resource that is covered and has no quota in a flavor is not provided by it.
        listed = content.get("coveredResources")
        covered = fields.sequence(listed, f"{at}.coveredResources", faults, _MOST)
        groups.append(
            tuple(
                _flavor(flavor, f"{at}.flavors[{place}]", covered, faults)
                for place, flavor in enumerate(flavors)
            )
        )
    return tuple(group for group in groups if group)


def _flavor(
    written: object, where: str, covered: Iterable[object], faults: list[Fault]
) -> FlavorQuota:
    content = fields.mapping(written, where, faults)
    nominal = {name: 0 for name in covered if fields.is_name(name)}
    limits: dict[str, dict[str, int]] = {side: {} for side in _SIDES}
    listed = fields.sequence(content.get("resources"), f"{where}.resources", faults, _MOST)
    for index, entry in enumerate(listed):
        at = f"{where}.resources[{index}]"
        quota = fields.mapping(entry, at, faults)
        name = quota.get("name")
        if not fields.is_name(name):
            if isinstance(entry, dict):
                faults.append(
                    Fault(f"{at}.name", f"must name a resource, got {fields.shown(name)}")
                )
            continue
        nominal.setdefault(name, 0)
        for side in _SIDES:
            amount = _amount(quota, side, name, at, faults)
            if amount is not None:
                limits[side][name] = amount
    name = content.get("name")
    return FlavorQuota(
        where,
        name if fields.is_text(name, _LONGEST) else "",
        nominal | limits["nominalQuota"],
        limits["borrowingLimit"],
        limits["lendingLimit"],
    )


def _amount(
    quota: Mapping[str, Any], side: str, resource: str, where: str, faults: list[Fault]
) -> int | None:
    value = quota.get(side)
    if value is None:
        if side == "nominalQuota":
            faults.append(Fault(f"{where}.{side}", "must be given"))
        return None
    return amounts.read_one(resource, value, f"{where}.{side}", faults)
