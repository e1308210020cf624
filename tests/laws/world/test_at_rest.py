"""Laws of the resting world: whatever happened before, when nothing moves any more all is right."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from virtual_cluster import rest
from virtual_cluster.agenda import SECOND
from virtual_cluster.controller import Troubles
from virtual_cluster.scene import Scene
from worlds import ROOT


_TEAMS = ("red", "green", "blue", "loner")
_SMALL = st.integers(0, 4)


class Life(RuleBasedStateMachine):
    """Pods come, end and are deleted; quotas are edited, moved and deleted; nodes go and come."""

    @initialize(
        seed=st.integers(0, 9),
        nodes=st.integers(1, 3),
        troubles=st.sampled_from(
            (Troubles(), Troubles(watch_delay=300, call_delay=300, refused=10, failed=10, lost=10))
        ),
    )
    def begin(self, seed: int, nodes: int, troubles: Troubles) -> None:
        self.scene = Scene(nodes, cpu=4, seed=seed, troubles=troubles)
        self.count = 0
        self.scene.quota("dept", min=12, is_parent=True)
        for team in _TEAMS[:3]:
            self.scene.quota(team, min=2, parent="dept")
        self.scene.quota("loner", min=2)

    @rule(
        team=st.sampled_from(_TEAMS),
        count=st.integers(1, 4),
        cpu=st.integers(1, 3),
        runs=st.none() | st.integers(1, 600).map(lambda s: s * SECOND),
        grace=st.sampled_from((0, 0, 30 * SECOND)),
        priority=st.integers(0, 1),
        preemptible=st.sampled_from((True, True, True, False)),
        stays=st.booleans(),
    )
    def submit(
        self,
        team: str,
        count: int,
        cpu: int,
        runs: int | None,
        grace: int,
        priority: int,
        preemptible: bool,
        stays: bool,
    ) -> None:
        self.count += 1
        self.scene.run(
            f"w{self.count}",
            team,
            count,
            cpu,
            runs=runs,
            grace=grace,
            priority=priority,
            preemptible=preemptible,
            stays=stays,
        )

    @precondition(lambda self: self.scene.workloads.all)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        self.scene.workloads.withdraw(data.draw(st.sampled_from(sorted(self.scene.workloads.all))))

    @rule(
        team=st.sampled_from(_TEAMS),
        low=_SMALL,
        more=st.none() | _SMALL,
        parent=st.sampled_from(("dept", ROOT)),
        weight=st.none() | st.integers(1, 3),
    )
    def edit(self, team: str, low: int, more: int | None, parent: str, weight: int | None) -> None:
        high = None if more is None else low + more
        self.scene.quota(team, low, high, parent=parent, weight=weight)

    @rule(team=st.sampled_from(_TEAMS))
    def delete(self, team: str) -> None:
        for key in [key for key in self.scene.cluster.quotas if key.name == team]:
            self.scene.cluster.remove_quota(key)

    @rule(name=st.sampled_from(("node-0", "node-1", "node-2")))
    def lose_or_bring(self, name: str) -> None:
        if name in self.scene.cluster.nodes:
            self.scene.cluster.lose_node(name)
        else:
            self.scene.node(name, cpu=4)

    @precondition(lambda self: self.scene.workloads.all)
    @rule(data=st.data(), least=st.integers(0, 3), name=st.sampled_from(("one", "other")))
    def protect(self, data: st.DataObject, least: int, name: str) -> None:
        found = data.draw(st.sampled_from(sorted(self.scene.workloads.all)))
        self.scene.protect(found, least=least, name=name)

    @rule(name=st.sampled_from(("one", "other")))
    def unprotect(self, name: str) -> None:
        self.scene.budgets.remove(name)

    @rule()
    def restart(self) -> None:
        self.scene.controller.restart()

    @rule(seconds=st.sampled_from((0, 1, 6, 40, 130, 600)))
    def pass_time(self, seconds: int) -> None:
        self.scene.play(seconds * SECOND)

    def teardown(self) -> None:
        if hasattr(self, "scene"):
            self.scene.settle()
            assert rest.faults(self.scene) == []


import os
_N = {"max_examples": int(os.environ["N"])} if "N" in os.environ else {}
Life.TestCase.settings = settings(
    **_N, stateful_step_count=20, suppress_health_check=[HealthCheck.too_slow]
)
TestLife = Life.TestCase
