"""Turnover: the pods that were evicted since a moment, and those admitted for them.

Pods are identified by their slot in a workload, which a successor takes over.
"""

from collections.abc import Iterable

from elasticquota import resources
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.resources import Resources
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
        self.again: list[Slot] = []
        """Those that were evicted before, for another quota or a limit.

        Not once more one that started beyond the runtime of its quota, on idle room.
        """
        self._lent: set[Slot] = set()
        """What started beyond the runtime of its quota, and was not evicted since."""
        scene.controller.on_round.append(self._note)

    @property
    def gained(self) -> set[Slot]:
        """Slots admitted now and not at the start, without those evicted meanwhile."""
        return self._slots_in() - self._in - set(self.evicted)

    @property
    def started(self) -> set[Slot]:
        """Slots admitted now that were not at the start, or were evicted meanwhile."""
        return self._slots_in() - (self._in - set(self.evicted))

    def _note(self, decisions: Decisions) -> None:
        beyond = self._beyond_max()
        for eviction in decisions.evictions:
            slot = _slot(self._scene.cluster.lifetimes[eviction.uid])
            self._note_again(slot, eviction)
            self.evicted.append(slot)
            for_limit = self._returns_excess(eviction, beyond)
            if not (for_limit or eviction.message.endswith("longer than the reclaim delay")):
                self.exchanged.append(slot)

        self._note_lent(decisions)

    def _note_again(self, slot: Slot, eviction: Eviction) -> None:
        before = self.evicted.count(slot)
        may_go = not before or (before == 1 and slot in self._lent)
        if eviction.right != "priority" and not may_go:
            self.again.append(slot)
        self._lent.discard(slot)

    def _note_lent(self, decisions: Decisions) -> None:
        statuses = {each.key.name: each for each in decisions.statuses}
        pods = {pod.uid: pod for pod in self._scene.cluster.pods.values()}
        released: dict[str, Resources] = {}
        for each in decisions.releases:
            if each.uid not in pods:  # the controller does not know yet that it is gone
                continue
            its, before = statuses[each.quota], released.get(each.quota, resources.EMPTY)
            now = released[each.quota] = resources.add(before, pods[each.uid].request)
            held = resources.masked(resources.add(its.admitted, now), its.runtime.keys())
            if not resources.fits(held, its.runtime):
                self._lent.add(_slot(self._scene.cluster.lifetimes[each.uid]))

    def _beyond_max(self) -> dict[str, Resources]:
        """By quota, what the pods of its subtree that stay hold beyond its max."""
        books = self._scene.books
        beyond: dict[str, Resources] = {
            name: resources.subtract({}, books.forest.quotas[name].max)
            for name in self._scene.tree.tree.children
        }
        for name in self._scene.tree.tree.children:
            account = books.account(name)
            staying = resources.subtract(account.admitted, account.returning)
            _add(beyond, books.forest.path(name), staying)
        return beyond

    def _returns_excess(self, eviction: Eviction, beyond: dict[str, Resources]) -> bool:
        """Whether a max is exceeded as long as this pod stays; then take it out of ``beyond``.

        The message of such a pod may name a waiting quota, because that quota gains the room.
        """
        path = self._scene.books.forest.path(eviction.quota)
        exceeded = any(most > 0 for name in path for most in beyond[name].values())
        _add(beyond, path, resources.subtract({}, eviction.request))
        return exceeded

    def _slots_in(self) -> set[Slot]:
        lifetimes = self._scene.cluster.lifetimes
        return {
            _slot(lifetimes[pod.uid]) for pod in self._scene.cluster.pods.values() if not pod.gated
        }


def _slot(life: PodLifetime) -> Slot:
    return life.workload, life.slot


def _add(beyond: dict[str, Resources], path: Iterable[str], amounts: Resources) -> None:
    """Add ``amounts``, of the resources that each quota of the ``path`` limits."""
    for name in path:
        limited = resources.masked(amounts, beyond[name].keys())
        beyond[name] = resources.add(beyond[name], limited)
