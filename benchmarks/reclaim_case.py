"""An owner requests its min, and one borrower, whose pods end at once, uses everything.

The borrower fills the tree, so the owner's pods fit as soon as the same number of its pods is gone;
no more may go.
"""

import time
from dataclasses import dataclass
from statistics import median
from typing import Final

from benchmarks import local_fixture, measure
from benchmarks.local_fixture import Playground
from benchmarks.table import Row, Target


VICTIMS: Final = 50
_ALL: Final = local_fixture.NODES * local_fixture.CPUS
_ONE: Final = 1000


@dataclass(frozen=True, slots=True)
class Turn:
    """Seconds since the first pod was requested."""

    first_eviction: float
    last_eviction: float
    owner_runs: float
    victims: int


async def all_cases(ground: Playground, turns: int) -> list[Row]:
    await ground.controller(replicas=1)
    await ground.quotas({"borrower": 0, "owner": VICTIMS})
    taken = [await _turn(ground, f"turn {turn + 1} of {turns}") for turn in range(turns)]
    case = f"an owner asks for {VICTIMS} pods"
    first = median(turn.first_eviction for turn in taken)
    last = median(turn.last_eviction for turn in taken)
    runs = median(turn.owner_runs for turn in taken)
    return [
        Row(f"{case}: first eviction", first, "s", Target(0.3)),
        Row(f"{case}: last eviction", last, "s", Target(3)),
        Row(f"{case}: the owner's pods run", runs, "s", Target(3)),
        Row(f"{case}: victims", max(turn.victims for turn in taken), "", Target(VICTIMS)),
    ]


async def _turn(ground: Playground, which: str) -> Turn:
    measure.say(f"reclaim, {which}")
    sights = ground.sights
    await ground.create(
        local_fixture.pod(f"borrower-{number}", "borrower", milli=_ONE) for number in range(_ALL)
    )
    await sights.until(lambda: len(sights.running) == _ALL)
    await ground.calls()  # at rest
    owners = {f"owner-{number}" for number in range(VICTIMS)}
    started = time.perf_counter()
    await ground.create(local_fixture.pod(name, "owner", milli=_ONE) for name in owners)
    await sights.until(lambda: owners <= sights.running.keys())
    await ground.calls()  # any pod evicted without need has gone by now
    turn = Turn(
        first_eviction=min(sights.leaving.values()) - started,
        last_eviction=max(sights.leaving.values()) - started,
        owner_runs=max(sights.running[name] for name in owners) - started,
        victims=len(sights.leaving),
    )
    await ground.clear()
    return turn
