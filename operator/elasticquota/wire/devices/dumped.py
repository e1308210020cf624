"""What the file of ``/debug/ledger`` says about devices that neither a pod nor a node can say.

There the request of a pod and what a node offers contain their devices already. Annotations, which
exist only in the file, hold why a pod or job waits for its claims, and which devices count
elsewhere.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from elasticquota.model.claims import ClaimingJob, ClaimingPod
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import fields_of, replace
from elasticquota.wire.codec import amounts
from elasticquota.wire.kubernetes import pod_claims


OBSTACLE: Final = "explain.elasticquota.dev/claim"
SHARED: Final = "explain.elasticquota.dev/shared-devices"


def pod_annotations(pod: Pod) -> dict[str, str]:
    """Return what to write on the pod."""
    if isinstance(pod, ClaimingPod) and pod.obstacle:
        return {OBSTACLE: pod.obstacle}
    return {}


def job_annotations(job: QueuedJob) -> dict[str, str]:
    """Return what to write on the document of a queued job."""
    if isinstance(job, ClaimingJob) and job.obstacle:
        return {OBSTACLE: job.obstacle}
    return {}


def node_annotations(node: Node) -> dict[str, str]:
    """Return what to write on the node."""
    if not node.shared:
        return {}
    return {SHARED: msgspec.json.encode(amounts.plain(node.shared)).decode()}


def pod(found: Pod, annotations: Mapping[str, str]) -> Pod:
    """Return a pod that was read from the file as it was in the ledger."""
    obstacle = annotations.get(OBSTACLE)
    return pod_claims.waiting(found, obstacle) if obstacle else found


def job(found: QueuedJob, annotations: Mapping[str, str]) -> QueuedJob:
    """Return a job that was read from the file as it was in the ledger."""
    obstacle = annotations.get(OBSTACLE)
    if not obstacle:
        return found
    return ClaimingJob(**fields_of(QueuedJob, found), obstacle=obstacle)


def node(found: Node, annotations: Mapping[str, str]) -> Node:
    """Return a node that was read from the file as it was in the ledger."""
    shared = amounts.read_json(annotations.get(SHARED, ""), SHARED, [])
    return replace(found, shared=shared) if shared else found
