"""A ``Queue`` stands for the line of one leaf that follows a tree of ACK, and bears its name (Q9).

It is made for the leaf and goes with it (Q10). How it is worked off is its users' to say (Q16):
``FIFO`` by age alone, ``Priority`` by priority and then age, ``Block`` likewise and nobody passes
one that does not fit; ``Intelligent`` counts as ``Priority``. Between queues the fair order of
quotas holds, so the priority of a queue has no effect.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.integrations.job_queues import JobQueue, Place


HOME: Final = "kube-queue"
"""The namespace of queues."""

MOST: Final = 100
"""Places that the status of a queue lists."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What brings queues into step with leaves, by name."""

    make: tuple[str, ...] = ()
    remove: tuple[JobQueue, ...] = ()


def steps(leaves: Iterable[str], queues: Mapping[Key, JobQueue], ours: Iterable[Key]) -> Steps:
    """``queues`` are all that there are; of these ``ours`` were made for leaves."""
    wanted = {Key(HOME, name) for name in leaves}
    return Steps(
        tuple(sorted(key.name for key in wanted - queues.keys())),
        tuple(queues[key] for key in sorted(set(ours) - wanted)),
    )


def manifest(leaf: str, source: str) -> dict[str, Any]:
    """The queue to make; ``source`` names the leaf in its tree."""
    return job_queues.manifest(Key(HOME, leaf), job_queues.USUAL, {names.SOURCE: source})


def by_age(queue: JobQueue | None) -> bool:
    """Whether priorities play no part in it."""
    return queue is not None and queue.policy == "FIFO"


def blocking(queues: Iterable[JobQueue]) -> frozenset[str]:
    """Names of the quotas in whose lines nobody passes."""
    return frozenset(
        queue.key.name
        for queue in queues
        if queue.key.namespace == HOME and queue.policy == "Block"
    )


def status(leaf: str, places: Iterable[Place]) -> dict[str, Any]:
    """Who stands where, the first of them."""
    return job_queues.status(leaf, sorted(places, key=lambda place: place.position)[:MOST])
