"""Law: a change of demand moves only as many pods as it must, each once; then the cluster is at
rest. A pod that started on idle room may go once more, and so may one for a more important pod.

Between two changes an evicted pod is created again and waits, so demand stays the same. Every pod
may be evicted, and no pod ends by itself. A lost node makes two changes some time apart, its own
and that of its pods, so it is left out.

The bound of docs/reclaim.md, fewer than n + 2q evictions for n pods that arrive and q quotas,
counted in pods: a quota loses at most ceil(over + lost), where over is what it held beyond its
runtime before, and lost what the arrivals took from its runtime. Arrivals raise only the share of
their own quota, so all lost together are at most n. All over together are less than q at rest: if
a pod within its runtime waits, no quota is beyond its own by a whole pod, for that pod would have
been reclaimed; if none waits, each quota with waiting pods leaves less than one pod of its runtime
unused, and the others are beyond theirs by that much in all. To q and n comes less than one for
each of at most q roundings.
"""

import random
from collections import Counter
from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

import law_content
import levels
from virtual_cluster import departments
from virtual_cluster.controller import ApiFaults
from virtual_cluster.disturbances import Disturbances
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.turnover import Turnover


_CHANGES = st.sampled_from(("submit", "submit", "withdraw", "edit"))
_FAULTS = ApiFaults(watch_delay=300, call_delay=300, failed=10, lost=10)
_QUOTAS = 4


@law_content.aside()
def at_rest(
    dice: random.Random,
    sizes: Sequence[int] = (1, 2, 3),
    priorities: Sequence[int] = (0, 1),
    *,
    lent: float = 0.7,
) -> Disturbances:
    """A scene at rest in which users have long requested more than there is.

    In the part ``lent`` of the scenes one team was there first and borrows. What was decided before
    is no content of a law.
    Scenes with a pod that the scheduler refused are left out: it takes the next free room anywhere.
    """
    faults, nodes = dice.choice((SMOOTH, _FAULTS)), dice.randint(1, 3)
    disturbances = departments.steady(nodes, faults=faults, sizes=sizes, priorities=priorities)
    if dice.random() < lent:
        everything = nodes * disturbances.scene.cpu // sizes[0]
        disturbances.scene.run("all", dice.choice(disturbances.teams), everything, sizes[0])
        disturbances.scene.settle()
    for _ in range(dice.randint(2, 8)):
        disturbances.disturb(dice.choice(("submit", "submit", "submit", "edit")), dice)
    disturbances.scene.settle()
    assume(all(pod.gated or pod.bound for pod in disturbances.scene.cluster.pods.values()))
    return disturbances


@law_content.about(evictions=1 / 12)
@given(levels.DICE, _CHANGES)
def test_a_change_evicts_no_pod_twice(dice: random.Random, change: str) -> None:
    """But for what ``docs/reclaim.md`` names: idle room, and a more important pod."""
    disturbances = at_rest(dice)
    turnover = Turnover(disturbances.scene)
    disturbances.disturb(change, dice)
    disturbances.scene.settle()
    assert not turnover.again


@law_content.about(evictions=1 / 12)
@given(levels.DICE, _CHANGES)
def test_among_pods_of_one_importance_a_change_evicts_none_three_times(
    dice: random.Random, change: str
) -> None:
    disturbances = at_rest(dice, priorities=(0,))
    turnover = Turnover(disturbances.scene)
    disturbances.disturb(change, dice)
    disturbances.scene.settle()
    asked = Counter(turnover.evicted)
    assert not asked or max(asked.values()) < 3


@law_content.about(reclaims=1 / 6)
@given(levels.DICE)
def test_new_pods_displace_hardly_more_pods_than_there_are_new_ones(dice: random.Random) -> None:
    disturbances = at_rest(dice, sizes=(1,), priorities=(0,))
    before = disturbances.pods
    turnover = Turnover(disturbances.scene)
    disturbances.submit(dice)
    disturbances.scene.settle()
    assert len(turnover.evicted) < disturbances.pods - before + 2 * _QUOTAS


@law_content.about(reclaims=1 / 8)
@given(levels.DICE, _CHANGES)
def test_for_every_evicted_pod_a_waiting_pod_starts(dice: random.Random, change: str) -> None:
    """All pods have one size and priority. So no exchange is reversed.

    A pod evicted for a max or too few nodes is no exchange. A quota whose clock ran before gives
    before one that is to give first, so it may regain its pod and lose it once more.
    """
    disturbances = at_rest(dice, sizes=(1,), priorities=(0,))
    scene = disturbances.scene
    turnover, early = Turnover(scene), scene.controller.ledger.clocks.over_since.keys()
    disturbances.disturb(change, dice)
    scene.settle()
    assert len(turnover.exchanged) <= len(turnover.started) + len(early)


def test_a_sister_that_makes_way_for_a_guarantee_regains_its_share_from_another_department() -> (
    None
):
    """The min of a team counts among its sisters, so two pods go for one, and two start."""
    scene = Scene(1, cpu=8)
    scene.quota("dept", min=4, is_parent=True)
    scene.quota("loner", min=2)
    scene.quota("red", min=2, parent="dept")
    scene.quota("blue", min=2, parent="dept")
    scene.run("sister", "blue", 4)
    scene.run("borrowing", "loner", 6)
    scene.settle()
    turnover = Turnover(scene)
    scene.run("new", "red", 1)
    scene.settle()
    assert [workload for workload, _ in turnover.exchanged] == ["sister", "borrowing"]
    assert sorted(workload for workload, _ in turnover.started) == ["new", "sister"]


def test_pods_beyond_a_lowered_max_are_no_exchange_although_they_make_room_for_a_waiting_pod() -> (
    None
):
    """Their department then holds 2 cpu beyond its runtime, and so both go for one waiting pod."""
    scene = Scene(1, cpu=8)
    scene.quota("dept", min=10, is_parent=True)
    for team, low in (("red", 2), ("green", 2), ("blue", 3)):
        scene.quota(team, low, parent="dept")
    scene.run("busy", "red", 2)
    scene.run("leaving", "green", 2)
    scene.run("waiting", "blue", 5)
    scene.settle()
    turnover = Turnover(scene)
    scene.quota("green", max=0, parent="dept")
    scene.settle()
    assert sorted(turnover.evicted) == [("leaving", 0), ("leaving", 1)]
    assert not turnover.exchanged
    assert len(turnover.gained) == 1


@law_content.about(evictions=1 / 12)
@given(levels.DICE, _CHANGES)
def test_no_pod_is_evicted_unless_another_starts(dice: random.Random, change: str) -> None:
    disturbances = at_rest(dice, lent=0)
    turnover = Turnover(disturbances.scene)
    disturbances.disturb(change, dice)
    disturbances.scene.settle()
    assert not turnover.exchanged or turnover.gained
