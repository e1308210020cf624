"""The message of one pod or job, with the warnings about a pod itself at its end.

A label with an invalid value counts as absent; the message that says why the pod waits, or that it
was admitted, says that too.
"""

from elasticquota import names
from elasticquota.model.decision import Release, Wait, WaitReason
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.model.workload import Counted


def release(
    pod: Counted,
    quota: str,
    text: str,
    nodes: Selector = EVERYTHING,
    gang: Key | None = None,
) -> Release:
    """The release of this gated pod or job, with its message and the gang that it is one of."""
    gate = pod.gates.index(names.GATE)
    return Release(pod.key, pod.uid, quota, gate, _whole(pod, text), nodes, gang)


def wait(pod: Counted, quota: str, reason: WaitReason, text: str, place: int = 0) -> Wait:
    """The wait of this pod or job; ``place`` in its queue from 1, or 0 outside of it."""
    return Wait(pod.key, pod.uid, quota, reason, _whole(pod, text), place)


def _whole(pod: Counted, text: str) -> str:
    if not isinstance(pod, Pod) or not pod.warnings:
        return text
    return f"{text}; ignored: {'; '.join(pod.warnings)}"
