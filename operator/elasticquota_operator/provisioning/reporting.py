"""What users read of a workload that waits for its nodes, and on which object."""

from collections.abc import Iterator

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Wait
from elasticquota.provisioning.step import ProvisioningStep
from elasticquota.status import messages, pod_messages
from elasticquota_kube.events import Regarding
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.provisioning.held import HeldWorkload


def waits(found: HeldWorkload, holding: ProvisioningStep, ledger: Ledger) -> Iterator[Wait]:
    """Why each of its pods, or the job, waits."""
    message = messages.asked_for_nodes(holding.text)
    for release in found.releases:
        stored = ledger.counted(release.pod)
        if stored is not None:
            yield pod_messages.wait(stored, release.quota, message)


def regarding(found: HeldWorkload, jobs: JobLookup) -> Regarding:
    """The object of its events: the job, or the first pod of the group."""
    queued = jobs.queued.get(found.subject)
    if queued is not None:
        return queued.regarding
    first = found.releases[0]
    return Regarding.pod(first.pod, first.uid)
