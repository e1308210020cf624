"""What is said of a pod without any decision: its state, its quota and why, what protects it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import names, resources
from elasticquota.forest import membership
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota_cli.failures import nearest
from elasticquota_cli.why.parts import report
from elasticquota_cli.why.parts.report import Rule


class Belonging(NamedTuple):
    """The quota of a pod, and why."""

    quota: str
    """``NO_QUOTA`` for a pod outside of every quota."""
    rule: Rule
    why: str
    without_label: str = ""
    """The quota that it had without its label; empty: the same, or it is not known."""


def to_the_system(pod: Counted, system_namespaces: AbstractSet[str]) -> Belonging | None:
    """The system quota, and why it has the pod; None: it has not."""
    if not membership.of_the_system(pod, system_namespaces):
        return None
    why = "a DaemonSet made it, and it names no quota"
    if isinstance(pod, Pod) and pod.mirror:
        why = "it is a static pod"
    elif pod.key.namespace in system_namespaces:
        why = f"namespace {pod.key.namespace} belongs to the system"
    return Belonging(names.SYSTEM_QUOTA, "system", why)


class PodState(NamedTuple):
    """The state of a pod, and a sentence about it."""

    state: report.State
    message: str


def outline(pod: Counted, home: Belonging, said: PodState) -> report.PodAnswer:
    """The answer about a pod, or job, without any decision."""
    kind, name = "Pod", pod.key.name
    if isinstance(pod, QueuedJob):
        kind, _, named = pod.name.partition(" ")
        name = named.rpartition("/")[2]
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


def firm(pod: Counted) -> str:
    """Why this pod is never reclaimed, whatever its quota holds; empty: it may be."""
    if pod.deleting:
        return "it is being deleted, and counts until it is gone"
    if isinstance(pod, Pod) and pod.mirror:
        return "static pods are never evicted"
    if isinstance(pod, Pod) and pod.daemon:
        return "pods of DaemonSets are never evicted"
    if not pod.preemptible:
        return f"its label {names.PREEMPTIBLE} is false"
    return ""


class Past(NamedTuple):
    """A pod that no longer counts, and why."""

    pod: Pod
    why: str


def finished(pod: Pod, phase: str) -> Past:
    """The entry for a pod that has finished in ``phase``."""
    return Past(pod, f"it has finished ({phase}), and counts nowhere")
