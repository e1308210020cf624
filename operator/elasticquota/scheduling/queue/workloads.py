"""The workloads of admitted pods: which pods of a quota are evicted as one.

A job is admitted once: its pods follow without a queue, as long as they fit in what it reserves
(``ledger.job_reservations``). A suspended job returns all it uses, so it is one victim and not
many, and preemption knows how much that is. Half a gang does no work, so a gang is one victim too.
"""

from collections.abc import Container, Iterable, Iterator, Sequence

from elasticquota import resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods.job_reservations import Coverage
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload
from elasticquota.structs import replace


def united(quota: str, movable: Iterable[Counted], cluster: ClusterSnapshot) -> list[Workload]:
    """The workloads of the pods and jobs of a quota that may be evicted.

    A job that is reclaimed as a whole is one, and so is a gang that runs. Pods beyond the job's
    reservation, or beyond the size of the gang, are workloads by themselves. So are all pods of a
    gang of which one may not be evicted: a protected pod must not protect others.
    """
    pods, index = list[Pod](), cluster.index
    jobs: dict[Key, Coverage] = {}
    for each in movable:
        coverage = index.coverage(each) if isinstance(each, QueuedJob) else index.job_of(each)
        if coverage is not None and coverage.job.whole and coverage.admitted:
            jobs[coverage.job.key] = coverage
        elif isinstance(each, Pod):
            pods.append(each)
    leaving = cluster.account(quota).leaving
    whole_jobs = (
        _whole(coverage, leaving)
        for coverage in jobs.values()
        if coverage.job.uid not in cluster.withheld
        and all(pod.preemptible for pod in coverage.pods.values())
    )
    return [*whole_jobs, *of_pods(quota, pods, cluster)]


def of_pods(quota: str, movable: Iterable[Pod], cluster: ClusterSnapshot) -> list[Workload]:
    """The same of pods alone."""
    workloads: list[Workload] = []
    groups: dict[tuple[str, str] | None, list[Pod]] = {}
    for each in movable:
        name = (each.key.namespace, each.group.name) if each.group is not None else None
        groups.setdefault(name, []).append(each)
    gangs: dict[Key, tuple[Gang, list[Pod]]] = {}
    for group, pods in groups.items():
        gang = None if group is None else cluster.index.running_gang(Key(*group), quota)
        if gang is None:
            workloads += pods
        else:
            # Groups that started together are one gang.
            gangs.setdefault(gang.key, (gang, []))[1].extend(pods)
    for gang, pods in gangs.values():
        # While it is being released, none of its pods is evicted: it would be half of the gang.
        if not any(pod.gated and pod.uid not in cluster.awaiting_nodes for pod in gang.pods):
            workloads += _of_gang(pods, gang)
    return workloads


def _of_gang(movable: Sequence[Pod], gang: Gang) -> Iterator[Workload]:
    """The workloads of the pods of one gang that runs, or waits for its nodes."""
    by_key = {pod.key: pod for pod in movable}
    if all(pod.key in by_key for pod in (*gang.pods, *gang.surplus)):
        yield gang
        for pod in gang.pods:
            del by_key[pod.key]
    yield from by_key.values()


def _whole(coverage: Coverage, leaving: Container[Key]) -> QueuedJob:
    """The job with its admitted pods and all that both hold.

    Without what its pods return that are ``leaving``: that is on its way already.
    """
    pods = tuple(
        pod
        for key, pod in coverage.pods.items()
        if key not in leaving and (not pod.gated or key in coverage.covered)
    )
    request = resources.add(coverage.job.request, *(pod.request for pod in pods))
    return replace(coverage.job, request=request, pods=pods)
