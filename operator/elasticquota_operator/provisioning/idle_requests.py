"""Requests that nothing needs: an autoscaler would make nodes for them all the same.

* Those of workloads that wait and for which nothing is asked now: no quota admits this demand. A
  refused request stays for people to read until the back-off of its workload is over.
* Those without a final answer whose workload has started without them: its pods will not use what
  is booked. Such a request is left behind when a workload starts while its request is being made,
  and when a user starts it. One that was provisioned stays: the pods use it. One that was refused
  makes no nodes any more.
"""

from collections.abc import Container, Iterable, Iterator

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.provisioning import answer, manifests
from elasticquota_operator.context.manifest_store import Manifest
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.provisioning.held import HeldWorkload


def find(
    stored: Iterable[Manifest],
    held: Iterable[HeldWorkload],
    back: Container[Key],
    ledger: Ledger,
    jobs: JobLookup,
) -> Iterator[Manifest]:
    """Return the idle ones of ``stored``; ``back`` are groups in their back-off."""
    parts = [part for workload in held for part in workload.parts]
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
        if former or _is_idle(each, subject, back, ledger, jobs):
            yield each


def _is_idle(
    stored: Manifest, subject: Key, back: Container[Key], ledger: Ledger, jobs: JobLookup
) -> bool:
    """Whether the request, for which no workload is held, makes no sense any more."""
    state = answer.read(stored).state
    is_open = state not in ("provisioned", "refused")
    queued = jobs.queued.get(subject)
    if queued is not None:
        if not manifests.is_owned(stored, (queued.job.uid,)):
            return False
        job = ledger.jobs.get(subject)
        is_back = queued.phase.phase == "Backoff"
        waits = is_back or (job is not None and ledger.is_gated(job))
        return not (is_back and state == "refused") if waits else is_open
    if subject in back and state == "refused":
        return False
    pods = [
        pod
        for name, uid in manifests.owner_names(stored)
        if (pod := ledger.pods.get(Key(subject.namespace, name))) and pod.uid == uid
    ]
    return bool(pods) and (is_open or all(ledger.is_gated(pod) for pod in pods))
