"""The trial of many worlds: run each one, and collect what it contains and what fails in it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final, NamedTuple

from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.decisions.decide import decide
from judgements import Failure
from small_worlds import enumeration
from small_worlds.description import WorldSpec, in_words
from small_worlds.oracles import Judge
from small_worlds.recording import Recording
from small_worlds.world import CacheWithoutStatuses, Decider, World


class Found(NamedTuple):
    """In how many worlds something fails, and the smallest of them."""

    worlds: int
    size: int
    examples: tuple[int, ...]
    """Indexes, that of the smallest one first."""
    detail: str


_EXAMPLES: Final = 3


class Report:
    """What many worlds contain; mutable."""

    def __init__(self) -> None:
        self.worlds = 0
        self.cycles = 0
        self.replayed = 0
        """Cycles that are the same as in the world before."""
        self.stands_for = 0
        """How many worlds there are with those that differ by what may change places."""
        self.last = 0
        """The highest index."""
        self.content: Counter[str] = Counter()
        """Fact -> in how many worlds."""
        self.failures: dict[tuple[str, str], Found] = {}
        """By promise and kind."""

    @property
    def broken(self) -> set[str]:
        """The promises that are broken."""
        return {promise for promise, _ in self.failures}

    def add(self, index: int, spec: WorldSpec, world: World, facts: Iterable[str]) -> None:
        """Note a world that was run, apart from its failures."""
        family = enumeration.family_of(index)
        self.worlds += 1
        self.cycles += world.cycles
        self.stands_for += enumeration.stands_for(family, spec)
        self.last = max(self.last, index)
        self.content.update({*facts, f"family: {family.name}"})

    def note(self, kind: tuple[str, str], found: Found) -> None:
        """Note a failure of some worlds."""
        before = self.failures.get(kind)
        if before is None:
            self.failures[kind] = found
            return
        least, other = sorted((before, found), key=lambda each: (each.size, each.examples))
        examples = (*least.examples, *other.examples)[:_EXAMPLES]
        worlds = before.worlds + found.worlds
        self.failures[kind] = least._replace(worlds=worlds, examples=examples)

    def merge(self, other: "Report") -> None:
        """Add what another report has."""
        self.worlds += other.worlds
        self.cycles += other.cycles
        self.replayed += other.replayed
        self.stands_for += other.stands_for
        self.last = max(self.last, other.last)
        self.content.update(other.content)
        for kind, found in other.failures.items():
            self.note(kind, found)

    def in_words(self) -> Iterator[str]:
        """Each kind of failure, with the smallest world in which it was seen."""
        for (promise, kind), found in sorted(self.failures.items()):
            first, *others = found.examples
            more = f"; others: {', '.join(map(str, others))}" if others else ""
            yield f"{promise}: {kind}: in {found.worlds} worlds{more}; the smallest, {first}:"
            spec = enumeration.world(first)
            if spec is not None:
                yield from (f"    {line}" for line in in_words(spec))
            yield f"    -> {found.detail}"


class Trial:
    """Runs one world after the other; what a world has in common with the one before runs once."""

    def __init__(self, decider: Decider = decide) -> None:
        self.report = Report()
        self._decider = decider
        self._recording = Recording()

    def add(self, index: int, spec: WorldSpec) -> None:
        """Run one world. What fails runs once more without the world before."""
        self._recording.begin(spec)
        judge = judge_of(index)
        caches = CycleCache if judge.compares else CacheWithoutStatuses
        world = World(spec, judge, self._decider, self._recording, caches)
        run(index, world, judge)
        failures = judge.failures
        if failures:
            alone = judge_of(index)
            run(index, World(spec, alone, self._decider), alone)
            kind = "what fails after another world does not fail alone"
            failures = alone.failures or [Failure("P9", kind, str(failures[0]))]
        self.report.add(index, spec, world, judge.facts)
        self.report.replayed += self._recording.replayed
        for failure in {(each.promise, each.kind): each for each in failures}.values():
            found = Found(1, spec.size, (index,), failure.detail)
            self.report.note((failure.promise, failure.kind), found)
        if failures:  # The ledger may be in an odd state.
            self._recording = Recording()


def judge_of(index: int, sort: type[Judge] = Judge) -> Judge:
    """The judge of a world: some compare each decision with that of a new ledger."""
    return sort(compares=index % 17 == 5)


def run(index: int, world: World, judge: Judge) -> None:
    """Run a world to its end, some with a restart; an error is a failure, too."""
    try:
        world.run(restarts=index % 5 == 0)
    except Exception as error:  # noqa: BLE001 - any fault of the code is a finding
        kind = f"{type(error).__name__} is raised"
        judge.failures.append(Failure("error", kind, str(error)))


def worlds(start: int = 0, step: int = 1) -> Iterator[tuple[int, WorldSpec]]:
    """The worlds of the blocks ``start``, ``start + step`` and so on with their indexes."""
    for block in count(start, step):
        for index in range(block * enumeration.BLOCK, (block + 1) * enumeration.BLOCK):
            spec = enumeration.world(index)
            if spec is not None:
                yield index, spec
