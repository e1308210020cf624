"""A reservation: what a job asks for as a whole, held for it by a pod that is none, its stand-in.

The stand-in waits in the line of its quota like a pod, and is let in and taken back like one. The
job's pods draw on what it holds (``ledger.job_reservations``).
"""

from dataclasses import dataclass

from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Reservation:
    """What makes a pod a stand-in."""

    job: str
    """What people call it: ``RayJob team-a/train``."""
    parts: tuple[Resources, ...] = ()
    """What one of its pods asks for, each different size once: each needs a node."""
    whole: bool = True
    """Taken back as a whole, by suspending it; else pod by pod."""
