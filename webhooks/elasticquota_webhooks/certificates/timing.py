"""How long certificates are valid, and how long each change of trust waits."""

from datetime import timedelta
from typing import Final

from elasticquota.structs import Struct


class Timing(Struct, frozen=True):
    """Validity times and waits; waits in seconds."""

    authority_life: timedelta = timedelta(days=365)
    leaf_life: timedelta = timedelta(days=7)
    skew: timedelta = timedelta(hours=1)
    """How much earlier certificates begin, because the clocks of API servers differ."""
    margin: float = 10.0
    """How long a bundle stands before we rely on it, because API servers learn of it by a watch."""
    linger: float = 600.0
    """How long trust that we do not need stays, because another replica may still need it. A
    kubelet takes up to two minutes to update a changed Secret for all replicas."""
    pause: float = 15.0
    """Between two checks."""
    pause_when_unsettled: float = 2.0
    """Between two checks while something is missing or waits for the margin."""


NORMAL: Final = Timing()
