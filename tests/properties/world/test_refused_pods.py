"""Law: pods that the scheduler refuses get room within min in time, and no more goes than that.

Some came without our gate, so nothing kept room for them; others wait at it. Borrowers hold all
nodes, in pods of one size that divides the requests of the owners, so the amount that must go is
exact. A refused pod that does not run may make way (``docs/decisions``), and has a successor. The
scheduler places refused pods freely, so all are of one size: each may start in the room of another.
"""

import random

from hypothesis import given

import law_content
import levels
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import SECOND


CPU = 8
OWNERS = ("own", "other")
GRACE = 5 * SECOND
"""``Policy.grace``."""
ALLOWED = 10 * SECOND


class Evicted:
    """The pods that ran and were evicted."""

    def __init__(self, scene: Scene) -> None:
        self.pods: list[Pod] = []
        self._scene = scene
        scene.controller.on_round.append(self._note)

    def _note(self, decisions: Decisions) -> None:
        found = (self._scene.cluster.pods[each.pod] for each in decisions.evictions)
        self.pods.extend(pod for pod in found if pod.bound)


@law_content.aside()
def held_by_borrowers(dice: random.Random, size: int, grace: int) -> Scene:
    """Two to four full nodes, and two owners that hold nothing."""
    nodes = dice.randint(2, 4)
    scene = Scene(nodes, CPU, seed=dice.randrange(1_000))
    for name in OWNERS:
        scene.quota(name, min=nodes * CPU // 2)
    scene.quota("bor")
    scene.run("busy", "bor", nodes * CPU // size, size, grace=grace, priority=dice.choice((0, 5)))
    scene.settle()
    return scene


@law_content.about(reclaims=9 / 10)
@given(levels.DICE)
def test_each_gets_room_in_time_and_no_more_goes_than_they_need(dice: random.Random) -> None:
    size, grace = dice.choice((1, 2, 4)), dice.choice((0, 2, 30)) * SECOND
    scene = held_by_borrowers(dice, size, grace)
    evicted = Evicted(scene)
    nodes = len(scene.cluster.nodes)
    left = dict.fromkeys(OWNERS, nodes * CPU // 2)
    asked, cpu = dict[str, int](), size * dice.randint(1, CPU // size)
    for number in range(dice.randint(1, nodes)):
        quota = dice.choice(OWNERS)
        if cpu > left[quota]:
            continue
        left[quota] -= cpu
        asked[f"pod-{number}"] = cpu
        priority, gated = dice.choice((0, 5)), dice.random() < 1 / 4
        scene.run(f"pod-{number}", quota, cpu=cpu, priority=priority, gated=gated)
        scene.play(dice.choice((0, 0, 1, 7)) * SECOND)
    scene.play(GRACE + grace + ALLOWED)
    assert [name for name in asked if not scene.runs_of(name)] == []
    scene.settle()
    assert {pod.quota_label for pod in evicted.pods} == {"bor"}
    assert sum(pod.request["cpu"] for pod in evicted.pods) == 1000 * sum(asked.values())
