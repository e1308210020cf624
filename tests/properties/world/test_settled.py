"""Laws of a scene at rest: whatever happened before, all is right once nothing changes any more.

Pods come, end and are deleted; quotas are edited, moved and deleted; nodes go and come; disruption
budgets block; releases are refused, answers lost; and the controller may restart at any moment.
"""

import random

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import law_content
import levels
from virtual_cluster import departments, settled
from virtual_cluster.controller import ApiFaults
from virtual_cluster.disturbances import KINDS, Disturbances
from virtual_cluster.scene import SMOOTH


_FAULTS = ApiFaults(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10)


def end_well(disturbances: Disturbances) -> None:
    scene = disturbances.scene
    scene.budgets.clear()
    scene.settle()
    assert settled.faults(scene) == []


class DisturbedScene(RuleBasedStateMachine):
    """Any disturbances; when they are over, the laws are checked."""

    @initialize(
        seed=st.integers(0, 99),
        nodes=st.integers(1, 2),
        faults=st.sampled_from((SMOOTH, _FAULTS)),
        endless=st.sampled_from((100, 20)),
    )
    def begin(self, seed: int, nodes: int, faults: ApiFaults, endless: int) -> None:
        self.disturbances = departments.disturbances(
            nodes, seed=seed, faults=faults, endless=endless
        )

    @rule(
        kind=st.sampled_from([kind for kind, often in KINDS.items() for _ in range(often)]),
        dice=levels.DICE,
    )
    def disturb(self, kind: str, dice: random.Random) -> None:
        self.disturbances.disturb(kind, dice)

    def teardown(self) -> None:
        if hasattr(self, "disturbances"):
            end_well(self.disturbances)


DisturbedScene.TestCase.settings = settings(
    settings(),
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)
TestDisturbedScene = DisturbedScene.TestCase


@law_content.about(evictions=1 / 6)
@given(levels.DICE)
def test_random_disturbances_end_without_faults(dice: random.Random) -> None:
    """Random only, which reaches cases that a search for simple examples does not."""
    disturbances = departments.disturbances(
        dice.randint(1, 3), seed=dice.randrange(100), faults=dice.choice((SMOOTH, _FAULTS))
    )
    for _ in range(dice.randint(5, 30)):
        (kind,) = dice.choices(list(KINDS), list(KINDS.values()))
        disturbances.disturb(kind, dice)
    end_well(disturbances)
