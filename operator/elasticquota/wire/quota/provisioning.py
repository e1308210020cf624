"""``provisioning`` of a profile: how nodes of its tree are asked for.

``{className: check-capacity.autoscaling.x-k8s.io, timeout: 10m}``. What it leaves out is as
configured. One fault makes the whole value unusable, and the configuration counts.
"""

import re
from typing import Final

from elasticquota.model.fault import Fault
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.wire.codec import durations, fields


_KEYS: Final = ("className", "timeout")
_SHORTEST: Final = 1_000
"""Milliseconds."""
_NAMED: Final = "be the name of a provisioning class, or empty to ask for no nodes"
_NAME: Final = re.compile(
    r"(?=.{0,253}\Z)([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?", re.ASCII
)


def read(value: object, where: str, faults: list[Fault]) -> ProvisioningChoice | None:
    """Return the choice in a field; None if it is absent or has any fault."""
    if value is None:
        return None
    before = len(faults)
    written = fields.record(value, where, "provisioning", _KEYS, faults)
    class_name = written.get("className")
    if class_name is not None:
        fields.matching(class_name, _NAME, f"{where}.className", _NAMED, faults)
    timeout = durations.read_field(
        written.get("timeout"), f"{where}.timeout", faults, shortest=_SHORTEST, example="10m"
    )
    return ProvisioningChoice(class_name, timeout) if len(faults) == before else None
