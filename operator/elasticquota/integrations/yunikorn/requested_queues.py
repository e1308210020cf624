"""Queues that pods ask for, where only a placement rule with ``create`` makes them (Y11, Y15).

Such a queue is made when the rules put a pod there and the pod carries the name of the queue's
quota. It stays as long as any pod carries that name, even if the rules change. So the queues follow
from the pods and the stored quotas. A label alone makes no queue: a user who writes one by hand
gets no queue that the rules would not have given.

Of queues that exclude each other, because one is above the other, the existing ones stay.
"""

from collections.abc import Callable, Iterable, Mapping

from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import origin as yunikorn_origin
from elasticquota.integrations.yunikorn.pod_queues import Placements, PodPlacement
from elasticquota.integrations.yunikorn.rules import Applicant
from elasticquota.structs import Struct
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace


Stored = Callable[[str], Path | None]


class PodQueueRequest(Struct, frozen=True):
    """The facts about a pod that may ask for a queue."""

    quota: str
    """The name of its quota, from its label."""
    namespace: str
    queue: str = ""
    """The queue that the pod names; empty: none."""
    user: str = ""
    """The user who created it; empty: not known."""
    groups: tuple[str, ...] = ()


def path_of(name: str, origin: str) -> Path | None:
    """The queue of a stored quota, if the quota's name shows that it was made for pods."""
    path = yunikorn_origin.path(origin)
    return path if path is not None and naming.own(path) == name else None


def wanted(
    placements: Placements,
    pods: Iterable[PodQueueRequest],
    spaces: Mapping[str, QueueNamespace],
    stored: Stored,
) -> frozenset[Path]:
    """The queues that pods ask for; ``stored`` gives the queue of an existing quota by name."""
    there: dict[str, Path | None] = {}
    new: set[Path] = set()
    for pod in pods:
        if pod.quota not in there:
            there[pod.quota] = stored(pod.quota)
        if there[pod.quota] is None:
            place = placements.place(_applicant(pod, spaces))
            if (
                isinstance(place, PodPlacement)
                and place.for_pods
                and naming.own(place.path) == pod.quota
            ):
                new.add(place.path)
    return together([*_sorted(path for path in there.values() if path), *_sorted(new)])


def together(paths: Iterable[Path]) -> frozenset[Path]:
    """The paths without those that are above or below an earlier one."""
    found: set[Path] = set()
    above: set[Path] = set()
    for path in paths:
        parents = {path[:depth] for depth in range(1, len(path))}
        if path not in above and parents.isdisjoint(found):
            found.add(path)
            above |= parents
    return frozenset(found)


def _applicant(pod: PodQueueRequest, spaces: Mapping[str, QueueNamespace]) -> Applicant:
    namespace = spaces.get(pod.namespace) or QueueNamespace(pod.namespace)
    return Applicant(namespace, pod.queue, pod.user, pod.groups)


def _sorted(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: (len(path), path))
