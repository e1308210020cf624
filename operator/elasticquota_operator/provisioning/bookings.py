"""The annotations by which the pods of a job use the nodes that were booked for it.

A job's pods exist only after its start, and each of them is released by itself.
"""

from collections.abc import Iterable, Iterator

from elasticquota.jobs import phase
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release
from elasticquota.model.key import Key
from elasticquota.provisioning import answer, manifests
from elasticquota.structs import replace
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.provisioning.requests import Requests


def annotated(
    releases: Iterable[Release], ledger: Ledger, jobs: JobLookup, of: Requests
) -> Iterator[Release]:
    """The releases, those of pods of a job with the annotations of its booking."""
    for release in releases:
        pod = ledger.pods.get(release.pod)
        if pod is None or not pod.jobs or release.annotations:
            yield release
            continue
        coverage = ledger.snapshot.index.job_of(pod)
        booked = {} if coverage is None else _booked(coverage.job.key, jobs, of)
        yield replace(release, annotations=booked) if booked else release


def _booked(job: Key, jobs: JobLookup, of: Requests) -> dict[str, str]:
    """The annotations by the last request that was provisioned for a job; empty: there is none."""
    queued = jobs.queued.get(job)
    if queued is None or queued.phase.phase not in phase.ADMITTED:
        return {}
    provisioned = [
        (
            str(stored["metadata"].get("creationTimestamp")),
            str(stored["metadata"]["name"]),
            manifests.class_name(stored),
        )
        for stored in of.of_subject(job)
        if manifests.is_owned(stored, (queued.job.uid,))
        and answer.read(stored).state == "provisioned"
    ]
    return manifests.consumption(*max(provisioned)[1:]) if provisioned else {}
