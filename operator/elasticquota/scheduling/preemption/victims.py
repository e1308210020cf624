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
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources


_T = TypeVar("_T", bound=Workload)


def may_go(
    pod: Counted, account: Account, low: Resources, awaiting_nodes: AbstractSet[str]
) -> bool:
    """Whether ``pod``, which is admitted and counted in ``account``, may be evicted.

    Of those that are being released only the ones that wait for their nodes may go: those with a
    uid in ``awaiting_nodes``.

    Pods that are not preemptible were admitted within ``low``, the min. What they use beyond it,
    because one was resized or started without admission, is borrowed. A pod that no node takes for
    too long may go, preemptible or not: it does not run.
    """
    return (
        (
            pod.preemptible
            or pod.key in account.stuck
            or any(
                pod.request.get(key, 0) > 0
                for key in resources.exceeding(account.non_preemptible, low)
            )
        )
        and not (isinstance(pod, Pod) and (pod.mirror or pod.daemon))
        and (not pod.gated or pod.uid in awaiting_nodes)
        and pod.key not in account.leaving
        and pod.key not in account.late
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


def rank(pod: Workload) -> tuple[bool, bool, bool, int]:
    """The importance of a pod, without its age.

    A pod with a node that is not deleted ranks higher, then one that is not preemptible, then one
    that is evicted last (Y22), then priority.
    """
    return pod.bound and not pod.deleting, not pod.preemptible, pod.evict_last, pod.priority
