"""Reports policies and bindings of the release that are gone, or do less than they were made for.

The configuration lists what the release made, so what its values switch off is not missing.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota.wire.admission import admission_policies
from elasticquota.wire.admission.admission_policies import GONE, InstalledPolicy
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding


_WITHOUT: Final = {
    admission_policies.VALIDATING: "the API server does not check what its rule is about",
    admission_policies.MUTATING: "the API server does not hold new pods at the gate",
}
_MAKE: Final = "helm upgrade the release, which makes it again"
_MAKE_AGAIN: Final = "delete it and helm upgrade the release, which makes it again"


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each policy and each binding that is not in force as it was made."""
    for made in inventory.at.chosen.installed_policies():
        yield from _of(made, inventory)


def _of(made: InstalledPolicy, inventory: Inventory) -> Iterator[Finding]:
    found = admission_policies.judged(
        made,
        stored=(made.kind, made.name) in inventory.policies,
        binding=inventory.bindings.get((made.binding_kind, made.binding)),
    )
    for each in found:
        if each.fault:
            yield Finding(
                "error",
                f"{each.kind} {each.name}",
                f"{each.fault}: {_WITHOUT[made.kind]}",
                _MAKE if each.fault == GONE else _MAKE_AGAIN,
                (),
            )
