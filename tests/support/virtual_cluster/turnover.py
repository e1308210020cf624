"""Turnover: the pods that were evicted since a moment, and those admitted for them.

Pods are identified by their slot in a workload, which a successor takes over.
"""

from elasticquota.model.decision import Decisions
from virtual_cluster.cluster import PodLifetime
from virtual_cluster.scene import Scene


Slot = tuple[str, int]


class Turnover:
    """Counts from its creation on."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._in = self._slots_in()
        self.evicted: list[Slot] = []
        """In the order of decisions."""
        self.exchanged: list[Slot] = []
        """Those of them that were evicted for a waiting pod, not for a limit."""
        scene.controller.on_round.append(self._note)

    @property
    def gained(self) -> set[Slot]:
        """Slots admitted now and not at the start, without those evicted meanwhile."""
        return self._slots_in() - self._in - set(self.evicted)

    def _note(self, decisions: Decisions) -> None:
        for eviction in decisions.evictions:
            slot = _slot(self._scene.cluster.lifetimes[eviction.uid])
            self.evicted.append(slot)
            if not eviction.message.endswith("longer than the reclaim delay"):
                self.exchanged.append(slot)

    def _slots_in(self) -> set[Slot]:
        lifetimes = self._scene.cluster.lifetimes
        return {
            _slot(lifetimes[pod.uid]) for pod in self._scene.cluster.pods.values() if not pod.gated
        }


def _slot(life: PodLifetime) -> Slot:
    return life.workload, life.slot
