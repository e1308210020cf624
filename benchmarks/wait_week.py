"""A week of a shared cluster, to compare wait estimates with what came true.

Four teams share 128 cpus on 8 nodes. Jobs come by day more than by night, one by one and in bursts;
run times are lognormal or Pareto, up to a day, so that few long jobs hold much of the room. Team
``owner`` lends what it is guaranteed most of the time, and claims it back at once, twice a day.
Decisions and estimates are those of the product (``virtual_cluster``).
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Final

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE


HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
LONGEST_RUN: Final = DAY


@dataclass(frozen=True, slots=True)
class Team:
    """How a team submits jobs; rates are jobs an hour at noon."""

    name: str
    low: int
    high: int
    rate: float
    median: int
    """Of run times, minutes."""
    sigma: float
    """Of the logarithm of run times; 0: Pareto with exponent 1.5, from a third of the median."""
    burst: float
    """Part of the submissions that are bursts of 10 to 40 jobs."""


TEAMS: Final = (
    Team("steady", 32, 64, 16, 25, 1.0, 0.01),
    Team("sweeps", 32, 96, 4, 12, 1.4, 0.30),
    Team("tails", 16, 128, 9, 20, 0, 0.06),
    Team("owner", 40, 128, 2, 40, 0.7, 0.0),
)


class Week:
    """The scene with its submissions, all decided by ``seed``."""

    def __init__(self, seed: int, days: int = 7) -> None:
        self.dice = Random(f"week {seed}")  # noqa: S311 - reproducible inputs, no secrets
        self.scene = Scene(nodes=8, cpu=16, seed=seed)
        self.until = days * DAY
        self._count = 0
        for team in TEAMS:
            self.scene.quota(team.name, min=team.low, max=team.high)
            self._next(team)
        for day in range(days):
            for hour in (10, 15):
                at = day * DAY + hour * HOUR + self.dice.randrange(HOUR)
                self.scene.timeline.at(at, self._claim)

    def _next(self, team: Team) -> None:
        """Submissions come at random, by night at a fifth of the rate of noon."""
        now = self.scene.timeline.now
        of_day = (now % DAY) / DAY
        rate = team.rate * (0.6 - 0.4 * math.cos(2 * math.pi * of_day))
        wait = int(self.dice.expovariate(rate) * HOUR)
        if now + wait < self.until:
            self.scene.timeline.at(now + wait, lambda: self._submit(team))

    def _submit(self, team: Team) -> None:
        count = self.dice.randint(10, 40) if self.dice.random() < team.burst else 1
        cpu = self.dice.choice((1, 1, 2, 2, 4, 8))
        for _ in range(count):
            self._job(team, cpu, self._runs(team))
        self._next(team)

    def _claim(self) -> None:
        owner = TEAMS[-1]
        for _ in range(self.dice.randint(5, 10)):
            self._job(owner, 4, self._runs(owner))

    def _job(self, team: Team, cpu: int, runs: int) -> None:
        self._count += 1
        self.scene.run(f"{team.name}-{self._count}", team.name, cpu=cpu, runs=runs)

    def _runs(self, team: Team) -> int:
        """Milliseconds."""
        if team.sigma:
            minutes = team.median * math.exp(self.dice.gauss(0, team.sigma))
        else:
            minutes = team.median / 3 * self.dice.paretovariate(1.5)
        return min(LONGEST_RUN, max(5_000, int(minutes * MINUTE)))
