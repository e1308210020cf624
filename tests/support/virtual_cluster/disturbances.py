"""Weather: what users, administrators, machines and crashes do to a scene, one thing at a time.

Every kind is a method that takes its dice, so that a seeded generator and hypothesis make the same
weather. ``KINDS`` says how often each comes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND
from worlds import ROOT


KINDS: Final[Mapping[str, int]] = {
    "submit": 10,
    "withdraw": 2,
    "edit": 3,
    "move": 1,
    "delete": 1,
    "lose_or_bring": 1,
    "protect": 1,
    "restart": 1,
    "pass_time": 5,
}
"""Weights."""


@dataclass
class Weather:
    """``sizes`` are cpus of pods; ``longest`` is how long Jobs run at most."""

    scene: Scene
    teams: Sequence[str]
    parents: Sequence[str] = (ROOT,)
    nodes: Sequence[str] = ()
    """Those that may be lost, as large as the first."""
    sizes: Sequence[int] = (1, 2, 3)
    longest: int = 30 * MINUTE
    endless: int = 100
    """How many of 100 workloads are Deployments."""
    graces: Sequence[int] = (0, 30 * SECOND)
    priorities: Sequence[int] = (0, 1)
    firm: int = 10
    """How many of 100 workloads are not preemptible."""
    bare: int = 20
    """How many of 100 are bare pods, which nobody makes anew."""
    highest_min: int = 4
    count: int = 0
    """Workloads so far."""
    pods: int = 0
    """What they began with."""
    homes: dict[str, str] = field(default_factory=dict)
    """The parents of the teams."""

    def happen(self, kind: str, dice: Random) -> None:
        getattr(self, kind)(dice)

    def submit(self, dice: Random) -> None:
        self.count += 1
        count = dice.randint(1, 4)
        self.pods += count
        runs = dice.randint(SECOND, self.longest) if dice.randrange(100) >= self.endless else None
        self.scene.run(
            f"w{self.count}",
            dice.choice(self.teams),
            count,
            dice.choice(self.sizes),
            runs=runs,
            grace=dice.choice(self.graces),
            priority=dice.choice(self.priorities),
            preemptible=dice.randrange(100) >= self.firm,
            stays=dice.randrange(100) >= self.bare,
        )

    def withdraw(self, dice: Random) -> None:
        if self.scene.workloads.all:
            self.scene.workloads.withdraw(dice.choice(sorted(self.scene.workloads.all)))

    def edit(self, dice: Random) -> None:
        """Min, max and weight, raised or lowered."""
        team = dice.choice(self.teams)
        low = dice.randint(0, self.highest_min)
        high = low + dice.randint(0, 6) if dice.random() < 0.5 else None
        weight = dice.randint(1, 3) if dice.random() < 0.3 else None
        parent = self.homes.get(team, self.parents[0])
        self.scene.quota(team, low, high, parent=parent, weight=weight)

    def move(self, dice: Random) -> None:
        team = dice.choice(self.teams)
        self.homes[team] = dice.choice(self.parents)
        self.scene.quota(team, dice.randint(0, self.highest_min), parent=self.homes[team])

    def delete(self, dice: Random) -> None:
        """The quota is gone, and made again some time later; its pods stay meanwhile."""
        team = dice.choice(self.teams)
        self.scene.remove_quota(team)
        parent = self.homes.get(team, self.parents[0])
        again = dice.randint(0, MINUTE)
        self.scene.agenda.after(again, lambda: self.scene.quota(team, 1, parent=parent))

    def lose_or_bring(self, dice: Random) -> None:
        if self.nodes:
            name = dice.choice(self.nodes)
            if name in self.scene.cluster.nodes:
                self.scene.cluster.lose_node(name)
            else:
                self.scene.node(name, self.scene.cpu)

    def protect(self, dice: Random) -> None:
        """Budgets come and go; sometimes two for one workload."""
        name = dice.choice(("one", "other"))
        if not self.scene.workloads.all or dice.random() < 0.4:
            self.scene.budgets.remove(name)
        else:
            found = dice.choice(sorted(self.scene.workloads.all))
            self.scene.protect(found, least=dice.randint(0, 3), name=name)

    def restart(self, _: Random) -> None:
        self.scene.controller.restart()

    def pass_time(self, dice: Random) -> None:
        self.scene.play(dice.choice((0, 1, 6, 40, 130, 600)) * SECOND)
