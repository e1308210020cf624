"""An account: the pods and queued jobs directly in one quota, and their sums (semantics 3).

* request: every live pod, gated or not. Not counted: gated pods that can never be admitted,
  admitted pods that have had no node for too long, and all gated pods of a quota that is not
  accepted.
* admitted: pods without our gate, and those that are being ungated.
* used: pods that have a node.

Terminating pods count in all three until they are gone, unless the administrator chose an earlier
end (``accounting``).
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from elasticquota import resources, totals
from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, QueuedJob, Workload
from elasticquota.resources import Resources


class CountedAs(NamedTuple):
    """How a pod was counted; kept with it, so that exactly what was added is subtracted again."""

    quota: str
    running: bool
    """Admitted: not held by our gate, or being ungated."""
    leaving: bool = False
    """Terminating or being evicted, or its job as a whole is."""
    infeasible: Infeasible | None = None
    """Why the waiting pod can never be admitted as things stand; None: it can."""
    late: bool = False
    """Deleted, and still there long after its grace."""
    stuck: bool = False
    """Admitted, and without a node for too long."""
    external_to: tuple[str, ...] = ()
    """Ids of the trees in which it is an external pod: they have its node, and not its quota."""
    in_own_tree: bool = False
    """An external pod whose own tree has the node too."""
    elsewhere: Resources = resources.EMPTY
    """What one that waits asks for in the pools in which it is not counted, but may go to."""

    @property
    def stays(self) -> bool:
        """Admitted, and neither leaving nor late nor without a node for too long."""
        return self.may_leave and not self.stuck

    @property
    def may_leave(self) -> bool:
        """Admitted, and neither leaving nor late."""
        return self.running and not (self.leaving or self.late)


class Account:
    """One quota's own pods and jobs, without those of its children; accounting units.

    What a snapshot has does not change: ``pod_accounting`` changes a copy.
    """

    __slots__ = (
        "_infeasible_pods",
        "_least_priority",
        "_least_requests",
        "_queue",
        "_running",
        "_shares_running",
        "_waiting",
        "admitted",
        "asked_while_waiting",
        "jobs",
        "late",
        "leaving",
        "non_preemptible",
        "non_preemptible_waiting",
        "returning",
        "stuck",
        "stuck_request",
        "used",
    )

    def __init__(self) -> None:
        self._running: dict[Key, Counted] = {}
        self._shares_running = False
        """Whether another account has the same dictionary of running pods: it may be large."""
        self._waiting: dict[Key, Counted] = {}
        self._infeasible_pods: dict[Key, tuple[Counted, Infeasible]] = {}
        self._queue: list[Counted] | None = []
        """The waiting ones in order; None: must be sorted again."""
        self._least_priority: int | None = None
        """The lowest priority of the running pods; None: must be computed again."""
        self._least_requests: Resources | None = None
        """Of each resource the least that a running pod asks for; None: to be computed again."""
        self.leaving: set[Key] = set()
        """Running pods that are terminating or being evicted."""
        self.late: set[Key] = set()
        """Running pods that were deleted and should be gone by now."""
        self.jobs: set[Key] = set()
        """The running ones that are jobs, each with what its pods do not draw."""
        self.stuck: dict[Key, Pod] = {}
        """Running pods that have had no node for too long."""
        self.stuck_request: dict[str, int] = {}
        """The part of admitted that the stuck pods ask for, which is no request."""
        self.used: dict[str, int] = {}
        self.admitted: dict[str, int] = {}
        self.returning: dict[str, int] = {}
        """The part of admitted that the leaving pods hold."""
        self.non_preemptible: dict[str, int] = {}
        """The part of admitted that may not be reclaimed."""
        self.non_preemptible_waiting: dict[str, int] = {}
        """What the non-preemptible waiting pods ask for, without infeasible pods."""
        self.asked_while_waiting: dict[str, int] = {}
        """What the waiting pods ask for, without infeasible pods."""

    def copy(self) -> "Account":
        """Return an equal account that can be changed."""
        twin = Account.__new__(Account)
        twin._running = self._running  # noqa: SLF001 - another of this class
        twin._shares_running = True  # noqa: SLF001
        twin._waiting = self._waiting.copy()  # noqa: SLF001
        twin._infeasible_pods = self._infeasible_pods.copy()  # noqa: SLF001
        twin._queue = self._queue  # noqa: SLF001 - replaced, never changed
        twin._least_priority = self._least_priority  # noqa: SLF001
        twin._least_requests = self._least_requests  # noqa: SLF001 - replaced, never changed
        twin.leaving, twin.late = self.leaving.copy(), self.late.copy()
        twin.jobs, twin.stuck = self.jobs.copy(), self.stuck.copy()
        twin.stuck_request = self.stuck_request.copy()
        twin.used, twin.admitted = self.used.copy(), self.admitted.copy()
        twin.returning = self.returning.copy()
        twin.non_preemptible = self.non_preemptible.copy()
        twin.non_preemptible_waiting = self.non_preemptible_waiting.copy()
        twin.asked_while_waiting = self.asked_while_waiting.copy()
        return twin

    @property
    def running(self) -> Collection[Counted]:
        """Admitted pods and jobs, in no order."""
        return self._running.values()

    @property
    def running_jobs(self) -> Iterator[QueuedJob]:
        """Admitted jobs with what their pods do not draw as request, in no order."""
        found = (self._running[key] for key in self.jobs)
        return (each for each in found if isinstance(each, QueuedJob))

    @property
    def reserved(self) -> Resources:
        """What admitted jobs hold beside their pods: no node has it."""
        return resources.positive(resources.add(*(job.request for job in self.running_jobs)))

    @property
    def waiting(self) -> Sequence[Counted]:
        """Pods held by our gate, and jobs, that may be admitted one day, in queue order."""
        if self._queue is None:
            self._queue = sorted(self._waiting.values(), key=queue_order)
        return self._queue

    @property
    def least_priority(self) -> int | None:
        """The lowest priority of the running pods, or None if there are none."""
        if self._least_priority is None and self._running:
            self._least_priority = min([pod.priority for pod in self._running.values()])
        return self._least_priority

    @property
    def least_requests(self) -> Resources:
        """Of each resource the least that a running pod or job asks for, if one asks for any."""
        if self._least_requests is None:
            least: dict[str, int] = {}
            for pod in self._running.values():
                for key, asked in pod.request.items():
                    if 0 < asked < least.get(key, asked + 1):
                        least[key] = asked
            self._least_requests = least
        return self._least_requests

    @property
    def infeasible_pods(self) -> list[tuple[Counted, Infeasible]]:
        """Pods held by our gate, and jobs, that can never be admitted as things stand, and why."""
        return sorted(self._infeasible_pods.values(), key=lambda found: queue_order(found[0]))

    @property
    def gated(self) -> int:
        """How many pods our gate holds."""
        return len(self._waiting) + len(self._infeasible_pods)

    @property
    def empty(self) -> bool:
        """Whether the quota has no pods."""
        return not (self._running or self._waiting or self._infeasible_pods)

    @property
    def held(self) -> Resources:
        """Admitted without what the leaving pods hold."""
        return resources.subtract(self.admitted, self.returning)

    @property
    def held_in_time(self) -> Resources:
        """Admitted without what the pods hold that have had no node for too long."""
        return resources.subtract(self.admitted, self.stuck_request)

    def request(self, *, accepted: bool) -> Resources:
        """Return what the pods ask for; ``accepted``: whether the quota takes part in its tree."""
        found = dict(self.admitted)
        totals.subtract(found, self.stuck_request)
        if accepted:
            totals.add(found, self.asked_while_waiting)
        return found

    def non_preemptible_request(self, *, accepted: bool) -> Resources:
        """Return the part of the request that may not be reclaimed once it is admitted."""
        waiting = self.non_preemptible_waiting if accepted else resources.EMPTY
        return resources.add(self.non_preemptible, waiting)

    def add(self, pod_or_job: Counted, counted_as: CountedAs) -> None:
        """Count a pod or a job."""
        if counted_as.infeasible is not None:
            self._infeasible_pods[pod_or_job.key] = (pod_or_job, counted_as.infeasible)
        elif not counted_as.running:
            self._waiting[pod_or_job.key] = pod_or_job
            self._queue = None
            for total in self._waiting_sums_of(pod_or_job):
                totals.add(total, pod_or_job.request)
                totals.add(total, counted_as.elsewhere)
        else:
            self._changed_running()[pod_or_job.key] = pod_or_job
            for total in self._sums_of(pod_or_job, counted_as):
                totals.add(total, pod_or_job.request)
            if counted_as.leaving:
                self.leaving.add(pod_or_job.key)
            if counted_as.late:
                self.late.add(pod_or_job.key)
            if isinstance(pod_or_job, QueuedJob):
                self.jobs.add(pod_or_job.key)
            elif counted_as.stuck:
                self.stuck[pod_or_job.key] = pod_or_job

    def remove(self, pod_or_job: Counted, counted_as: CountedAs) -> None:
        """Stop counting it; pass both arguments as they were in ``add``."""
        if counted_as.infeasible is not None:
            del self._infeasible_pods[pod_or_job.key]
        elif not counted_as.running:
            del self._waiting[pod_or_job.key]
            self._queue = None
            for total in self._waiting_sums_of(pod_or_job):
                totals.subtract(total, pod_or_job.request)
                totals.subtract(total, counted_as.elsewhere)
        else:
            del self._changed_running()[pod_or_job.key]
            for total in self._sums_of(pod_or_job, counted_as):
                totals.subtract(total, pod_or_job.request)
            self.leaving.discard(pod_or_job.key)
            self.late.discard(pod_or_job.key)
            self.stuck.pop(pod_or_job.key, None)
            self.jobs.discard(pod_or_job.key)

    def _changed_running(self) -> dict[Key, Counted]:
        """The running pods, to be changed at once."""
        self._least_priority = self._least_requests = None
        if self._shares_running:
            self._running, self._shares_running = self._running.copy(), False
        return self._running

    def _waiting_sums_of(self, pod_or_job: Counted) -> list[dict[str, int]]:
        if pod_or_job.preemptible:
            return [self.asked_while_waiting]
        return [self.asked_while_waiting, self.non_preemptible_waiting]

    def _sums_of(self, pod_or_job: Counted, counted_as: CountedAs) -> list[dict[str, int]]:
        sums = [self.admitted]
        if pod_or_job.bound:
            sums.append(self.used)
        if counted_as.leaving:
            sums.append(self.returning)
        if counted_as.stuck:
            sums.append(self.stuck_request)
        if not pod_or_job.preemptible:
            sums.append(self.non_preemptible)
        return sums


IDLE: Final = Account()
"""The account of a quota without pods of its own; do not change it."""


def queue_order(found: Workload) -> tuple[int, str, str, Key]:
    """Sort key of the queue of one quota: higher priority first, then older, then uid, then key.

    Uids are unique in a cluster, but maybe not in a file that a user wrote.
    """
    return (-found.priority, found.created, found.uid, found.key)
