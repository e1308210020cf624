"""Clearing a node: the victims there so far, and what the waiting pod still lacks on it."""

from collections.abc import Iterable, Iterator, Sequence
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
        """With what each returns on the node."""
        self.taken: dict[Place, dict[str, int]] = {}
        self._moves = 0

    def add(self, victim: Victim, released: Resources) -> None:
        self.steps.append((victim, released))
        self.missing = resources.positive(resources.subtract(self.missing, released))
        for place in self._snapshot.places(victim.quota):
            totals.add(self.taken.setdefault(place, {}), victim.workload.request)

    def with_victims(self, steps: Iterable[tuple[Victim, Resources]]) -> "Clearing":
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
        returned = resources.add(*(released for _, released in self.steps))
        return sum(returned.get(key, 0) * 1000 // most for key, most in self.whole.items())

    def bases_for(
        self, workload: Workload, released: Resources
    ) -> Iterator[tuple["Clearing", Sequence[tuple[Victim, Resources]]]]:
        """Some of the victims, behind which another one may come that cannot behind all; the rest.

        All but few, or none. Of victims that return the same here, and hold the same in all, none
        does better there. And those that hold nothing elsewhere, as it does: a gang on two nodes
        takes as much of what its quota has beyond its floor, and returns less here.
        """
        steps, is_whole = self.steps, released is workload.request
        parts = [one for one in steps if is_whole and one[1] is not one[0].workload.request]
        alike = [(its.workload.request, returned) for its, returned in steps[-1:]]
        differs = alike not in ([], [(workload.request, released)])
        if self._moves >= _MOST_TRIED or not (parts or differs):
            return
        self._moves += 1
        if differs:
            few = range(len(steps) - 1, max(len(steps) - _MOST_MOVED, 0) - 1, -1)
            yield from ((self.with_victims(steps[:n]), steps[n:]) for n in dict.fromkeys((*few, 0)))
        if parts:
            yield (
                self.with_victims(one for one in steps if one[1] is one[0].workload.request),
                parts,
            )

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
