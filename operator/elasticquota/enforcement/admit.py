"""Admit: waiting pods that fit below every runtime on their path are released, fairest first.

Between quotas the lowest dominant admitted/runtime goes first; inside a quota priority, then age,
then uid. What does not fit is passed over and told why (queueing BestEffort). Non-preemptible pods
also need to fit min, because they can never be asked back. Pods with another controller's gate are
left until that gate is gone. Not here yet: groups, Strict queueing, head-of-line protection.
"""

import heapq
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from elasticquota import names, resources
from elasticquota.enforcement import wording
from elasticquota.enforcement.room import Room
from elasticquota.ledger.books import Books, TreeBooks
from elasticquota.model.decision import Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Admission:
    """One tree's round; ``blocked`` are waiting pods that only lack room, in queue order."""

    releases: tuple[Release, ...] = ()
    waits: tuple[Wait, ...] = ()
    blocked: tuple[tuple[str, Pod], ...] = ()


@dataclass(slots=True)
class _Round:
    releases: list[Release] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    blocked: list[tuple[str, Pod]] = field(default_factory=list)


def admit(books: Books, tree: TreeBooks, room: Room, terminating: AbstractSet[str]) -> Admission:
    """Releases and waits of one tree; ``room`` is booked. ``terminating`` names namespaces."""
    result = _Round()
    queues = {name: _queue(books, name, terminating) for name in tree.tree.order}
    firm = {name: dict(books.account(name).non_preemptible) for name in tree.tree.order}
    places = {name: 0 for name, queue in queues.items() if queue and books.forest.accepted(name)}
    heap = [(room.dominant_share(name), name) for name in places]
    heapq.heapify(heap)
    while heap:
        _, name = heapq.heappop(heap)
        queue, place = queues[name], places[name]
        _serve(books, tree, room, name, queue, place, firm[name], result)
        places[name] = place + 1
        if place + 1 < len(queue):
            heapq.heappush(heap, (room.dominant_share(name), name))
    result.waits.extend(_misfits(books, tree))
    return Admission(tuple(result.releases), tuple(result.waits), tuple(result.blocked))


def _serve(
    books: Books,
    tree: TreeBooks,
    room: Room,
    name: str,
    queue: tuple[Pod, ...],
    place: int,
    firm: dict[str, int],
    result: _Round,
) -> None:
    pod = queue[place]
    position = wording.Position(place + 1, len(queue))
    if not pod.preemptible:
        short = _beyond_min(pod, firm, books.forest.effective_min(name))
        if short:
            text = wording.non_preemptible(name, tree, pod, short, position)
            result.waits.append(Wait(pod.key, pod.uid, name, "QuotaExhausted", text))
            return
    shortage = room.shortage(name, pod.request)
    if shortage is not None:
        reason, text = wording.shortage(name, tree, pod, shortage, position)
        result.waits.append(Wait(pod.key, pod.uid, name, reason, text))
        result.blocked.append((name, pod))
        return
    room.take(name, pod.request)
    if not pod.preemptible:
        firm.update(resources.add(firm, pod.request))
    index = pod.gates.index(names.GATE)
    text = wording.admitted(name, tree, pod, room)
    result.releases.append(Release(pod.key, pod.uid, name, index, text))


def _queue(books: Books, name: str, terminating: AbstractSet[str]) -> tuple[Pod, ...]:
    return tuple(
        pod
        for pod in books.account(name).waiting
        if pod.gates == (names.GATE,) and not pod.deleting and pod.key.namespace not in terminating
    )


def _beyond_min(pod: Pod, firm: Mapping[str, int], quota_min: Resources) -> tuple[str, ...]:
    """Keys of min that non-preemptible pods would exceed; keys without min are not judged."""
    after = resources.add(firm, pod.request)
    return resources.exceeding(after, quota_min)


def turned_away(books: Books) -> tuple[Wait, ...]:
    """Waits of all pods whose quota is not accepted, attached to a tree or not."""
    waits: list[Wait] = []
    for name, account in sorted(books.accounts.items()):
        if books.forest.accepted(name):
            continue
        text = wording.not_accepted(name, books.forest.verdicts[books.forest.quotas[name].key])
        waits.extend(
            Wait(pod.key, pod.uid, name, "QuotaNotAccepted", text) for pod in account.waiting
        )
    return tuple(waits)


def _misfits(books: Books, tree: TreeBooks) -> list[Wait]:
    return [
        Wait(pod.key, pod.uid, name, misfit.reason, wording.misfit(name, tree, misfit))
        for name in tree.tree.order
        for pod, misfit in books.account(name).misfits
    ]
