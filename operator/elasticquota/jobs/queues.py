"""A ``Queue`` shows the queue of one leaf that follows an ACK tree, under the leaf's name (Q9).

It is created for the leaf and deleted with it (Q10). Its users choose its policy (Q16): ``FIFO`` by
age alone, ``Priority`` by priority and then age, ``Block`` like ``Priority``, but no workload
overtakes one that does not fit; ``Intelligent`` counts as ``Priority``. Between queues the fair
order of quotas applies, so the priority of a queue has no effect.
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
"""Most places that the status of a queue lists."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Changes that bring the queues in line with the leaves; ``make`` holds names of queues."""

    make: tuple[str, ...] = ()
    remove: tuple[JobQueue, ...] = ()


def steps(leaves: Iterable[str], queues: Mapping[Key, JobQueue], ours: Iterable[Key]) -> Steps:
    """The steps for ``leaves``; ``queues`` are all queues, ``ours`` those made for leaves."""
    wanted = {Key(HOME, name) for name in leaves}
    return Steps(
        tuple(sorted(key.name for key in wanted - queues.keys())),
        tuple(queues[key] for key in sorted(set(ours) - wanted)),
    )


def manifest(leaf: str, source: str) -> dict[str, Any]:
    """The queue to create; ``source`` names the leaf in its tree."""
    return job_queues.manifest(Key(HOME, leaf), job_queues.USUAL, {names.SOURCE: source})


def by_age(queue: JobQueue | None) -> bool:
    """Whether the queue ignores priorities."""
    return queue is not None and queue.policy == "FIFO"


def blocking(queues: Iterable[JobQueue]) -> frozenset[str]:
    """Names of the quotas in whose queue no workload overtakes another."""
    return frozenset(
        queue.key.name
        for queue in queues
        if queue.key.namespace == HOME and queue.policy == "Block"
    )


def status(leaf: str, places: Iterable[Place]) -> dict[str, Any]:
    """The status of a queue: the first ``MOST`` places, in order."""
    return job_queues.status(leaf, sorted(places, key=lambda place: place.position)[:MOST])
