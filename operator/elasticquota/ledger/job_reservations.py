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
class Coverage:
    """How things stand with one job."""

    placeholder: Pod
    """As it counts, with what is left for it."""
    admitted: bool
    """And not on its way out."""
    leaving: bool
    """The whole job is on its way out."""
    pods: Mapping[Key, Pod] = field(default_factory=dict)
    """Those that belong to it, by key."""
    covered: frozenset[Key] = frozenset()
    """Pods at the gate that are let in with it."""


_NONE: Final[Mapping[Key, Pod]] = {}


class JobReservations:
    """Mutable: who bears what, by counted pod; and what follows from that."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._placeholders: dict[Key, dict[Key, Pod]] = {}
        """Namespace and what is borne -> stand-ins by key."""
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Likewise, the pods."""
        self._draws: dict[Key, Coverage] = {}
        """By stand-in."""
        self._news: set[Key] = set()

    def join(self, pod: Pod) -> None:
        """Count ``pod``."""
        store = self._pods if pod.reserves is None else self._placeholders
        for borne in _borne(pod):
            store.setdefault(borne, {})[pod.key] = pod
        self._spoil(pod)

    def leave(self, pod: Pod) -> None:
        """Count ``pod`` no longer."""
        self._spoil(pod)
        store = self._pods if pod.reserves is None else self._placeholders
        for borne in _borne(pod):
            found = store[borne]
            del found[pod.key]
            if not found:
                del store[borne]

    def judge_again(self) -> None:
        """Quotas are others."""
        self._draws.clear()

    def news(self) -> set[Key]:
        """Stand-ins that came or went, or whose pods did, since this was last asked."""
        told, self._news = self._news, set()
        return told

    def mates(self, pod: Pod) -> Iterator[Key]:
        """All who may count otherwise on account of ``pod``."""
        for borne in self._reach(pod):
            yield from self._placeholders.get(borne, ())
            yield from self._pods.get(borne, ())

    def of(self, pod: Pod, members: Membership) -> Coverage | None:
        """The job that ``pod``, or stand-in, belongs to and draws on; None: none."""
        if not pod.jobs:
            return None
        if pod.reserves is not None:
            return self._draw(self._known(pod) or pod, members)
        placeholder = self._placeholder(pod)
        if placeholder is None:
            return None
        found = self._draw(placeholder, members)
        return found if pod.key in found.pods else None

    def pods(self, placeholder: Key, members: Membership) -> Mapping[Key, Pod]:
        """The pods of the job of that stand-in."""
        pod = self._objects.pods.get(placeholder)
        found = None if pod is None or pod.reserves is None else self._known(pod)
        return _NONE if found is None else self._draw(found, members).pods

    def _known(self, pod: Pod) -> Pod | None:
        """A stand-in as it was seen, whose request nothing was drawn from yet."""
        for borne in _borne(pod):
            return self._placeholders.get(borne, _NONE).get(pod.key)
        return None

    def _draw(self, placeholder: Pod, members: Membership) -> Coverage:
        found = self._draws.get(placeholder.key)
        if found is None:
            found = self._draws[placeholder.key] = self._judged(placeholder, members)
        return found

    def _judged(self, placeholder: Pod, members: Membership) -> Coverage:
        quota = members.quota_of(placeholder)
        mine = {
            pod.key: pod
            for borne in _borne(placeholder)
            for pod in self._pods.get(borne, _NONE).values()
            if self._placeholder(pod) is placeholder and members.quota_of(pod) == quota
        }
        waits = self._waits(placeholder)
        going = placeholder.deleting or placeholder.uid in self._objects.evicting
        leaving = going and not waits
        admitted = not (waits or leaving)
        left = dict(placeholder.request)
        for pod in mine.values():
            if not self._waits(pod):
                _draw(left, pod.request)
        covered: set[Key] = set()
        if admitted:
            for pod in sorted(mine.values(), key=usage.queue_order):
                at_gate = self._waits(pod) and pod.gates == (names.GATE,) and not pod.deleting
                if at_gate and _is_within(pod.request, left):
                    _draw(left, pod.request)
                    covered.add(pod.key)
        return Coverage(
            replace(placeholder, request=left), admitted, leaving, mine, frozenset(covered)
        )

    def _placeholder(self, pod: Pod) -> Pod | None:
        for borne in _borne(pod):
            found = self._placeholders.get(borne)
            if found:
                return min(found.values(), key=lambda each: (each.created, each.uid, each.key))
        return None

    def _waits(self, pod: Pod) -> bool:
        return pod.gated and pod.uid not in self._objects.releasing

    def _spoil(self, pod: Pod) -> None:
        for borne in self._reach(pod):
            for key in self._placeholders.get(borne, ()):
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
