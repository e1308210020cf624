"""Laws of gangs of all systems: none is admitted or evicted in part, and each gets its turn.

Gangs of all kinds come and go in two teams that lend to each other; events are late and answers are
lost. A release that the API server refuses, and a controller that dies between two releases, leave
a part of a gang at the gate. It follows pod by pod, so it may have to wait while others have what
its quota could lend: then the gang is whole at the latest when they end.
"""

import random

from hypothesis import event, given

import law_content
import levels
from virtual_cluster.controller import ApiFaults
from virtual_cluster.gangs import Gangs
from virtual_cluster.scene import SMOOTH, Scene


_SLOW = ApiFaults(watch_delay=300, call_delay=300, failed=10, lost=10)
_FAULTS = ApiFaults(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10)


def disturbed(dice: random.Random, faults: ApiFaults, *, restarts: bool) -> Gangs:
    """A scene at rest after random disturbances."""
    scene = Scene(2, 8, seed=dice.randrange(100), faults=dice.choice((SMOOTH, faults)))
    for team in ("team-a", "team-b"):
        scene.quota(team, dice.randint(0, 6))
    gangs = Gangs(scene, ("team-a", "team-b"))
    for _ in range(dice.randint(5, 30)):
        gangs.disturb(dice, restarts=restarts)
    scene.settle()
    return gangs


@law_content.about(gangs=1 / 2, evictions=1 / 6)
@given(levels.DICE)
def test_no_gang_is_admitted_or_evicted_in_part(dice: random.Random) -> None:
    gangs = disturbed(dice, _SLOW, restarts=False)
    for name, parts in gangs.all.items():
        runs = any(gangs.admitted(name).values())
        event(f"a gang of {len(parts)} parts {'runs' if runs else 'waits'}")
    assert gangs.halves() == []


@law_content.about(gangs=1 / 2, evictions=1 / 12)
@given(levels.DICE)
def test_each_gang_is_whole_when_others_have_ended(dice: random.Random) -> None:
    """Also if the controller died between two of its releases, and forgot all."""
    gangs = disturbed(dice, _FAULTS, restarts=True)
    while gangs.all:
        halves = gangs.halves()
        done = [name for name, sizes in gangs.all.items() if gangs.admitted(name) == sizes]
        event(f"a gang is in part admitted at rest: {bool(halves)}")
        assert done, (halves, gangs.scene.used())
        for name in done:
            gangs.remove(name)
        gangs.scene.settle()
