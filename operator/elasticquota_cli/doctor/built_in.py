"""Reports built-in quotas without an object, and an operator that only watches Koordinator.

The controller creates the three objects as soon as it leads. So a missing one says that it does
not, or that the API server refuses it.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import wording
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding


def look(inventory: Inventory) -> Iterator[Finding]:
    """At most one finding; none where the configuration or the namespace is not known."""
    at = inventory.at
    if not at.known or not at.home:
        return
    if at.chosen.beside_koordinator:
        yield Finding(
            "info",
            "Configuration",
            "besideKoordinator is true: every tree observes, and Koordinator decides",
            "docs/how-to/from-koordinator.md says how to switch",
            (),
        )
        return
    there = {quota.name for quota in inventory.quotas if quota.key.namespace == at.home}
    missing = sorted(names.RESERVED_QUOTAS - there)
    if missing:
        yield Finding(
            "warning",
            "Built-in quotas",
            f"{wording.some(missing)} missing in namespace {at.home}: what the default tree, pods "
            "without a quota and the system use is not visible",
            "check that the controller leads, and read its log",
            (at.home,),
        )
