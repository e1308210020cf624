"""Pods without a quota, and pods of the system, are released at once if they have our gate.

The exception: the administrator may choose to hold pods that name an unknown quota.

Without a default quota (semantics 4; K 2.1, DisableDefaultQuota) admission puts no gate on such
pods; these were gated while they had a quota, or before the administrator chose so. Nor does it on
pods of the system, whose namespaces the administrator may name at any time.
"""

from collections.abc import Iterable, Iterator

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.decision import Release, Wait
from elasticquota.model.workload import Counted
from elasticquota.scheduling.status import messages, pod_messages


def releases(cluster: ClusterSnapshot) -> tuple[Release, ...]:
    """Releases of all gated pods that nothing limits, except those that are being deleted."""
    system = cluster.account(names.SYSTEM_QUOTA)
    of_the_system = [*system.waiting, *(pod for pod, _ in system.infeasible_pods)]
    return (
        *_released(
            NO_QUOTA,
            "Admitted: it belongs to no quota, so nothing limits it",
            _gated_without_need(cluster),
        ),
        *_released(
            names.SYSTEM_QUOTA,
            "Admitted: it belongs to the system quota, which nothing limits",
            of_the_system,
        ),
    )


def _released(quota: str, why: str, pods: Iterable[Counted]) -> Iterator[Release]:
    for pod in pods:
        if not pod.deleting:
            yield pod_messages.release(pod, quota, f"Admitted: {why}")


def _gated_without_need(cluster: ClusterSnapshot) -> list[Counted]:
    """Pods without a quota; in observe mode also those that name an unknown quota."""
    unknown = (
        [pod for pod, _ in cluster.without_quota.infeasible_pods]
        if cluster.forest.terms.observes
        else []
    )
    return [*cluster.without_quota.waiting, *unknown]


def waits(cluster: ClusterSnapshot) -> tuple[Wait, ...]:
    """The messages of held pods that name an unknown quota."""
    if cluster.forest.terms.observes:
        return ()
    return tuple(
        pod_messages.wait(pod, NO_QUOTA, messages.infeasible(infeasible))
        for pod, infeasible in cluster.without_quota.infeasible_pods
    )
