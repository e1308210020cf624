"""An account: the pods that sit directly in one quota and their sums (semantics 3).

* request: every live pod, gated or not, except gated ones that can never be admitted, and admitted
  ones that no node has taken for too long; in a quota that is not accepted no gated pod counts.
* admitted: pods without our gate, and those whose release is under way.
* used: pods bound to a node. Terminating pods count in all three until they are gone, or until the
  administrator's choice says so (``accounting``).
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from elasticquota import resources, totals
from elasticquota.ledger.infeasible import Infeasible
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


class Standing(NamedTuple):
    """How a pod counts; kept with it, so that exactly what was added is taken off again."""

    quota: str
    running: bool
    """Admitted: not held by our gate, or its release is under way."""
    leaving: bool = False
    """On its way out: terminating, or eviction asked for."""
    infeasible: Infeasible | None = None
    """Why it can never be admitted as things stand."""
    late: bool = False
    """Deleted, and still there long after its grace."""
    stuck: bool = False
    """Admitted, and without a node for too long."""
    strange_to: tuple[str, ...] = ()
    """Ids of the trees whose node it sits on without belonging to them."""
    at_home: bool = False
    """Its own tree has the node too."""


class Account:
    """Mutable: one quota's own pods (children's excluded); amounts in accounting units."""

    __slots__ = (
        "_infeasible_pods",
        "_least_priority",
        "_queue",
        "_running",
        "_waiting",
        "admitted",
        "asked_while_waiting",
        "late",
        "leaving",
        "non_preemptible",
        "non_preemptible_waiting",
        "placeholders",
        "returning",
        "stuck",
        "stuck_request",
        "used",
    )

    def __init__(self) -> None:
        self._running: dict[Key, Pod] = {}
        self._waiting: dict[Key, Pod] = {}
        self._infeasible_pods: dict[Key, tuple[Pod, Infeasible]] = {}
        self._queue: list[Pod] | None = []
        """The waiting pods in order; None: to be sorted anew."""
        self._least_priority: int | None = None
        """Of the running pods; None: to be looked for anew."""
        self.leaving: set[Key] = set()
        """Running pods on their way out."""
        self.late: set[Key] = set()
        """Running pods that were deleted and should be gone by now."""
        self.placeholders: set[Key] = set()
        """Of the running ones, those that only stand for jobs."""
        self.stuck: dict[Key, Pod] = {}
        """Running pods that no node has taken for too long."""
        self.stuck_request: dict[str, int] = {}
        """The part of admitted that the stuck pods ask for, which is no request."""
        self.used: dict[str, int] = {}
        self.admitted: dict[str, int] = {}
        self.returning: dict[str, int] = {}
        """The part of admitted that the leaving pods hold."""
        self.non_preemptible: dict[str, int] = {}
        """The part of admitted that may not be taken back."""
        self.non_preemptible_waiting: dict[str, int] = {}
        """What the waiting pods ask for that could then not be taken back, without misfits."""
        self.asked_while_waiting: dict[str, int] = {}
        """What the waiting pods ask for, without misfits."""

    @property
    def running(self) -> Collection[Pod]:
        """Admitted pods, in no order."""
        return self._running.values()

    @property
    def waiting(self) -> Sequence[Pod]:
        """Pods held by our gate that may be admitted one day: first in the queue first."""
        if self._queue is None:
            self._queue = sorted(self._waiting.values(), key=queue_order)
        return self._queue

    @property
    def least_priority(self) -> int | None:
        """The lowest priority of a running pod, or None where none runs."""
        if self._least_priority is None and self._running:
            self._least_priority = min([pod.priority for pod in self._running.values()])
        return self._least_priority

    @property
    def infeasible_pods(self) -> list[tuple[Pod, Infeasible]]:
        """Pods held by our gate that can never be admitted as things stand, and why."""
        return sorted(self._infeasible_pods.values(), key=lambda found: queue_order(found[0]))

    @property
    def gated(self) -> int:
        return len(self._waiting) + len(self._infeasible_pods)

    @property
    def empty(self) -> bool:
        return not (self._running or self._waiting or self._infeasible_pods)

    @property
    def held(self) -> Resources:
        """Admitted without what is on its way back."""
        return resources.subtract(self.admitted, self.returning)

    def request(self, *, accepted: bool) -> Resources:
        """What the pods ask for; ``accepted``: whether the quota takes part in its tree."""
        found = dict(self.admitted)
        totals.subtract(found, self.stuck_request)
        if accepted:
            totals.add(found, self.asked_while_waiting)
        return found

    def non_preemptible_request(self, *, accepted: bool) -> Resources:
        """The part of the request that may not be taken back, once it is admitted."""
        waiting = self.non_preemptible_waiting if accepted else resources.EMPTY
        return resources.add(self.non_preemptible, waiting)

    def open(self, pod: Pod, standing: Standing) -> None:
        """Count ``pod``."""
        if standing.infeasible is not None:
            self._infeasible_pods[pod.key] = (pod, standing.infeasible)
        elif not standing.running:
            self._waiting[pod.key] = pod
            self._queue = None
            for total in self._wishes_of(pod):
                totals.add(total, pod.request)
        else:
            self._running[pod.key] = pod
            self._least_priority = None
            for total in self._sums_of(pod, standing):
                totals.add(total, pod.request)
            if standing.leaving:
                self.leaving.add(pod.key)
            if standing.late:
                self.late.add(pod.key)
            if standing.stuck:
                self.stuck[pod.key] = pod
            if pod.reserves is not None:
                self.placeholders.add(pod.key)

    def close(self, pod: Pod, standing: Standing) -> None:
        """Count ``pod`` no longer; both as they were counted."""
        if standing.infeasible is not None:
            del self._infeasible_pods[pod.key]
        elif not standing.running:
            del self._waiting[pod.key]
            self._queue = None
            for total in self._wishes_of(pod):
                totals.subtract(total, pod.request)
        else:
            del self._running[pod.key]
            self._least_priority = None
            for total in self._sums_of(pod, standing):
                totals.subtract(total, pod.request)
            self.leaving.discard(pod.key)
            self.late.discard(pod.key)
            self.stuck.pop(pod.key, None)
            self.placeholders.discard(pod.key)

    def _wishes_of(self, pod: Pod) -> list[dict[str, int]]:
        if pod.preemptible:
            return [self.asked_while_waiting]
        return [self.asked_while_waiting, self.non_preemptible_waiting]

    def _sums_of(self, pod: Pod, standing: Standing) -> list[dict[str, int]]:
        sums = [self.admitted]
        if pod.node_name:
            sums.append(self.used)
        if standing.leaving:
            sums.append(self.returning)
        if standing.stuck:
            sums.append(self.stuck_request)
        if not pod.preemptible:
            sums.append(self.non_preemptible)
        return sums


IDLE: Final = Account()
"""That of a quota without pods of its own; not to be changed."""


def queue_order(pod: Pod) -> tuple[int, str, str, Key]:
    """Higher priority first, then older, then uid: the order inside one quota.

    Uids are unique in a cluster, but need not be in a file that somebody wrote.
    """
    return (-pod.priority, pod.created, pod.uid, pod.key)
