"""Law: the state at rest depends on what was requested, not on the order of events.

Late events, refused releases, lost answers and a controller that restarts in the middle change the
way, not the end. Idle room beyond all shares goes to the pod that has waited longest, and a
successor is only as old as its predecessor's end. So where shares are no whole pods, one pod of a
quota more or less may run.
"""

import random
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

import law_content
from virtual_cluster import departments
from virtual_cluster.controller import ApiFaults
from virtual_cluster.scene import SMOOTH
from virtual_cluster.timeline import MINUTE


Script = list[tuple[str, int]]

_SCRIPTS = st.lists(
    st.tuples(
        st.sampled_from(
            ("submit", "submit", "submit", "edit", "pass_time", "pass_time", "withdraw")
        ),
        st.integers(0, 2**32),
    ),
    min_size=3,
    max_size=12,
)
_ALL = 16
"""Pods of the team that is there first: as many as the nodes take."""
_FAULTS = ApiFaults(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10)


@dataclass(frozen=True)
class EndState:
    """Runtimes and running pods; all pods have one size, 1 cpu."""

    runtimes: dict[str, int]
    running: dict[str, int]

    def is_like(self, other: "EndState") -> bool:
        if self.runtimes != other.runtimes:
            return False
        if all(share % 1000 == 0 for share in self.runtimes.values()):
            return self.running == other.running
        return all(abs(self.running[name] - other.running[name]) <= 1 for name in self.running)


def end(script: Script, faults: ApiFaults = SMOOTH, restart: int | None = None) -> EndState:
    disturbances = departments.steady(2, faults=faults, sizes=(1,))
    scene = disturbances.scene
    scene.run("first", "loner", _ALL)
    if restart is not None:
        scene.timeline.at(restart, scene.controller.restart)
    for kind, seed in script:
        disturbances.disturb(kind, random.Random(seed))
    scene.settle()
    runtimes = {name: scene.tree.runtimes.runtime(name)["cpu"] for name in disturbances.teams}
    used = scene.used()
    return EndState(runtimes, {name: used.get(name, 0) for name in disturbances.teams})


@law_content.about(evictions=1 / 8)
@given(_SCRIPTS)
def test_the_order_of_events_and_answers_does_not_matter(script: Script) -> None:
    assert end(script).is_like(end(script, _FAULTS))


@law_content.about(evictions=1 / 8)
@given(_SCRIPTS, st.integers(0, 15 * MINUTE))
def test_a_restart_at_any_moment_does_not_matter(script: Script, moment: int) -> None:
    assert end(script).is_like(end(script, restart=moment))


@law_content.about(evictions=1 / 8)
@given(_SCRIPTS, st.integers(0, 15 * MINUTE))
def test_a_restart_amid_troubles_does_not_matter(script: Script, moment: int) -> None:
    assert end(script).is_like(end(script, _FAULTS, restart=moment))
