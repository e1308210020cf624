"""Law: a change of demand moves as many pods as it must, each once, and then there is rest.

The bound and its proof are in docs/no-ping-pong.md. Between two changes whoever is asked to leave
is made anew and waits, so demand stays as it is; everybody may be asked, and nobody ends. A node
that is lost makes two changes, its own and that of its pods, some time apart; it is left out.
"""

import random
from collections import Counter
from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

import levels
from virtual_cluster import departments
from virtual_cluster.controller import Troubles
from virtual_cluster.disturbances import Weather
from virtual_cluster.scene import SMOOTH
from virtual_cluster.turnover import Turnover


_CHANGES = st.sampled_from(("submit", "submit", "withdraw", "edit"))
_TROUBLES = Troubles(watch_delay=300, call_delay=300, failed=10, lost=10)
_QUOTAS = 4


def at_rest(
    dice: random.Random, sizes: Sequence[int] = (1, 2, 3), priorities: Sequence[int] = (0, 1)
) -> Weather:
    """A world in which people have long asked for more than there is.

    Without pods that the scheduler refused: these take the next room that comes free anywhere.
    """
    troubles = dice.choice((SMOOTH, _TROUBLES))
    weather = departments.steady(
        dice.randint(1, 3), troubles=troubles, sizes=sizes, priorities=priorities
    )
    for _ in range(dice.randint(2, 8)):
        weather.happen(dice.choice(("submit", "submit", "submit", "edit")), dice)
    weather.scene.settle()
    assume(all(pod.gated or pod.bound for pod in weather.scene.cluster.pods.values()))
    return weather


@given(levels.DICE, _CHANGES)
def test_a_change_asks_nobody_to_leave_twice(dice: random.Random, change: str) -> None:
    weather = at_rest(dice)
    turnover = Turnover(weather.scene)
    weather.happen(change, dice)
    weather.scene.settle()
    asked = Counter(turnover.evicted)
    assert not asked or max(asked.values()) == 1


@given(levels.DICE)
def test_pods_that_come_displace_hardly_more_than_there_are_of_them(dice: random.Random) -> None:
    weather = at_rest(dice, sizes=(1,), priorities=(0,))
    before = weather.pods
    turnover = Turnover(weather.scene)
    weather.submit(dice)
    weather.scene.settle()
    assert len(turnover.evicted) < weather.pods - before + 2 * _QUOTAS


@given(levels.DICE, _CHANGES)
def test_for_every_pod_that_goes_one_that_waited_comes(dice: random.Random, change: str) -> None:
    """Of one size and priority. What has to go for a max or too few nodes is no exchange."""
    weather = at_rest(dice, sizes=(1,), priorities=(0,))
    turnover = Turnover(weather.scene)
    weather.happen(change, dice)
    weather.scene.settle()
    assert len(turnover.exchanged) <= len(turnover.gained)


@given(levels.DICE, _CHANGES)
def test_no_pod_goes_unless_another_comes(dice: random.Random, change: str) -> None:
    weather = at_rest(dice)
    turnover = Turnover(weather.scene)
    weather.happen(change, dice)
    weather.scene.settle()
    assert not turnover.exchanged or turnover.gained
