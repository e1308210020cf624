"""Admit: waiting pods that fit below every runtime on their path are released, fairest first.

Between quotas a pod within min goes first, then the lowest dominant admitted/runtime, then age;
inside a quota priority, then age, then uid. What does not fit is passed over and told why (queueing
BestEffort), unless it will fit once all that is on its way out is gone: then its place is kept.
Non-preemptible pods also need to fit min, because they can never be asked back. Pods with another
controller's gate are left until that gate is gone. Not here yet: groups, Strict queueing,
head-of-line protection.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from elasticquota import names
from elasticquota.enforcement import wording
from elasticquota.enforcement.room import Room
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Selector


class Admission:
    """One tree's round. Mutable: ``serve`` once, then what is left may still be released."""

    def __init__(
        self, books: Books, tree: TreeBooks, room: Room, terminating: AbstractSet[str]
    ) -> None:
        """``terminating`` names namespaces. Releases are booked in ``room``."""
        self._books = books
        self._tree = tree
        self._room = room
        nodes = books.selector(tree.tree.id)
        self._lines = {
            name: _Line(tree, room, name, _queue(books, name, terminating), nodes)
            for name in tree.tree.order
            if name in books.accounts and books.forest.accepted(name)
        }
        self.releases: list[Release] = []
        self.blocked: list[tuple[str, Pod]] = []
        """Waiting pods that only lack room and for which none is on its way, in fair order."""
        self.first_blocked: list[tuple[str, Pod]] = []
        """Of these the first of every quota and size."""

    def serve(self) -> None:
        """Release what fits; keep the places of those that will fit."""
        heap = [self._turn(name) for name, line in self._lines.items() if line.queue]
        heapq.heapify(heap)
        while heap:
            *_, name = heapq.heappop(heap)
            line = self._lines[name]
            pod = line.queue.popleft()
            obstacle = line.obstacle(pod)
            if obstacle is None:
                self.releases.append(line.release(pod))
            elif line.hold(pod, obstacle):
                self.first_blocked.append((name, pod))
                self.blocked.append((name, pod))
            self.blocked.extend((name, like) for like in line.pass_over())
            if line.queue:
                heapq.heappush(heap, self._turn(name))

    def release(self, name: str, pod: Pod) -> None:
        """Release a blocked pod after all."""
        self.releases.append(self._lines[name].release(pod))

    def waits(self) -> list[Wait]:
        """What those are told that stay."""
        waits = [wait for line in self._lines.values() for wait in line.waits()]
        return [*waits, *_misfits(self._books, self._tree)]

    def _turn(self, name: str) -> tuple[bool, int, str, str]:
        """Equal shares: the pod that is longer there, so that two quotas take turns.

        Shares in so small parts that two different ones hardly ever count as equal.
        """
        pod = self._lines[name].queue[0]
        share = self._room.dominant_share(name)
        parts = (share.numerator << 256) // share.denominator
        return not self._room.guaranteed(name, pod), parts, pod.created, name


@dataclass(frozen=True, slots=True)
class _Obstacle:
    said: wording.Said
    lacks_room: bool
    """Others' giving back could help."""


class _Line:
    """The waiting pods of one quota in this round: those still to be served, and those held."""

    def __init__(
        self, tree: TreeBooks, room: Room, name: str, queue: Iterable[Pod], nodes: Selector
    ) -> None:
        self.queue = deque(queue)
        self._nodes = nodes
        self._tree = tree
        self._room = room
        self._name = name
        self._held: dict[str, tuple[Pod, wording.Said]] = {}
        """By uid, in the order of the queue."""
        self._refused: dict[_Size, _Obstacle] = {}
        """Room only shrinks in a round: what was refused once is refused again."""

    def obstacle(self, pod: Pod) -> _Obstacle | None:
        """Why ``pod`` cannot be released now, or None. Keys without min are not judged by min."""
        if not pod.preemptible:
            beyond = self._room.beyond_min(self._name, pod)
            if beyond:
                return _Obstacle(wording.non_preemptible(pod, beyond), lacks_room=False)
        shortage = self._room.shortage(self._name, pod.request)
        if shortage is not None:
            return _Obstacle(wording.shortage(pod, shortage), lacks_room=True)
        return None

    def release(self, pod: Pod) -> Release:
        """Book the pod as admitted."""
        self._held.pop(pod.uid, None)
        self._room.take(self._name, pod)
        text = wording.admitted(self._name, self._tree, pod, self._room)
        place = pod.gates.index(names.GATE)
        return Release(pod.key, pod.uid, self._name, place, text, self._nodes)

    def hold(self, pod: Pod, obstacle: _Obstacle) -> bool:
        """Note why the pod waits; whether it lacks room, and none is on its way."""
        self._held[pod.uid] = (pod, obstacle.said)
        if obstacle.lacks_room and self._room.will_fit(self._name, pod):
            self._room.keep(self._name, pod)
            return False
        self._refused[_size(pod)] = obstacle
        return obstacle.lacks_room

    def pass_over(self) -> Iterable[Pod]:
        """Hold the next pods that are like a refused one; those that only lack room."""
        while self._refused and self.queue:
            obstacle = self._refused.get(_size(self.queue[0]))
            if obstacle is None:
                return
            pod = self.queue.popleft()
            self._held[pod.uid] = (pod, obstacle.said)
            if obstacle.lacks_room:
                yield pod

    def waits(self) -> Iterable[Wait]:
        """What the held pods are told, with their places among those that stay."""
        for place, (pod, said) in enumerate(self._held.values(), start=1):
            position = wording.Position(place, len(self._held))
            text = wording.waits(self._name, self._tree, said, position)
            yield Wait(pod.key, pod.uid, self._name, said.reason, text, place)


_Size = tuple[bool, frozenset[tuple[str, int]]]
"""What makes two pods of one quota alike to admission."""


def _size(pod: Pod) -> _Size:
    return pod.preemptible, frozenset(pod.request.items())


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
