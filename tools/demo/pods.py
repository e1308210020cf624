"""Counts pods by workload: how many run, and how many wait at the scheduling gate."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


GATE = "elasticquota.dev/admission"

Object = Mapping[str, Any]


class PodCounts(NamedTuple):
    """How many pods of a workload run, wait, or start or terminate (``between``)."""

    running: int = 0
    waiting: int = 0
    between: int = 0

    def __str__(self) -> str:
        words = [f"{self.running} running", f"{self.waiting} waiting"]
        if self.between:
            words.append(f"{self.between} starting or terminating")
        return ", ".join(words)


def count(pods: Iterable[Object]) -> dict[str, PodCounts]:
    """Counts by workload: the label ``app``, or the pod's name without one."""
    found: dict[str, PodCounts] = defaultdict(PodCounts)
    for pod in pods:
        metadata = pod["metadata"]
        name = metadata.get("labels", {}).get("app", metadata["name"])
        before = found[name]
        if metadata.get("deletionTimestamp"):
            after = before._replace(between=before.between + 1)
        elif waits(pod):
            after = before._replace(waiting=before.waiting + 1)
        elif pod.get("status", {}).get("phase") == "Running":
            after = before._replace(running=before.running + 1)
        else:
            after = before._replace(between=before.between + 1)
        found[name] = after
    return dict(sorted(found.items()))


def waits(pod: Object) -> bool:
    """Whether our gate holds the pod."""
    return any(gate["name"] == GATE for gate in pod["spec"].get("schedulingGates", ()))


def nodes(pods: Iterable[Object]) -> frozenset[str]:
    """The nodes of the pods that have one."""
    return frozenset(pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName"))


def waiting(pods: Iterable[Object]) -> list[str]:
    """Names of the pods that our gate holds, sorted."""
    return sorted(pod["metadata"]["name"] for pod in pods if waits(pod))
