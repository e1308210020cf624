"""Admit: waiting pods that fit below every runtime on their path are released, fairest first.

Between quotas the lowest dominant admitted/runtime goes first; inside a quota priority, then age,
then uid. What does not fit is passed over and told why (queueing BestEffort). Non-preemptible pods
also need to fit min, because they can never be asked back. Pods with another controller's gate are
left until that gate is gone. Not here yet: groups, Strict queueing, head-of-line protection.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from elasticquota import names, resources
from elasticquota.enforcement import wording
from elasticquota.enforcement.room import Room
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Admission:
    """One tree's round; ``blocked`` are waiting pods that only lack room, in queue order."""

    releases: tuple[Release, ...] = ()
    waits: tuple[Wait, ...] = ()
    blocked: tuple[tuple[str, Pod], ...] = ()


def admit(books: Books, tree: TreeBooks, room: Room, terminating: AbstractSet[str]) -> Admission:
    """Releases and waits of one tree; ``room`` is booked. ``terminating`` names namespaces."""
    lines = {
        name: _Line(books, tree, room, name, _queue(books, name, terminating))
        for name in tree.tree.order
        if name in books.accounts and books.forest.accepted(name)
    }
    heap = [(_turn(room, name), name) for name, line in lines.items() if line.queue]
    heapq.heapify(heap)
    releases: list[Release] = []
    blocked: list[tuple[str, Pod]] = []
    while heap:
        _, name = heapq.heappop(heap)
        line = lines[name]
        pod = line.next()
        obstacle = line.obstacle(pod)
        if obstacle is None:
            releases.append(line.release(pod))
        else:
            line.hold(pod, obstacle.said)
            if obstacle.lacks_room:
                blocked.append((name, pod))
        if line.queue:
            heapq.heappush(heap, (_turn(room, name), name))
    waits = [wait for line in lines.values() for wait in line.waits()]
    waits.extend(_misfits(books, tree))
    return Admission(tuple(releases), tuple(waits), tuple(blocked))


def _turn(room: Room, name: str) -> int:
    """The dominant share in so small parts that two different ones hardly ever count as equal."""
    share = room.dominant_share(name)
    return (share.numerator << 256) // share.denominator


@dataclass(frozen=True, slots=True)
class _Obstacle:
    said: wording.Said
    lacks_room: bool
    """Others' giving back could help."""


class _Line:
    """The waiting pods of one quota in this round: those still to be served, and those held."""

    def __init__(
        self, books: Books, tree: TreeBooks, room: Room, name: str, queue: Iterable[Pod]
    ) -> None:
        self.queue = deque(queue)
        self._tree = tree
        self._room = room
        self._name = name
        self._min = books.forest.effective_min(name)
        self._non_preemptible: Resources = books.account(name).non_preemptible
        self._held: list[tuple[Pod, wording.Said]] = []

    def next(self) -> Pod:
        return self.queue.popleft()

    def obstacle(self, pod: Pod) -> _Obstacle | None:
        """Why ``pod`` cannot be released now, or None. Keys without min are not judged by min."""
        if not pod.preemptible:
            after = resources.add(self._non_preemptible, pod.request)
            beyond = resources.exceeding(after, self._min)
            if beyond:
                return _Obstacle(wording.non_preemptible(pod, beyond), lacks_room=False)
        shortage = self._room.shortage(self._name, pod.request)
        if shortage is not None:
            return _Obstacle(wording.shortage(pod, shortage), lacks_room=True)
        return None

    def release(self, pod: Pod) -> Release:
        """Book the pod as admitted."""
        self._room.take(self._name, pod.request)
        if not pod.preemptible:
            self._non_preemptible = resources.add(self._non_preemptible, pod.request)
        text = wording.admitted(self._name, self._tree, pod, self._room)
        return Release(pod.key, pod.uid, self._name, pod.gates.index(names.GATE), text)

    def hold(self, pod: Pod, said: wording.Said) -> None:
        self._held.append((pod, said))

    def waits(self) -> Iterable[Wait]:
        """What the held pods are told, with their places among those that stay."""
        for place, (pod, said) in enumerate(self._held, start=1):
            position = wording.Position(place, len(self._held))
            text = wording.waits(self._name, self._tree, said, position)
            yield Wait(pod.key, pod.uid, self._name, said.reason, text, place)


def _queue(books: Books, name: str, terminating: AbstractSet[str]) -> tuple[Pod, ...]:
    return tuple(
        pod
        for pod in books.account(name).waiting
        if pod.gates == (names.GATE,) and not pod.deleting and pod.key.namespace not in terminating
    )


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
        if name in books.accounts
        for pod, misfit in books.accounts[name].misfits
    ]
