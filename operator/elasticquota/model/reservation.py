"""A reservation: what a job asks for as a whole, held by a placeholder pod.

The placeholder is a ``Pod`` that exists only in the ledger. It waits in the queue of its quota, is
admitted and is evicted like a pod. The job's pods draw on what it holds
(``ledger.job_reservations``).
"""

from dataclasses import dataclass

from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reservation of one job; a pod with one is a placeholder."""

    job: str
    """The job in messages: ``RayJob team-a/train``."""
    parts: tuple[Resources, ...] = ()
    """The requests of its pods, each different one once; each needs a node with room for it."""
    whole: bool = True
    """True: the job is evicted as a whole, by suspending it. False: pod by pod."""
