"""Laws of the resting world: whatever happened before, when nothing moves any more all is right.

Pods come, end and are deleted; quotas are edited, moved and deleted; nodes go and come; disruption
budgets block; releases are refused, answers lost; and the controller forgets all at any moment.
"""

import random

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import levels
from virtual_cluster import departments, settled
from virtual_cluster.controller import Troubles
from virtual_cluster.disturbances import KINDS, Weather
from virtual_cluster.scene import SMOOTH


_TROUBLES = Troubles(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10)


def end_well(weather: Weather) -> None:
    scene = weather.scene
    scene.budgets.clear()
    scene.settle()
    assert settled.faults(scene) == []


class Life(RuleBasedStateMachine):
    """Any weather; when it is over, the laws are asked."""

    @initialize(
        seed=st.integers(0, 99),
        nodes=st.integers(1, 2),
        troubles=st.sampled_from((SMOOTH, _TROUBLES)),
        endless=st.sampled_from((100, 20)),
    )
    def begin(self, seed: int, nodes: int, troubles: Troubles, endless: int) -> None:
        self.weather = departments.weather(nodes, seed=seed, troubles=troubles, endless=endless)

    @rule(
        kind=st.sampled_from([kind for kind, often in KINDS.items() for _ in range(often)]),
        dice=levels.DICE,
    )
    def happen(self, kind: str, dice: random.Random) -> None:
        self.weather.happen(kind, dice)

    def teardown(self) -> None:
        if hasattr(self, "weather"):
            end_well(self.weather)


Life.TestCase.settings = settings(
    settings(),
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to shrink a life takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)
TestLife = Life.TestCase


@given(levels.DICE)
def test_any_other_life_ends_well(dice: random.Random) -> None:
    """By chance alone, which goes where a search for simple lives does not."""
    weather = departments.weather(
        dice.randint(1, 3), seed=dice.randrange(100), troubles=dice.choice((SMOOTH, _TROUBLES))
    )
    for _ in range(dice.randint(5, 30)):
        (kind,) = dice.choices(list(KINDS), list(KINDS.values()))
        weather.happen(kind, dice)
    end_well(weather)
