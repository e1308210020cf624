"""Law: where the world comes to rest depends on what was asked for, not on the order of events.

Late events, refused releases, lost answers and a controller that forgets everything in the middle
change the way, not the end. Who was there longer decides who gets idle room that is nobody's share,
and a successor is as old as its predecessor's end: so where shares are no whole pods, one pod of a
quota more or less may run.
"""

import random
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from virtual_cluster import departments
from virtual_cluster.controller import Troubles
from virtual_cluster.scene import SMOOTH
from virtual_cluster.timeline import MINUTE


Script = list[tuple[str, int]]

_SCRIPTS = st.lists(
    st.tuples(
        st.sampled_from(("submit", "submit", "submit", "withdraw", "edit", "pass_time")),
        st.integers(0, 2**32),
    ),
    min_size=3,
    max_size=12,
)
_TROUBLES = Troubles(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10)


@dataclass(frozen=True)
class End:
    """In pods of one size, which is 1 cpu."""

    runtimes: dict[str, int]
    running: dict[str, int]

    def is_like(self, other: "End") -> bool:
        if self.runtimes != other.runtimes:
            return False
        if all(share % 1000 == 0 for share in self.runtimes.values()):
            return self.running == other.running
        return all(abs(self.running[name] - other.running[name]) <= 1 for name in self.running)


def end(script: Script, troubles: Troubles = SMOOTH, restart: int | None = None) -> End:
    weather = departments.steady(2, troubles=troubles, sizes=(1,))
    scene = weather.scene
    if restart is not None:
        scene.agenda.at(restart, scene.controller.restart)
    for kind, seed in script:
        weather.happen(kind, random.Random(seed))
    scene.settle()
    runtimes = {name: scene.tree.runtimes.runtime(name)["cpu"] for name in weather.teams}
    used = scene.used()
    return End(runtimes, {name: used.get(name, 0) for name in weather.teams})


@given(_SCRIPTS)
def test_the_order_of_events_and_answers_does_not_matter(script: Script) -> None:
    assert end(script).is_like(end(script, _TROUBLES))


@given(_SCRIPTS, st.integers(0, 15 * MINUTE))
def test_a_restart_at_any_moment_does_not_matter(script: Script, moment: int) -> None:
    assert end(script).is_like(end(script, restart=moment))


@given(_SCRIPTS, st.integers(0, 15 * MINUTE))
def test_a_restart_amid_troubles_does_not_matter(script: Script, moment: int) -> None:
    assert end(script).is_like(end(script, _TROUBLES, restart=moment))
