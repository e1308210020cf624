"""A workload is queued, admitted and evicted as one: a pod, a gang of pods, or a queued job.

A pod of no group and of no queued job is a workload by itself. All three have the fields by which
workloads are compared: ``key``, ``uid``, ``created``, ``request``, ``priority`` and the like.
``pods`` are the pods that a workload stands for, as far as they are known.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elasticquota import names, resources
from elasticquota.model import holder
from elasticquota.model.constraints import EVERYWHERE, Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


class _OfPods:
    """What a workload of several pods derives from them."""

    __slots__ = ()
    request: Resources
    pods: tuple[Pod, ...]

    @property
    def bound(self) -> bool:
        """One of its pods has a node."""
        return any(pod.bound for pod in self.pods)

    @property
    def started(self) -> str:
        """When the first of its pods started; empty: none has."""
        return min((pod.started for pod in self.pods if pod.started), default="")

    @property
    def size(self) -> Size:
        """The request as a hashable key."""
        return frozenset(self.request.items())


class Gang(_OfPods, Struct, frozen=True):
    """The pods of one group that are admitted together or not at all, at least two."""

    key: Key
    """Namespace and name of the group."""
    pods: tuple[Pod, ...]
    """In the order of the queue."""
    request: Resources
    """Of all pods together."""
    priority: int
    """The lowest of its pods: a decision on the gang is a decision on all of them."""
    preemptible: bool
    may_preempt: bool
    evict_last: bool = False
    """One of its pods is evicted last."""
    surplus: tuple[Pod, ...] = ()
    """Of a gang that runs: admitted pods of its group beyond the size, which leave before the gang,
    or with it; not in ``request``."""

    @property
    def uid(self) -> str:
        """Unique among the workloads of a cluster; no pod has such a uid."""
        return str(self.key)

    @property
    def created(self) -> str:
        """The creation time of its first pod."""
        return self.pods[0].created

    @property
    def holder(self) -> Holder:
        """The holder of its first pod, for whose limits the whole gang counts."""
        return self.pods[0].holder

    @property
    def constraints(self) -> Constraints:
        """The constraints of its first pod; only ``pods`` say on which nodes each one fits."""
        return self.pods[0].constraints

    @property
    def deleting(self) -> bool:
        """One of its pods is being deleted."""
        return any(pod.deleting for pod in self.pods)

    @property
    def title(self) -> str:
        """Its name in messages."""
        count = "1 pod" if len(self.pods) == 1 else f"{len(self.pods)} pods"
        return f"group {self.key.name} of {count}"


PODS_LEFT: Final = "pods-left"
"""Beside our gate of a suspended job: its operator has not deleted its pods in time."""


class JobName(NamedTuple):
    """The kind of a job, such as ``RayJob``, and its key; as text its name in messages."""

    kind: str
    key: Key

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class QueuedJob(_OfPods, Struct, frozen=True):
    """A job that waits suspended in the queue of its quota, or is admitted and holds its request.

    What its pods hold is drawn from the job's request (``ledger.job_reservations``).
    """

    key: Key
    """Of no object: a name that no pod can have (``jobs.phase.ledger_key``)."""
    uid: str
    """Another one after each suspension, because the job enters the queue as a new one."""
    created: str
    """creationTimestamp, RFC 3339 in UTC: sorts as text."""
    name: JobName
    quota_label: str = ""
    request: Resources = field(default_factory=lambda: resources.EMPTY)
    """Accounting units. In the ledger: of all its pods. In a queue or an account: what its pods do
    not draw. Of a victim: what the job and ``pods`` hold."""
    parts: tuple[Resources, ...] = ()
    """The requests of its pods, each different one once; each needs a node with room for it."""
    whole: bool = True
    """True: the job is evicted as a whole, by suspending it. False: pod by pod."""
    priority: int = 0
    preemptible: bool = True
    gates: tuple[str, ...] = ()
    """Our gate: the job waits. ``PODS_LEFT`` keeps it out of the queue."""
    deleting: bool = False
    """Its operator is deleting its pods."""
    labels: tuple[str, ...] = ()
    """Labels that mark its pods, ``label=value``, as in ``Pod.jobs``."""
    holder: Holder = holder.NO_HOLDER
    constraints: Constraints = EVERYWHERE
    """What its templates demand of nodes. Admission may add to that, so it tolerates all taints."""
    pods: tuple[Pod, ...] = ()
    """Of a victim: its admitted pods. Those of a waiting job do not exist yet."""

    @property
    def gated(self) -> bool:
        """The job waits."""
        return names.GATE in self.gates

    @property
    def may_preempt(self) -> bool:
        """A job may preempt what is less important."""
        return True

    @property
    def evict_last(self) -> bool:
        """One of its pods is evicted last."""
        return any(pod.evict_last for pod in self.pods)

    @property
    def title(self) -> str:
        """Its name in messages."""
        return str(self.name)


Counted = Pod | QueuedJob
"""What the ledger counts one by one; the pods of a gang count one by one."""

Workload = Pod | Gang | QueuedJob


def counted(workload: Workload) -> tuple[Counted, ...]:
    """Return what the ledger counts of it: the pods of a gang, else the workload itself."""
    return workload.pods if isinstance(workload, Gang) else (workload,)


def gang(key: Key, pods: Sequence[Pod], surplus: Sequence[Pod] = ()) -> Gang:
    """Return the gang of the group ``key``; ``pods`` are in the order of the queue."""
    return Gang(
        key=key,
        pods=tuple(pods),
        request=resources.add(*(pod.request for pod in pods)),
        priority=min(pod.priority for pod in pods),
        preemptible=all(pod.preemptible for pod in pods),
        may_preempt=all(pod.may_preempt for pod in pods),
        evict_last=any(pod.evict_last for pod in pods),
        surplus=tuple(surplus),
    )
