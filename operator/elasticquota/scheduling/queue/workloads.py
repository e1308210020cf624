"""The workloads of admitted pods: which pods of a quota are evicted as one.

A job is admitted once: its pods follow without a queue, as long as they fit in what it reserves
(``ledger.job_reservations``). A suspended job returns all it uses, so it is one victim and not
many, and preemption knows how much that is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from elasticquota import resources
from elasticquota.ledger.books import Books
from elasticquota.ledger.job_reservations import Coverage
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release
from elasticquota.model.key import Key
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.scheduling.status import pod_messages


def releases(ledger: Ledger, books: Books) -> Iterator[Release]:
    """Pods that are released with their jobs."""
    for key in sorted(books.covered):
        pod = ledger.pods[key]
        coverage = books.job_of(pod)
        if ledger.is_gated(pod) and coverage is not None:
            quota = books.members.quota_of(pod)
            text = f"quota {quota}: admitted with {coverage.job.name}"
            yield pod_messages.release(pod, quota, text, books.nodes(quota))


def united(movable: Iterable[Counted], books: Books) -> list[Counted]:
    """Pods that may be evicted; a job that is reclaimed as a whole counts as one.

    Pods beyond the job's reservation count as single pods.
    """
    found: list[Counted] = []
    jobs: dict[Key, Coverage] = {}
    for each in movable:
        is_job = isinstance(each, QueuedJob)
        coverage = books.coverage(each) if isinstance(each, QueuedJob) else books.job_of(each)
        if coverage is not None and coverage.job.whole and coverage.admitted:
            jobs[coverage.job.key] = coverage
        elif not is_job:
            found.append(each)
    return found + [_whole(coverage) for coverage in jobs.values() if _may_go(coverage, books)]


def _may_go(coverage: Coverage, books: Books) -> bool:
    uid = coverage.job.uid
    return uid not in books.withheld and all(pod.preemptible for pod in coverage.pods.values())


def _whole(coverage: Coverage) -> QueuedJob:
    """The job with its admitted pods and all that both hold."""
    pods = tuple(
        pod for key, pod in coverage.pods.items() if not pod.gated or key in coverage.covered
    )
    request = resources.add(coverage.job.request, *(pod.request for pod in pods))
    return replace(coverage.job, request=request, pods=pods)
