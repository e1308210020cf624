"""Back-off for nodes with external pods, whose room their creators may fill again.

An external pod needs no release. So one that is created again, or that waited for a scheduler, can
take the room of an evicted one before the pod that it was evicted for. Evicting that one too, as
soon as it is there, would go on without end. So evictions of pods that came to a node since the
first eviction there are 1, 2, 4 to 60 s apart. Pods that were there before go without a pause.
"""

from typing import Final

from elasticquota.model import moments
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct
from elasticquota_kube.client import retry


FIRST: Final = 1.0
LONGEST: Final = 60.0
MEMORY: Final = 2 * LONGEST
"""Seconds after the end of its pause in which a node is remembered."""


class _Series(Struct):
    """A series of evictions on a node."""

    began: int
    """When the first one was, in epoch milliseconds."""
    evictions: int = 0
    not_before: float = 0.0
    """When the next one may be, on the clock of ``now``."""


class NodeBackoff:
    """The nodes with recent evictions of external pods; mutable."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Series] = {}

    def evict(self, pod: Pod, time: int, now: float) -> float:
        """Seconds until ``pod`` may be evicted from its node; 0.0: now, and its eviction counts.

        ``time`` is the wall clock in epoch milliseconds, ``now`` seconds on any clock.
        """
        for name in [name for name, each in self._nodes.items() if now > each.not_before + MEMORY]:
            del self._nodes[name]
        series = self._nodes.get(pod.node_name)
        if series is None:
            series = self._nodes[pod.node_name] = _Series(time)
        elif not _came_since(series.began, pod):
            return 0.0
        elif now < series.not_before:
            return series.not_before - now
        series.evictions += 1
        series.not_before = now + retry.doubled(series.evictions, FIRST, LONGEST)
        return 0.0


def _came_since(time: int, pod: Pod) -> bool:
    """Whether the pod came to its node in the second of ``time`` or later."""
    came = moments.read(pod.started or pod.created)
    return came is not None and came >= time // 1000 * 1000
