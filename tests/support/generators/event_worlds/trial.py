"""The trial of worlds: play each one, rest, restart, ask for what is due, and make it smaller."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from event_worlds import generation, ways
from event_worlds.comparing import Comparing
from event_worlds.description import Event, Submitted, WorldSpec
from event_worlds.oracles import Judge
from event_worlds.play import Play
from event_worlds.sums import Sums, Unit
from judgements import Failure
from virtual_cluster.controller import Decider
from virtual_cluster.timeline import SECOND


_OWNER_GRACE: Final = 5 * SECOND
"""``Policy.grace``."""
_ALLOWED: Final = 10 * SECOND
"""How long a due pod may wait beyond the graces."""


class Outcome(NamedTuple):
    """What one world contains and breaks."""

    failures: list[Failure]
    facts: list[str]
    cycles: int
    decisions: list[tuple[int, str, str]]
    """Each with its time: what is done, and with which pod."""


def run(spec: WorldSpec, decider: Decider | None = None, judge: Judge | None = None) -> Outcome:
    """Play a world to its end."""
    judge = judge or Judge()
    comparing = Comparing(decider, Random(0))
    cycles = 0
    decisions = []
    try:
        play = Play(spec, judge, comparing)
        if play.run() and not _restart(play, judge):
            _ask_for_what_is_due(play, judge)
        scene = play.scene
        cycles = scene.controller.rounds
        decisions = [(time, "release", each.pod.name) for time, each in scene.releases]
        decisions += [(time, "evict", each.pod.name) for time, each in scene.evictions]
    except Exception as error:  # noqa: BLE001 - any fault of the code is a finding
        judge.fail("error", f"{type(error).__name__} is raised", str(error))
    for sort, detail in comparing.different:
        judge.fail("P9", f"a new ledger {sort} something else", detail)
    if comparing.compared:
        judge.facts.append("compared with a new ledger")
    return Outcome(judge.failures, judge.facts, cycles, decisions)


def _restart(play: Play, judge: Judge) -> bool:
    """Let a new process read the world at rest; whether it does not come to rest."""
    judge.restarted = True
    play.scene.controller.restart()
    rests = play.settle()
    judge.restarted = False
    return not rests


def _ask_for_what_is_due(play: Play, judge: Judge) -> None:
    """P11: an owner asks for a pod within its min, whatever others did; it runs in time."""
    if play.spec.faults:
        return
    for name in sorted(play.quotas):
        sums = Sums(play)
        asked = Submitted(f"due-{name}", name, {"cpu": 1})
        if not name.startswith("q") or not _is_due(sums, asked):
            continue
        judge.facts.append("a due pod comes at rest")
        longest = max((unit.workload.grace for unit in sums.running), default=0)
        end = play.now + _OWNER_GRACE + longest * SECOND + _ALLOWED
        play.happens(asked)
        if not play.settle():
            return
        started = [time for pod, time in play.ran.items() if pod.startswith(f"{asked.name}-")]
        if not started or started[0] > end:
            detail = f"{asked.name} after {(started or [0])[0] - end} ms"
            judge.fail("P11", "a due pod starts late" if started else "a due pod waits", detail)


def _is_due(sums: Sums, asked: Submitted) -> bool:
    """Whether a pod would be due, alone, and some way leads to its place."""
    quota = asked.quota
    if _own(sums, quota) or any(unit.quota == quota for unit in sums.waiting):
        return False
    if any(sums.due_from(unit) is not None for unit in sums.waiting):
        return False
    unit = Unit(asked, ())
    if sums.due_from(unit) != 0:
        return False
    return sums.places(unit) or bool(ways.victims(sums, unit, 0))


def _own(sums: Sums, quota: str) -> bool:
    return any(unit.quota == quota or not unit.workload.malice for unit in sums.unplaced)


class Found(NamedTuple):
    """In which worlds something fails, and what does in the smallest of them."""

    seeds: tuple[int, ...]
    """The smallest world first."""
    size: int
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

    def add(self, seed: int, decider: Decider | None = None) -> None:
        """Run the world of a seed."""
        spec = generation.world(seed)
        outcome = run(spec, decider)
        self.worlds += 1
        self.cycles += outcome.cycles
        self.content.update(set(outcome.facts))
        for failure in {(each.promise, each.kind): each for each in outcome.failures}.values():
            self._note(failure, Found((seed,), spec.size, failure.detail))

    def merge(self, other: "Report") -> None:
        """Add what another report has."""
        self.worlds += other.worlds
        self.cycles += other.cycles
        self.content.update(other.content)
        for (promise, kind), found in other.failures.items():
            self._note(Failure(promise, kind, ""), found)

    def in_words(self) -> Iterator[str]:
        """Each kind of failure, with the worlds in which it was seen."""
        for (promise, kind), found in sorted(self.failures.items()):
            seeds = ", ".join(str(seed) for seed in found.seeds)
            yield f"{promise}: {kind}: in {len(found.seeds)} worlds, the smallest first: {seeds}"
            yield f"    -> {found.detail}"

    def _note(self, failure: Failure, found: Found) -> None:
        kind = (failure.promise, failure.kind)
        before = self.failures.get(kind)
        if before is not None:
            first, second = sorted((before, found), key=lambda each: (each.size, each.seeds))
            found = first._replace(seeds=first.seeds + second.seeds)
        self.failures[kind] = found


def smaller(spec: WorldSpec, failure: Failure) -> WorldSpec:
    """The smallest world that can be found by leaving parts out, and that fails in the same way."""
    while True:
        for candidate in _parts(spec):
            kinds = {(each.promise, each.kind) for each in run(candidate).failures}
            if (failure.promise, failure.kind) in kinds:
                spec = candidate
                break
        else:
            return spec


def _parts(spec: WorldSpec) -> Iterator[WorldSpec]:
    """The world without some of its parts, the largest parts first."""
    count = len(spec.events)
    length = count // 2
    while length:
        for begin in range(0, count, length):
            yield spec._replace(events=spec.events[:begin] + spec.events[begin + length :])
        length //= 2
    for number, quota in enumerate(spec.quotas):
        if not any(each.parent == quota.name for each in spec.quotas):
            left = spec.quotas[:number] + spec.quotas[number + 1 :]
            events = [each for each in spec.events if not _is_of(each[1], quota.name)]
            yield spec._replace(quotas=left, events=tuple(events))
    for number in range(len(spec.nodes) if len(spec.nodes) > 1 else 0):
        yield spec._replace(nodes=spec.nodes[:number] + spec.nodes[number + 1 :])
    if spec.faults:
        yield spec._replace(faults=False)
    for number, (wait, event) in enumerate(spec.events):
        for simple in _simpler(wait, event):
            yield spec._replace(events=(*spec.events[:number], simple, *spec.events[number + 1 :]))


def _is_of(event: Event, quota: str) -> bool:
    return isinstance(event, Submitted) and event.quota == quota


def _simpler(wait: int, event: Event) -> Iterator[tuple[int, Event]]:
    if isinstance(event, Submitted):
        plain = Submitted("", "", {})
        for name in ("grace", "runs", "priority", "may_preempt", "preemptible", "evict_last"):
            if getattr(event, name) != getattr(plain, name):
                yield wait, event._replace(**{name: getattr(plain, name)})
        if event.pods > 1:
            yield wait, event._replace(pods=event.pods - 1)
        for key in event.request:
            if key != "cpu":
                left = {each: amount for each, amount in event.request.items() if each != key}
                yield wait, event._replace(request=left)
