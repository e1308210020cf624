"""What is said of a pod without any decision: its state, its quota, and what it asks for."""

from collections.abc import Sequence
from typing import NamedTuple

from elasticquota import resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model.key import Key
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota_cli.failures import nearest
from elasticquota_cli.why.parts import report
from elasticquota_cli.why.parts.belonging import Belonging


class PodState(NamedTuple):
    """The state of a pod, and a sentence about it."""

    state: report.State
    message: str


def outline(pod: Counted, home: Belonging, said: PodState) -> report.PodAnswer:
    """The answer about a pod, or job, without any decision."""
    kind, name = "Pod", pod.key.name
    if isinstance(pod, QueuedJob):
        kind, name = pod.name.kind, pod.name.key.name
    return report.PodAnswer(
        kind=kind,
        namespace=pod.key.namespace,
        name=name,
        state=said.state,
        message=said.message,
        quota=home.quota,
        tree="",
        rule=home.rule,
        rule_message=home.why,
        quota_without_label=home.without_label,
        request=resources.text(pod.request),
        priority=pod.priority,
        since=pod.created,
    )


def unlimited(quota: str) -> PodState:
    """State and message of a pod of the system quota or of none, which our gate does not hold."""
    of = "belongs to no quota" if quota == NO_QUOTA else "belongs to the system quota"
    return PodState("Unlimited", f"it {of}, so it is neither limited nor reclaimed")


def present(pod: Counted) -> PodState:
    """State and message of a pod that our gate does not hold, or of an admitted job."""
    if isinstance(pod, QueuedJob):
        return _present_job(pod)
    if pod.deleting:
        return PodState("Terminating", "it is being deleted, and counts until it is gone")
    if not pod.bound:
        return PodState("Admitted", "it is admitted, and has no node yet")
    since = f" since {pod.started}" if pod.started else ""
    return PodState("Running", f"it is admitted, and on node {pod.node_name}{since}")


def _present_job(job: QueuedJob) -> PodState:
    if job.deleting:
        return PodState("Terminating", "it was suspended, and its pods count until they are gone")
    return PodState(
        "Admitted", "it is admitted as a whole, and reserves what its pods do not use yet"
    )


def absent_among(key: Key, known: Sequence[Key]) -> str:
    """The message for a pod that does not exist, with the nearest of the ``known``."""
    return f"there is no pod {key}{nearest.hint_of_key(key, known)}"
