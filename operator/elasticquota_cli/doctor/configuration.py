"""Reports a configuration that no process can start with, and one that pauses all reclaim."""

from collections.abc import Iterator

from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding


def look(inventory: Inventory) -> Iterator[Finding]:
    """At most one finding."""
    at = inventory.at
    if at.fault:
        yield Finding(
            "error",
            f"ConfigMap {at.map}",
            f"{at.fault}: processes that run keep the last good configuration, and none starts "
            "with this one",
            "correct it in the chart's values; elastic-quota config check FILE names all faults",
            (),
        )
    elif at.chosen.reclaim.paused:
        yield Finding(
            "warning",
            "Configuration",
            "reclaim.paused is true: no pod is evicted, so owners wait for what others borrow",
            "set config.reclaim.paused to false when the reason for it is gone",
            (),
        )
