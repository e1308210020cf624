"""The queue of a quota: the workloads that may be admitted, by priority, age and uid.

A quota may have another order (``application_order``).

Not in the queue are pods with gates of other controllers, because our gate is removed last; pods
whose release was refused a moment ago, which hold no room until they are tried again; gangs with
such a pod; and pods beyond the size of a gang that has not started.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from elasticquota import names
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods import usage
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload
from elasticquota.scheduling.queue import application_order
from elasticquota.scheduling.snapshot import reasons
from elasticquota.scheduling.snapshot.reasons import MemberGated, OtherGates, ReleaseRefused
from elasticquota.structs import Struct


Outside = OtherGates | MemberGated | ReleaseRefused | reasons.Surplus


class Queue(Struct, frozen=True):
    """The workloads in order, and what waits outside of the queue, with the reason."""

    workloads: Sequence[Workload]
    outside: Sequence[tuple[Counted, Outside]] = ()


def of(cluster: ClusterSnapshot, name: str, terminating: AbstractSet[str]) -> Queue:
    """The queue of quota ``name``; ``terminating`` names namespaces."""
    workloads: list[Workload] = []
    outside: list[tuple[Counted, Outside]] = []
    gangs: dict[Key, tuple[Gang, list[Pod]]] = {}
    for pod_or_job in cluster.account(name).waiting:
        if pod_or_job.deleting or pod_or_job.key.namespace in terminating:
            continue
        gang = None if isinstance(pod_or_job, QueuedJob) else cluster.index.gang(pod_or_job)
        if gang is not None and isinstance(pod_or_job, Pod):
            gangs.setdefault(gang.key, (gang, []))[1].append(pod_or_job)
        elif _gated_by_others(pod_or_job):
            outside.append((pod_or_job, OtherGates(pod_or_job)))
        elif pod_or_job.uid in cluster.withheld:
            outside.append((pod_or_job, ReleaseRefused(pod_or_job)))
        else:
            workloads.append(pod_or_job)
    for gang, there in gangs.values():
        withheld = cluster.withheld
        member = next((x for x in gang.pods if _gated_by_others(x) or x.uid in withheld), None)
        if member is None:
            workloads.append(gang)
        outside.extend(_outside(there, gang, member))
    if gangs:
        workloads.sort(key=usage.queue_order)
    quota = cluster.forest.quotas.get(name)
    if quota is not None and quota.has_own_order and name in cluster.forest.tree_of:
        offered = cluster.trees[cluster.forest.tree_of[name]].total
        running = cluster.account(name).running
        workloads = application_order.arranged(quota, workloads, running, offered)
    return Queue(workloads, outside)


def _outside(pods: Sequence[Pod], gang: Gang, member: Pod | None) -> Iterator[tuple[Pod, Outside]]:
    """The pods of one group that are not in the queue, with the reason.

    ``member`` is the pod that keeps the whole gang out of it, if one does.
    """
    starting, stops = {pod.uid for pod in gang.pods}, None
    if member is not None:
        stops = MemberGated(member) if _gated_by_others(member) else ReleaseRefused(member)
    for pod in pods:
        if _gated_by_others(pod):
            yield pod, OtherGates(pod)
        elif stops is not None:
            yield pod, stops
        elif pod.uid not in starting:
            yield pod, reasons.Surplus(pod, len(gang.pods))


def _gated_by_others(found: Counted) -> bool:
    return found.gates != (names.GATE,)
