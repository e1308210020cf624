"""Requests that nothing needs: those of workloads that wait and for which nothing is asked now.

An autoscaler would make nodes for demand that no quota admits. A refused request stays for people
to read until the back-off of its workload is over.
"""

from collections.abc import Container, Iterable, Iterator

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.provisioning import answer, manifests
from elasticquota_operator.informers.manifest_store import Manifest
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.provisioning.held import Held


def find(
    stored: Iterable[Manifest],
    held: Iterable[Held],
    back: Container[Key],
    ledger: Ledger,
    jobs: JobLookup,
) -> Iterator[Manifest]:
    """Return the idle ones of ``stored``; ``back`` are groups in their back-off."""
    parts = [part for found in held for part in found.parts]
    asked = {Key(each.asking.namespace, each.asking.name(each.attempt)) for each in parts}
    owners = {
        Key(each.asking.namespace, each.asking.subject): [owner.uid for owner in each.asking.owners]
        for each in parts
    }
    for each in stored:
        subject, metadata = manifests.subject(each), each["metadata"]
        if subject is None or Key(metadata["namespace"], metadata["name"]) in asked:
            continue
        if metadata.get("deletionTimestamp") is not None:
            continue
        former = manifests.is_owned(each, owners.get(subject, ()))
        if former or _waits(each, subject, back, ledger, jobs):
            yield each


def _waits(
    stored: Manifest, subject: Key, back: Container[Key], ledger: Ledger, jobs: JobLookup
) -> bool:
    """Whether the workload of a request waits, and the request tells people nothing."""
    refused = answer.read(stored).state == "refused"
    queued = jobs.queued.get(subject)
    if queued is not None:
        job = ledger.jobs.get(subject)
        is_back = queued.phase.phase == "Backoff"
        waits = is_back or (job is not None and ledger.is_gated(job))
        is_its_own = manifests.is_owned(stored, (queued.job.uid,))
        return waits and is_its_own and not (is_back and refused)
    if subject in back and refused:
        return False
    pods = [
        pod
        for name, uid in manifests.owner_names(stored)
        if (pod := ledger.pods.get(Key(subject.namespace, name))) and pod.uid == uid
    ]
    return bool(pods) and all(ledger.is_gated(pod) for pod in pods)
