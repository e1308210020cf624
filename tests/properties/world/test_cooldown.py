"""Law: with headroom an owner whose demand goes up and down costs others fewer pods."""

import random

from hypothesis import given

import levels
from elasticquota.scheduling.policy import Policy
from virtual_cluster import settled, wait_observer
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND
from virtual_cluster.wait_observer import Patience


TERMINATION = 20 * SECOND
LONGEST = Policy().grace + TERMINATION + 5 * SECOND


def oscillating(dice: random.Random, cooldown: int) -> tuple[int, Patience]:
    """Evictions, and how long the owner waited. The same dice throw the same life."""
    scene = Scene(nodes=2, cpu=8, policy=Policy(max_in_flight=1_000, cooldown=cooldown))
    scene.quota("borrower", min=dice.randint(0, 4))
    scene.quota("other", min=2, weight=dice.randint(1, 3))
    scene.quota("owner", min=dice.randint(3, 8))
    scene.run("lent", "borrower", 16, grace=TERMINATION)
    scene.run("beside", "other", 4, grace=TERMINATION)
    waiting = Patience(wait_observer.owners_waiting, LONGEST)
    wait_observer.watch(scene, waiting)
    period = dice.randint(30, 90) * SECOND
    for _ in range(10):
        scene.run("up", "owner", dice.randint(1, 8))
        scene.play(period)
        scene.workloads.withdraw("up")
        scene.play(period)
    scene.settle()
    assert settled.faults(scene) == []
    return len(scene.evictions), waiting


@given(levels.DICE)
def test_an_owner_that_comes_and_goes_evicts_fewer_and_waits_no_longer(dice: random.Random) -> None:
    seed = dice.randrange(2**32)
    without, _ = oscillating(random.Random(seed), 0)
    found, waiting = oscillating(random.Random(seed), 10 * MINUTE)
    assert found < without
    assert waiting.faults == []
