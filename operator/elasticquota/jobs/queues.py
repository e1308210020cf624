"""A ``Queue`` shows the queue of one leaf that follows an ACK tree, under the leaf's name (Q9).

It is created for the leaf and deleted with it (Q10). Its users choose its policy (Q16): ``FIFO`` by
age alone, ``Priority`` by priority and then age, ``Block`` like ``Priority``, but no workload
overtakes one that does not fit; ``Intelligent`` counts as ``Priority``. Between queues the fair
order of quotas applies; the priority of a queue comes before it where a switch says so (Q22).

With another switch, every other leaf quota has a queue too. Its policy ``Block`` applies without
being written on the quota, because such a quota belongs to its users.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.queue_order import QueueOrder
from elasticquota.structs import Struct
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.integrations.job_queues import JobPosition, JobQueue


HOME: Final = "kube-queue"
"""The namespace of queues."""

MOST: Final = 100
"""Most places that the status of a queue lists."""


class Steps(Struct, frozen=True):
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


def in_order(
    queues: Iterable[JobQueue], class_value: Callable[[str], int], *, by_priority: bool
) -> QueueOrder:
    """What the queues say about the order; ``class_value`` is the value of a PriorityClass."""
    stored = list(queues)
    priorities: dict[str, int] = {}
    for queue in stored if by_priority else ():
        if queue.key.namespace == HOME:
            own = queue.priority
            value = class_value(queue.priority_class) if own is None else own
            if value:
                priorities[queue.key.name] = value
    return QueueOrder(priorities, blocking(stored))


def status(leaf: str, places: Iterable[JobPosition]) -> dict[str, Any]:
    """The status of a queue: the first ``MOST`` places, in order."""
    return job_queues.status(leaf, sorted(places, key=lambda place: place.position)[:MOST])
