"""Reports when no controller leads and renews its Lease: then no pod is admitted or gets a reason.

The age of the Lease is measured by the clock of this machine, which may differ from the holder's;
therefore the message names it.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota.forest import wording
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.live.installed import COMPONENT_LABEL, OPERATOR, PART_LABEL, Lease


REMEDY: Final = (
    f"kubectl get pods -A -l {PART_LABEL}={OPERATOR},{COMPONENT_LABEL}=controller shows its pods; "
    "their logs say why none leads"
)


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each Lease that is not renewed, or for its absence."""
    if not inventory.leases:
        name = f"Lease {inventory.at.chosen.lease.name}"
        if inventory.at.known:
            text = f"there is none: no controller has ever led{_meanwhile(inventory)}"
            yield Finding("error", name, text, REMEDY, ())
        else:
            text = (
                "neither it nor a ConfigMap of the chart "
                f"({PART_LABEL}={OPERATOR}) is there{_meanwhile(inventory)}"
            )
            remedy = "install the chart, or name the controller's configuration with --config"
            yield Finding("error", name, text, remedy, ())
    for lease in inventory.leases:
        why = _wrong(lease, inventory.now)
        if why:
            text = f"{why}{_meanwhile(inventory)}"
            yield Finding("error", f"Lease {lease.metadata.key}", text, REMEDY, ())


def _wrong(lease: Lease, now: int) -> str:
    holder, duration = lease.spec.holder_identity, lease.spec.lease_duration_seconds or 0
    if not holder:
        return "its last holder released it: no controller leads"
    if lease.renewed is None:
        return f"{holder} holds it and has never renewed it"
    silent = (now - lease.renewed) // 1000
    if silent <= duration:
        return ""
    return (
        f"{holder} renewed it {silent} s ago by the clock here, and it is good for {duration} s: "
        "no controller leads"
    )


def _meanwhile(inventory: Inventory) -> str:
    waiting = sum(pod.gated for pod in inventory.pods)
    return f"; {wording.counted(waiting, 'pod')} at the gate" if waiting else ""
