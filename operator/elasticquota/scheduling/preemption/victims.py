"""Victims: which pods of one quota may be evicted, and in which order, the least important first.

Pods that do not run yet go first, because they lose no work, together with pods that terminate with
a long grace. Then preemptible pods go, then those that do not ask to be evicted last, then those of
the lowest priority, then the youngest, then by uid.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TypeVar

from elasticquota import resources
from elasticquota.ledger.pods.usage import Account
from elasticquota.model import moments
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources


_T = TypeVar("_T", bound=Workload)


def may_go(
    pod_or_job: Counted, account: Account, low: Resources, awaiting_nodes: AbstractSet[str]
) -> bool:
    """Whether ``pod_or_job``, which is admitted and counted in ``account``, may be evicted.

    Of those that are being released only the ones that wait for their nodes may go: those with a
    uid in ``awaiting_nodes``.

    Pods that are not preemptible were admitted within ``low``, the min. What they use beyond it,
    because one was resized or started without admission, is borrowed. A pod that no node takes for
    too long may go, preemptible or not: it does not run.
    """
    return (
        (
            pod_or_job.preemptible
            or pod_or_job.key in account.stuck
            or any(
                pod_or_job.request.get(key, 0) > 0
                for key in resources.exceeding(account.non_preemptible, low)
            )
        )
        and not (isinstance(pod_or_job, Pod) and (pod_or_job.mirror or pod_or_job.daemon))
        and (not pod_or_job.gated or pod_or_job.uid in awaiting_nodes)
        and pod_or_job.key not in account.leaving
        and pod_or_job.key not in account.late
    )


def has_no_node(victim: Workload, account: Account) -> bool:
    """Whether no node took ``victim``, which is counted in ``account``, in time.

    A gang does no work while one of its pods has none.
    """
    stuck = account.stuck
    return bool(stuck) and any(pod.key in stuck for pod in victim.pods)


def holds_no_room(victim: Workload, account: Account) -> bool:
    """Whether no node took any pod of ``victim`` in time."""
    stuck, pods = account.stuck, victim.pods
    return bool(stuck and pods) and all(pod.key in stuck for pod in pods)


def in_order(pods: Iterable[_T]) -> list[_T]:
    """Sort pods, the least important first.

    Times are RFC 3339 in UTC of one width: they sort as text.
    """
    found = sorted(pods, key=lambda pod: pod.uid)
    found.sort(key=lambda pod: pod.started or pod.created, reverse=True)
    found.sort(key=rank)
    return found


def rank(workload: Workload) -> tuple[bool, bool, bool, int]:
    """The importance of a pod, without its age.

    A pod with a node that is not deleted ranks higher, then one that is not preemptible, then one
    that is evicted last (Y22), then priority.
    """
    return (
        workload.bound and not workload.deleting,
        not workload.preemptible,
        workload.evict_last,
        workload.priority,
    )


class YoungPods:
    """Which pods run for less than ``min_runtime``, in one cycle; mutable."""

    def __init__(self, time: int, min_runtime: int) -> None:
        """Both in milliseconds; ``time`` is the wall clock."""
        self._time = time
        self._min_runtime = min_runtime
        self.youngest_in: int | None = None
        """Milliseconds until the first of those that were spared may go; None: none was."""

    def __call__(self, workload: Workload) -> bool:
        """Whether it is young; one without a known start is not."""
        started = moments.read(workload.started) if self._min_runtime else None
        if started is None:
            return False
        # Clocks of nodes differ: a pod with a start time in the future has just started.
        left = self._min_runtime - max(0, self._time - started)
        if left > 0:
            self.youngest_in = min(left, self.youngest_in or left)
        return left > 0
