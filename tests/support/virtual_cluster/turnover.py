"""Turnover: whose pods had to go since a moment, and whose came in for them.

Pods are known by their place in a workload, which a successor takes over.
"""

from elasticquota.model.decision import Decisions
from virtual_cluster.cluster import Life
from virtual_cluster.scene import Scene


Slot = tuple[str, int]


class Turnover:
    """Counts from its making on."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._in = self._slots_in()
        self.evicted: list[Slot] = []
        """In the order of decisions."""
        self.exchanged: list[Slot] = []
        """Those of them that went for somebody who waited, not for a limit."""
        scene.controller.on_round.append(self._note)

    @property
    def gained(self) -> set[Slot]:
        """Who is in now and was not then, without those who had to go meanwhile."""
        return self._slots_in() - self._in - set(self.evicted)

    def _note(self, decisions: Decisions) -> None:
        for eviction in decisions.evictions:
            slot = _slot(self._scene.cluster.lives[eviction.uid])
            self.evicted.append(slot)
            if not eviction.message.endswith("longer than the reclaim delay"):
                self.exchanged.append(slot)

    def _slots_in(self) -> set[Slot]:
        lives = self._scene.cluster.lives
        return {_slot(lives[pod.uid]) for pod in self._scene.cluster.pods.values() if not pod.gated}


def _slot(life: Life) -> Slot:
    return life.workload, life.slot
