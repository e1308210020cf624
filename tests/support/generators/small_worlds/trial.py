"""The trial of many worlds: run each one, and collect what it contains and what fails in it."""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from elasticquota.scheduling.decide import decide
from small_worlds import enumeration
from small_worlds.description import WorldSpec, in_words
from small_worlds.oracles import Failure, Judge
from small_worlds.world import Decider, World


class Found(NamedTuple):
    """In how many worlds something fails, and the smallest of them."""

    worlds: int
    size: int
    first: int
    """The index of the smallest one."""
    detail: str


class Report:
    """What many worlds contain; mutable."""

    def __init__(self) -> None:
        self.worlds = 0
        self.cycles = 0
        self.content: Counter[str] = Counter()
        """Fact -> in how many worlds."""
        self.failures: dict[tuple[str, str], Found] = {}
        """By promise and kind."""

    @property
    def broken(self) -> set[str]:
        """The promises that are broken."""
        return {promise for promise, _ in self.failures}

    def add(self, index: int, spec: WorldSpec, decider: Decider = decide) -> None:
        """Run one world. Some are compared with a new ledger, and some end with a restart."""
        judge = Judge(compares=index % 16 == 5)
        world = World(spec, judge, decider)
        try:
            world.run(restarts=index % 3 == 0)
        except Exception as error:  # noqa: BLE001 - any fault of the code is a finding
            kind = f"{type(error).__name__} is raised"
            judge.failures.append(Failure("error", kind, str(error)))
        self.worlds += 1
        self.cycles += world.cycles
        self.content.update({*judge.facts, f"family: {enumeration.family_of(index).name}"})
        for failure in {(each.promise, each.kind): each for each in judge.failures}.values():
            found = Found(1, spec.size, index, failure.detail)
            self._note((failure.promise, failure.kind), found)

    def merge(self, other: "Report") -> None:
        """Add what another report has."""
        self.worlds += other.worlds
        self.cycles += other.cycles
        self.content.update(other.content)
        for kind, found in other.failures.items():
            self._note(kind, found)

    def in_words(self) -> Iterator[str]:
        """Each kind of failure, with the smallest world in which it was seen."""
        for (promise, kind), found in sorted(self.failures.items()):
            yield f"{promise}: {kind}: in {found.worlds} worlds; the smallest, {found.first}:"
            spec = enumeration.world(found.first)
            if spec is not None:
                yield from (f"    {line}" for line in in_words(spec))
            yield f"    -> {found.detail}"

    def _note(self, kind: tuple[str, str], found: Found) -> None:
        before = self.failures.get(kind)
        if before is None:
            self.failures[kind] = found
            return
        least = min(before, found, key=lambda each: (each.size, each.first))
        self.failures[kind] = least._replace(worlds=before.worlds + found.worlds)


def worlds(start: int = 0, step: int = 1) -> Iterator[tuple[int, WorldSpec]]:
    """The indexes from ``start`` that have a world, and their worlds, without end."""
    for index in count(start, step):
        spec = enumeration.world(index)
        if spec is not None:
            yield index, spec
