"""The queue of a quota: the pods that may be admitted, a group as one, by priority, age and uid.

A group is in the queue as one pod that requests the sum of all its pods, with the lowest priority
of them, and not preemptible if one of them is not: a decision on it is a decision on all. Not in
the queue are pods with gates of other controllers, because our gate is removed last; groups with
such a pod; and pods beyond the size of a group that has not started.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from elasticquota import names, resources
from elasticquota.ledger import usage
from elasticquota.ledger.books import Books
from elasticquota.model.constraints import Constraints
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.scheduling.snapshot.user_limits import UserLimits
from elasticquota.scheduling.status import messages


@dataclass(frozen=True, slots=True)
class Queue:
    """The pods in order; ``members`` maps the uid of a pod that represents a group to its pods."""

    pods: Sequence[Pod]
    members: Mapping[str, Sequence[Pod]] = field(default_factory=dict)
    aside: Sequence[tuple[Pod, messages.Message]] = ()

    def behind(self, pod: Pod) -> Sequence[Pod]:
        """The pods of the group that ``pod`` represents, or ``pod`` itself."""
        return self.members.get(pod.uid, (pod,))


def firsts(pods: Iterable[tuple[str, Pod]], user_limits: UserLimits) -> Iterator[tuple[str, Pod]]:
    """Of pods with their quotas, the first of every quota and size, and of all limits."""
    seen: set[tuple[str, Size, Constraints, Hashable]] = set()
    for name, pod in pods:
        alike = (name, pod.size, pod.constraints, user_limits.kin(name, pod))
        if alike not in seen:
            seen.add(alike)
            yield name, pod


def of(books: Books, name: str, terminating: AbstractSet[str]) -> Queue:
    """The queue of quota ``name``; ``terminating`` names namespaces."""
    pods: list[Pod] = []
    aside: list[tuple[Pod, messages.Message]] = []
    groups: dict[Key, tuple[tuple[Pod, ...], list[Pod]]] = {}
    for pod in books.account(name).waiting:
        if pod.deleting or pod.key.namespace in terminating:
            continue
        gang = books.gang(pod)
        if len(gang) > 1:
            groups.setdefault(gang[0].key, (gang, []))[1].append(pod)
        elif _held_by_others(pod):
            aside.append((pod, messages.other_gates(pod)))
        else:
            pods.append(pod)
    if not groups:
        return Queue(pods, aside=aside)
    members: dict[str, Sequence[Pod]] = {}
    for gang, there in groups.values():
        held = next((pod for pod in gang if _held_by_others(pod)), None)
        if held is None:
            whole = _as_one(gang)
            members[whole.uid] = gang
            pods.append(whole)
        starting = {pod.uid for pod in gang}
        aside.extend(_aside(there, starting, held, len(gang)))
    pods.sort(key=usage.queue_order)
    return Queue(pods, members, aside)


def _aside(
    pods: Sequence[Pod], starting: Collection[str], held: Pod | None, size: int
) -> Iterator[tuple[Pod, messages.Message]]:
    """The pods of one group that are not in the queue, with the reason."""
    for pod in pods:
        if _held_by_others(pod):
            yield pod, messages.other_gates(pod)
        elif held is not None:
            yield pod, messages.mate_held(held)
        elif pod.uid not in starting:
            yield pod, messages.beyond_group(pod, size)


def _held_by_others(pod: Pod) -> bool:
    return pod.gates != (names.GATE,)


def _as_one(gang: Sequence[Pod]) -> Pod:
    first = gang[0]
    group = first.group.name if first.group else ""
    return replace(
        first,
        uid=f"{first.key.namespace}/{group}",
        request=resources.add(*(pod.request for pod in gang)),
        priority=min(pod.priority for pod in gang),
        preemptible=all(pod.preemptible for pod in gang),
        may_preempt=all(pod.may_preempt for pod in gang),
    )
