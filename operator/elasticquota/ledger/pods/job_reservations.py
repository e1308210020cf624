"""A queued job reserves its request; its pods draw on it, so nothing counts twice.

* While the job waits, its pods wait with it and ask for nothing themselves.
* Once it is admitted, the pods are admitted too, in queue order, as long as they fit into what is
  left of the reservation. The job holds the rest.
* A pod that does not fit, because the job makes more pods than it said, counts like any other pod.
  So does a pod of another quota than its job's.
* When a job is evicted as a whole, its running pods count as leaving as soon as the job does. Its
  pods at the gate stay there.

Pods are matched to jobs by labels (``Pod.jobs``, ``QueuedJob.labels``). If several jobs have the
same label, the oldest one gets the pods. If a pod has labels of two jobs, the outer job gets it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from elasticquota import names, pool_keys
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.pods import usage
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field, replace


class Coverage(Struct, frozen=True):
    """The state of one job and its reservation."""

    job: QueuedJob
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
_T = TypeVar("_T", bound=Counted)
_ByLabel = dict[Key, dict[Key, _T]]
"""Namespace and label -> pods or jobs by key."""


class JobReservations:
    """All counted jobs, and the counted pods with labels of jobs; mutable."""

    def __init__(self, objects: LedgerObjects) -> None:
        self._objects = objects
        self._jobs: _ByLabel[QueuedJob] = {}
        self._pods: _ByLabel[Pod] = {}
        self._beside: dict[Key, Counter[Key]] = {}
        """Label -> the labels of the pods that have it, with the number of these pods."""
        self._known: dict[Key, QueuedJob] = {}
        """The jobs as they are counted, with their whole requests."""
        self._coverages: dict[Key, Coverage] = {}
        """By job."""
        self._changed: set[Key] = set()

    def join(self, found: Counted) -> None:
        """Count a pod or a job."""
        if isinstance(found, QueuedJob):
            self._known[found.key] = found
            _join(self._jobs, found)
        else:
            _join(self._pods, found)
            for label in _labels(found):
                self._beside.setdefault(label, Counter()).update(_labels(found))
        self._invalidate(found)

    def leave(self, found: Counted) -> None:
        """Stop counting a pod or a job."""
        self._invalidate(found)
        if isinstance(found, QueuedJob):
            del self._known[found.key]
            _leave(self._jobs, found)
        else:
            _leave(self._pods, found)
            for label in _labels(found):
                beside = self._beside[label]
                beside.subtract(_labels(found))
                self._beside[label] = +beside
                if not self._beside[label]:
                    del self._beside[label]

    def job_for(self, pod: Pod) -> QueuedJob | None:
        """Return the job that gets ``pod`` if it is of the same quota; None: there is none."""
        return self._oldest(pod)

    def whole(self, job: QueuedJob) -> QueuedJob:
        """Return a counted job with its whole request."""
        return self._known.get(job.key, job)

    def reset(self) -> None:
        """Drop what was computed, because quotas changed."""
        self._coverages.clear()

    def drain_changed(self) -> set[Key]:
        """Return jobs that came or went, or whose pods did, since the last call."""
        found, self._changed = self._changed, set()
        return found

    def group_members(self, changed: Iterable[Counted]) -> set[Key]:
        """Return all pods and jobs that may count differently because of what ``changed``."""
        labels = set[Key]().union(*map(self._related_labels, changed))
        return set[Key]().union(
            *(store.get(label, ()) for label in labels for store in (self._jobs, self._pods))
        )

    def of(self, pod: Pod, members: Membership) -> Coverage | None:
        """Return the coverage of the job that ``pod`` draws on; None: it draws on none."""
        job = self._oldest(pod)
        if job is None:
            return None
        coverage = self._coverage(job, members)
        return coverage if pod.key in coverage.pods else None

    def of_job(self, job: QueuedJob, members: Membership) -> Coverage:
        """Return the coverage of a counted job."""
        return self._coverage(self._known[job.key], members)

    def pods(self, key: Key, members: Membership) -> Mapping[Key, Pod]:
        """Return the pods of a job."""
        found = self._known.get(key)
        return _NONE if found is None else self._coverage(found, members).pods

    def _coverage(self, job: QueuedJob, members: Membership) -> Coverage:
        found = self._coverages.get(job.key)
        if found is None:
            found = self._coverages[job.key] = self._computed(job, members)
        return found

    def _computed(self, job: QueuedJob, members: Membership) -> Coverage:
        is_gated, quota = self._objects.is_gated, members.quota_of(job)
        mine = {
            pod.key: pod
            for label in _labels(job)
            for pod in self._pods.get(label, _NONE).values()
            if self._oldest(pod) is job and members.quota_of(pod) == quota
        }
        going = job.deleting or job.uid in self._objects.evicting
        leaving = going and not is_gated(job)
        admitted = not (is_gated(job) or leaving)
        left = dict(job.request)
        for pod in mine.values():
            if not is_gated(pod):
                _draw(left, pod.request)
        covered: set[Key] = set()
        if admitted:
            for pod in sorted(mine.values(), key=usage.queue_order):
                at_gate = is_gated(pod) and pod.gates == (names.GATE,) and not pod.deleting
                if at_gate and _is_within(pod.request, left):
                    _draw(left, pod.request)
                    covered.add(pod.key)
        return Coverage(replace(job, request=left), admitted, leaving, mine, frozenset(covered))

    def _oldest(self, pod: Pod) -> QueuedJob | None:
        """The job that gets ``pod``, if it is of the same quota."""
        for label in _labels(pod):
            found = self._jobs.get(label)
            if found:
                return min(found.values(), key=lambda each: (each.created, each.uid, each.key))
        return None

    def _invalidate(self, found: Counted) -> None:
        concerned = {found.key} if isinstance(found, QueuedJob) else set[Key]()
        concerned.update(*(self._jobs.get(label, ()) for label in self._related_labels(found)))
        self._changed |= concerned
        for key in concerned:
            self._coverages.pop(key, None)

    def _related_labels(self, found: Counted) -> set[Key]:
        """The labels of ``found``, and all labels of the pods that share one with it."""
        own = _labels(found)
        return set(own).union(*(self._beside.get(label, ()) for label in own))


def _labels(found: Counted) -> list[Key]:
    """Namespace and text of each label by which pods and jobs are matched."""
    labels = found.labels if isinstance(found, QueuedJob) else found.jobs
    return [Key(found.key.namespace, label) for label in labels]


def _join(store: _ByLabel[_T], found: _T) -> None:
    for label in _labels(found):
        store.setdefault(label, {})[found.key] = found


def _leave(store: _ByLabel[_T], found: _T) -> None:
    for label in _labels(found):
        del store[label][found.key]
        if not store[label]:
            del store[label]


def _draw(left: dict[str, int], request: Resources) -> None:
    """Take ``request`` off ``left``, never below 0."""
    for key, amount in request.items():
        if key in left:
            left[key] = max(0, left[key] - amount)


def _is_within(request: Resources, left: Resources) -> bool:
    # A job reserves its plain request; its pods are counted in the pool of the job.
    return all(
        amount <= left.get(key, 0) or pool_keys.is_reserved(key) for key, amount in request.items()
    )
