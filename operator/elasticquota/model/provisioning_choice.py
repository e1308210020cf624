"""How a profile wants nodes to be asked for, where it differs from the configuration."""

from elasticquota.structs import Struct


class ProvisioningChoice(Struct, frozen=True):
    """What a profile chooses; None: as configured."""

    class_name: str | None = None
    """The provisioning class; empty: no autoscaler is asked for this tree."""
    timeout: int | None = None
    """Milliseconds for which a workload holds its room."""
