"""Pods of a job draw on what its stand-in reserves, so that nothing is counted twice or not at all.

While the stand-in waits, the job's pods wait with it and ask for nothing themselves. Once it is let
in they are too, in queue order, as long as they fit in what is left of the reservation; the
stand-in holds the rest of it. Who does not fit, as in a job that makes more pods than it said, is a
pod like any other, and so is one that is of another quota than its job. Pods of a job that is taken
back as a whole are on their way out as soon as their stand-in is, and those at the gate stay there.

Of two jobs whose pods bear the same, the older one has them; of two that a pod bears, the outer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.ledger import usage
from elasticquota.ledger.objects import Objects
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Draw:
    """How things stand with one job."""

    stand_in: Pod
    """As it counts, with what is left for it."""
    let_in: bool
    """And not on its way out."""
    leaving: bool
    """The whole job is on its way out."""
    pods: Mapping[Key, Pod] = field(default_factory=dict)
    """Those that belong to it, by key."""
    covered: frozenset[Key] = frozenset()
    """Pods at the gate that are let in with it."""


_NONE: Final[Mapping[Key, Pod]] = {}


class Draws:
    """Mutable: who bears what, by counted pod; and what follows from that."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._stand_ins: dict[Key, dict[Key, Pod]] = {}
        """Namespace and what is borne -> stand-ins by key."""
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Likewise, the pods."""
        self._draws: dict[Key, Draw] = {}
        """By stand-in."""
        self._news: set[Key] = set()

    def join(self, pod: Pod) -> None:
        """Count ``pod``."""
        shelf = self._pods if pod.reserves is None else self._stand_ins
        for borne in _borne(pod):
            shelf.setdefault(borne, {})[pod.key] = pod
        self._spoil(pod)

    def leave(self, pod: Pod) -> None:
        """Count ``pod`` no longer."""
        self._spoil(pod)
        shelf = self._pods if pod.reserves is None else self._stand_ins
        for borne in _borne(pod):
            found = shelf[borne]
            del found[pod.key]
            if not found:
                del shelf[borne]

    def judge_anew(self) -> None:
        """Quotas are others."""
        self._draws.clear()

    def news(self) -> set[Key]:
        """Stand-ins that came or went, or whose pods did, since this was last asked."""
        told, self._news = self._news, set()
        return told

    def mates(self, pod: Pod) -> Iterator[Key]:
        """All who may count otherwise on account of ``pod``."""
        for borne in self._reach(pod):
            yield from self._stand_ins.get(borne, ())
            yield from self._pods.get(borne, ())

    def of(self, pod: Pod, members: Membership) -> Draw | None:
        """The job that ``pod``, or stand-in, belongs to and draws on; None: none."""
        if not pod.jobs:
            return None
        if pod.reserves is not None:
            return self._draw(self._known(pod) or pod, members)
        stand_in = self._stand_in(pod)
        if stand_in is None:
            return None
        found = self._draw(stand_in, members)
        return found if pod.key in found.pods else None

    def pods(self, stand_in: Key, members: Membership) -> Mapping[Key, Pod]:
        """The pods of the job of that stand-in."""
        pod = self._objects.pods.get(stand_in)
        found = None if pod is None or pod.reserves is None else self._known(pod)
        return _NONE if found is None else self._draw(found, members).pods

    def _known(self, pod: Pod) -> Pod | None:
        """A stand-in as it was seen, whose request nothing was drawn from yet."""
        for borne in _borne(pod):
            return self._stand_ins.get(borne, _NONE).get(pod.key)
        return None

    def _draw(self, stand_in: Pod, members: Membership) -> Draw:
        found = self._draws.get(stand_in.key)
        if found is None:
            found = self._draws[stand_in.key] = self._judged(stand_in, members)
        return found

    def _judged(self, stand_in: Pod, members: Membership) -> Draw:
        quota = members.quota_of(stand_in)
        mine = {
            pod.key: pod
            for borne in _borne(stand_in)
            for pod in self._pods.get(borne, _NONE).values()
            if self._stand_in(pod) is stand_in and members.quota_of(pod) == quota
        }
        waits = self._waits(stand_in)
        going = stand_in.deleting or stand_in.uid in self._objects.evicting
        leaving = going and not waits
        let_in = not (waits or leaving)
        left = dict(stand_in.request)
        for pod in mine.values():
            if not self._waits(pod):
                _draw(left, pod.request)
        covered: set[Key] = set()
        if let_in:
            for pod in sorted(mine.values(), key=usage.queue_order):
                at_gate = self._waits(pod) and pod.gates == (names.GATE,) and not pod.deleting
                if at_gate and _is_within(pod.request, left):
                    _draw(left, pod.request)
                    covered.add(pod.key)
        return Draw(replace(stand_in, request=left), let_in, leaving, mine, frozenset(covered))

    def _stand_in(self, pod: Pod) -> Pod | None:
        for borne in _borne(pod):
            found = self._stand_ins.get(borne)
            if found:
                return min(found.values(), key=lambda each: (each.created, each.uid, each.key))
        return None

    def _waits(self, pod: Pod) -> bool:
        return pod.gated and pod.uid not in self._objects.releasing

    def _spoil(self, pod: Pod) -> None:
        for borne in self._reach(pod):
            for key in self._stand_ins.get(borne, ()):
                self._draws.pop(key, None)
                self._news.add(key)

    def _reach(self, pod: Pod) -> set[Key]:
        """What it bears, and what those bear who bear that."""
        own = _borne(pod)
        return set(own).union(
            *(_borne(mate) for borne in own for mate in self._pods.get(borne, _NONE).values())
        )


def _borne(pod: Pod) -> list[Key]:
    return [Key(pod.key.namespace, text) for text in pod.jobs]


def _draw(left: dict[str, int], request: Resources) -> None:
    """What is more than is left of a resource is drawn on nobody's account."""
    for key, amount in request.items():
        if key in left:
            left[key] = max(0, left[key] - amount)


def _is_within(request: Resources, left: Resources) -> bool:
    return all(amount <= left.get(key, 0) for key, amount in request.items())
