"""The words of ``spec.enforcement``, ``spec.queue`` and ``spec.reclaim`` (Y10, Y21).

The preemption policy and the delay of usage beyond max protect pods, so only administrators of
quotas may write them (EQ1108). An unknown value counts as missing, and gives a warning.
"""

from typing import Final, Literal

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.quota import NOT_EVER
from elasticquota.wire.codec import durations


QUEUE: Final = ("policy", "order", "applications")
RECLAIM: Final = ("grace", "overMaxDelay", "preemption")
"""Their fields."""

Enforcement = Literal["Enforce", "Observe"]
QueuePolicy = Literal["BestEffort", "Strict"]
QueueOrder = Literal["Priority", "Age"]
ApplicationOrder = Literal["Fifo", "Fair"]
Preemption = Literal["Default", "Fence", "Disabled"]


def over_max_delay(value: object, where: str, warnings: list[Fault]) -> int | None:
    """Return the delay of usage beyond max in milliseconds; ``NOT_EVER`` for never, else None."""
    if value == names.NEVER:
        return NOT_EVER
    return durations.read_field(value, where, warnings, shortest=0, example="15m")


def over_max_text(delay: int) -> str:
    """Return the field for a delay."""
    return names.NEVER if delay == NOT_EVER else durations.text(delay)
