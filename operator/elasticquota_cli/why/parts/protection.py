"""Pods that are never reclaimed."""

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted


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
