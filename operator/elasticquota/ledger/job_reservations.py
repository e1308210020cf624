"""A job reserves its request with a placeholder; its pods draw on it, so nothing counts twice.

* While the placeholder waits, the job's pods wait with it and ask for nothing themselves.
* Once it is admitted, the pods are admitted too, in queue order, as long as they fit into what is
  left of the reservation. The placeholder holds the rest.
* A pod that does not fit, because the job makes more pods than it said, counts like any other pod.
  So does a pod of another quota than its job's.
* When a job is evicted as a whole, its running pods count as leaving as soon as the placeholder
  does. Its pods at the gate stay there.

Pods are matched to jobs by ``Pod.jobs``. If several jobs match the same text, the oldest one gets
the pods. If a pod has texts of two jobs, the outer job gets it.
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
    """The state of one job and its reservation."""

    placeholder: Pod
    """With the part of the reservation that its pods have not drawn yet as request."""
    admitted: bool
    """The job is admitted and not leaving."""
    leaving: bool
    """The whole job is terminating or being evicted."""
    pods: Mapping[Key, Pod] = field(default_factory=dict)
    """The pods that belong to the job, by key."""
    covered: frozenset[Key] = frozenset()
    """Pods at the gate that are admitted with the job."""


_NONE: Final[Mapping[Key, Pod]] = {}


class JobReservations:
    """The jobs of all counted pods; mutable."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._placeholders: dict[Key, dict[Key, Pod]] = {}
        """Namespace and text of ``Pod.jobs`` -> placeholders by key."""
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Namespace and text of ``Pod.jobs`` -> pods by key."""
        self._draws: dict[Key, Coverage] = {}
        """By placeholder."""
        self._news: set[Key] = set()

    def join(self, pod: Pod) -> None:
        """Count ``pod``."""
        store = self._pods if pod.reserves is None else self._placeholders
        for mark in _marks(pod):
            store.setdefault(mark, {})[pod.key] = pod
        self._invalidate(pod)

    def leave(self, pod: Pod) -> None:
        """Stop counting ``pod``."""
        self._invalidate(pod)
        store = self._pods if pod.reserves is None else self._placeholders
        for mark in _marks(pod):
            found = store[mark]
            del found[pod.key]
            if not found:
                del store[mark]

    def judge_again(self) -> None:
        """Drop what was computed, because quotas changed."""
        self._draws.clear()

    def news(self) -> set[Key]:
        """Return placeholders that came or went, or whose pods did, since the last call."""
        found, self._news = self._news, set()
        return found

    def mates(self, pod: Pod) -> Iterator[Key]:
        """Yield all pods and placeholders that may count differently because of ``pod``."""
        for mark in self._related_marks(pod):
            yield from self._placeholders.get(mark, ())
            yield from self._pods.get(mark, ())

    def of(self, pod: Pod, members: Membership) -> Coverage | None:
        """Return the job that ``pod`` draws on, or that it is the placeholder of; None: none."""
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
        """Return the pods of the job of ``placeholder``."""
        pod = self._objects.pods.get(placeholder)
        found = None if pod is None or pod.reserves is None else self._known(pod)
        return _NONE if found is None else self._draw(found, members).pods

    def _known(self, pod: Pod) -> Pod | None:
        """A placeholder as it was counted, with its whole request."""
        for mark in _marks(pod):
            return self._placeholders.get(mark, _NONE).get(pod.key)
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
            for mark in _marks(placeholder)
            for pod in self._pods.get(mark, _NONE).values()
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
        for mark in _marks(pod):
            found = self._placeholders.get(mark)
            if found:
                return min(found.values(), key=lambda each: (each.created, each.uid, each.key))
        return None

    def _waits(self, pod: Pod) -> bool:
        return pod.gated and pod.uid not in self._objects.releasing

    def _invalidate(self, pod: Pod) -> None:
        for mark in self._related_marks(pod):
            for key in self._placeholders.get(mark, ()):
                self._draws.pop(key, None)
                self._news.add(key)

    def _related_marks(self, pod: Pod) -> set[Key]:
        """The marks of ``pod``, and all marks of the pods that share one with it."""
        own = _marks(pod)
        return set(own).union(
            *(_marks(mate) for mark in own for mate in self._pods.get(mark, _NONE).values())
        )


def _marks(pod: Pod) -> list[Key]:
    """Namespace and text of each entry of ``Pod.jobs``."""
    return [Key(pod.key.namespace, text) for text in pod.jobs]


def _draw(left: dict[str, int], request: Resources) -> None:
    """Take ``request`` off ``left``, never below 0."""
    for key, amount in request.items():
        if key in left:
            left[key] = max(0, left[key] - amount)


def _is_within(request: Resources, left: Resources) -> bool:
    return all(amount <= left.get(key, 0) for key, amount in request.items())
