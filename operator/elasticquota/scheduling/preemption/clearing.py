"""Clearing a node: the victims there so far, and what the waiting pod still lacks on it."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import resources, totals
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption.targets import Victim
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place


_MOST_MOVED: Final = 4
"""How many victims a further one may come before, if not before all."""
_MOST_TRIED: Final = 64
"""How many victims of one node are tried before others."""


Steps = Sequence[tuple[Victim, Resources]]
"""Victims, with what each returns on the node."""


class Clearing:
    """The victims on one node so far; ``missing`` is what the waiting pod still lacks there."""

    def __init__(
        self,
        snapshot: TreeSnapshot,
        lacking: AbstractSet[str],
        node: str = "",
        missing: Resources = resources.EMPTY,
        place: int = 0,
    ) -> None:
        """Without a ``node``: a victim goes for amounts."""
        self._snapshot = snapshot
        self.lacking = lacking
        """The resources of which rank 2 and 3 speak (``floors``)."""
        self.node = node
        self.whole = self.missing = missing
        self.place = place
        """In which order the nodes were met."""
        self.steps: list[tuple[Victim, Resources]] = []
        self.taken: dict[Place, dict[str, int]] = {}
        self._tried = 0

    def add(self, victim: Victim, released: Resources) -> None:
        self.steps.append((victim, released))
        self.missing = resources.positive(resources.subtract(self.missing, released))
        for place in self._snapshot.places(victim.quota):
            totals.add(self.taken.setdefault(place, {}), victim.workload.request)

    def start(self, quota: str, request: Resources) -> None:
        """Count a workload of ``quota`` as if it ran."""
        for place in self._snapshot.places(quota):
            self.taken[place] = resources.subtract(self.taken.get(place, resources.EMPTY), request)

    def with_victims(self, steps: Steps) -> "Clearing":
        """The same node with other victims."""
        found = Clearing(self._snapshot, self.lacking, self.node, self.whole, self.place)
        for victim, released in steps:
            found.add(victim, released)
        return found

    def replace(self, other: "Clearing") -> None:
        """Take the victims of another set for the same node."""
        self.missing, self.steps, self.taken = other.missing, other.steps, other.taken

    @property
    def surplus(self) -> int:
        """What its victims return beyond what was missing, in parts of that."""
        return self._part(resources.add(*(released for _, released in self.steps)))

    def _part(self, released: Resources) -> int:
        return sum(released.get(key, 0) * 1000 // most for key, most in self.whole.items())

    def bases_for(
        self, workload: Workload, released: Resources
    ) -> Iterator[tuple["Clearing", Steps]]:
        """Some of the victims, with which another one may go that may not with all; and the rest.

        None once ``_MOST_TRIED`` others were tried on this node.
        """
        if self._tried >= _MOST_TRIED:
            return
        for number, rest in enumerate(filter(None, self._to_leave_out(workload, released))):
            self._tried += number == 0
            yield self.with_victims([each for each in self.steps if each not in rest]), rest

    def _to_leave_out(self, workload: Workload, released: Resources) -> Iterator[Steps]:
        """The last few or all; those not on this node as a whole; the smallest few; all by size.

        Not the last few if the very last is just like this one: where that one may go, this one
        may not. A gang on two nodes takes as much of what its quota has beyond its floor, and
        returns less here; so does a small pod.
        """
        steps, part = self.steps, self._part(released)
        if steps and (steps[-1][0].workload.request, steps[-1][1]) != (workload.request, released):
            least = max(len(steps) - _MOST_MOVED, 0)
            for count in dict.fromkeys((*range(len(steps) - 1, least - 1, -1), 0)):
                yield steps[count:]
        if released is workload.request:
            yield [each for each in steps if each[1] is not each[0].workload.request]
        largest = sorted(steps, key=lambda each: -self._part(each[1]))
        smaller = [each for each in largest if self._part(each[1]) < part]
        for count in range(1, min(len(smaller), _MOST_MOVED) + 1):
            yield smaller[-count:]
        if smaller:
            yield largest

    def spare(self) -> None:
        """Leave out those that need not go, the most important first."""
        returned = resources.add(*(released for _, released in self.steps))
        kept: list[tuple[Victim, Resources]] = []
        for victim, released in reversed(self.steps):
            without = resources.subtract(returned, released)
            if all(without.get(key, 0) >= most for key, most in self.whole.items()):
                returned = without
            else:
                kept.append((victim, released))
        self.steps = kept[::-1]
