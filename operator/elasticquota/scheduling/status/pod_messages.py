"""What one pod is told, with what was wrong on the pod itself at the end of it.

A label that steers enforcement and has an impossible value counts as if it were not there; who
reads why the pod waits, or that it was let in, reads that too.
"""

from elasticquota import names
from elasticquota.model.decision import Release, Wait, WaitReason
from elasticquota.model.pod import Pod
from elasticquota.model.selector import EVERYTHING, Selector


def release(pod: Pod, quota: str, text: str, nodes: Selector = EVERYTHING) -> Release:
    """Let this gated pod in."""
    gate = pod.gates.index(names.GATE)
    return Release(pod.key, pod.uid, quota, gate, _whole(pod, text), nodes)


def wait(pod: Pod, quota: str, reason: WaitReason, text: str, place: int = 0) -> Wait:
    """Have this pod wait; ``place`` in its line from 1, or 0 outside of it."""
    return Wait(pod.key, pod.uid, quota, reason, _whole(pod, text), place)


def _whole(pod: Pod, text: str) -> str:
    return f"{text}; ignored: {'; '.join(pod.warnings)}" if pod.warnings else text
