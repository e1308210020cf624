"""How long certificates live, and how patiently trust in them is changed."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class Timing:
    """Lives and waits; waits in seconds."""

    authority_life: timedelta = timedelta(days=365)
    leaf_life: timedelta = timedelta(days=7)
    skew: timedelta = timedelta(hours=1)
    """Certificates begin that much earlier: API servers of one cluster have a clock each."""
    margin: float = 10.0
    """How long a bundle stands before anybody relies on it: API servers learn of it by a watch."""
    linger: float = 600.0
    """How long trust that we do not need is left alone: another replica may still need it. A
    kubelet takes up to two minutes to show all replicas a changed Secret."""
    pause: float = 15.0
    """Between two rounds."""
    pause_when_unsettled: float = 2.0
    """Between two rounds while something is missing or waits for the margin."""


NORMAL: Final = Timing()
