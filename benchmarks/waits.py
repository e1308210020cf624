"""Measures how good wait estimates are, in simulated weeks: ``make bench-waits``.

Every five minutes the statuses are read as a user would, and what they say about eight positions of
each queue is compared with the true start. Beside it the naive estimate, position times mean run
time, with ranges that are as wide by the same ratio. A week takes minutes.
"""

import argparse
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from benchmarks.wait_week import DAY, TEAMS, Week
from elasticquota.forecast import positions
from elasticquota.model.decision import Decisions
from elasticquota.model.wait_estimate import WaitRange
from virtual_cluster.timeline import MINUTE


EVERY: Final = 5 * MINUTE
POSITIONS: Final = (1, 2, 3, 5, 8, 13, 21, 34)


class Reading(NamedTuple):
    """What a user reads about one waiting pod; times are milliseconds of the week."""

    uid: str
    quota: str
    position: int
    at: int
    said_at: int
    range: WaitRange | None
    """Seconds after ``said_at``."""
    naive: int
    """Seconds after ``at``; 0: no pod of the quota ended yet."""


class Observer:
    """Plays a week and reads the statuses."""

    def __init__(self, week: Week) -> None:
        self._week = week
        self._scene = week.scene
        self._last = Decisions()
        self._ran: dict[str, list[int]] = {team.name: [] for team in TEAMS}
        self.started: dict[str, int] = {}
        self.readings: list[Reading] = []
        self._scene.controller.on_round.append(self._see)
        self._scene.cluster.on_done.append(
            lambda pod, life: self._ran[pod.quota_label].append((life.runs or 0) // 1000)
        )

    def play(self) -> None:
        while self._scene.timeline.now < self._week.until:
            self._scene.play(EVERY)
            self.readings.extend(self._read())

    def _see(self, decisions: Decisions) -> None:
        self._last = decisions
        for release in decisions.releases:
            self.started[release.uid] = self._scene.timeline.now

    def _read(self) -> Iterator[Reading]:
        ledger, now = self._scene.controller.ledger, self._scene.timeline.now
        for status in self._last.statuses:
            name, said = status.key.name, status.wait_estimate
            waiting = ledger.snapshot.account(name).waiting
            for position in POSITIONS[: bisect_left(POSITIONS, len(waiting) + 1)]:
                ran = self._ran[name]
                yield Reading(
                    uid=waiting[position - 1].uid,
                    quota=name,
                    position=position,
                    at=now,
                    said_at=now if said is None else said.made_at,
                    range=None if said is None else positions.of_position(said, position),
                    naive=position * sum(ran) // len(ran) if ran else 0,
                )


class Outcome(NamedTuple):
    """A reading and when its pod started."""

    reading: Reading
    range: WaitRange
    waited: int
    """Seconds after ``said_at``."""

    @property
    def high(self) -> int:
        return max(1, self.range.low if self.range.high is None else self.range.high)

    @property
    def kept(self) -> bool:
        return self.range.low <= self.waited <= self.high

    @property
    def naive_kept(self) -> bool:
        """Whether a range of the same ratio around the naive estimate has the true wait."""
        left = self.waited - (self.reading.at - self.reading.said_at) // 1000
        low = max(1, self.range.low)
        # low / point = point / high: the naive estimate is the middle of its range.
        squared = left * left * self.high
        return (
            low * self.reading.naive**2 <= squared
            and left * left * low <= self.reading.naive**2 * self.high
        )


def outcomes(readings: Sequence[Reading], started: dict[str, int]) -> list[Outcome]:
    return [
        Outcome(each, each.range, (started[each.uid] - each.said_at) // 1000)
        for each in readings
        if each.range is not None and each.uid in started
    ]


def line(title: str, found: Sequence[Outcome], without: int) -> str:
    if not found:
        return f"{title:16} no pod waited"
    kept = sum(each.kept for each in found)
    naive = sum(each.naive_kept for each in found)
    early = sum(each.waited < each.range.low for each in found)
    widths = sorted(each.high - each.range.low for each in found)
    ratios = sorted(each.high * 10 // max(1, each.range.low) for each in found)
    waits = sorted(each.waited for each in found)
    half = len(found) // 2
    return (
        f"{title:16} {len(found):6} {without:6} {_percent(kept, found):>8} "
        f"{_percent(early, found):>6} {_percent(naive, found):>6} "
        f"{waits[half] // 60:6} min {widths[half] // 60:6} min "
        f"{ratios[half] / 10:6.1f}"
    )


def _percent(part: int, found: Sequence[Outcome]) -> str:
    return f"{100 * part / len(found):.1f} %"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--seeds", type=int, default=3, help="weeks")
    asked.add_argument("--first", type=int, default=1, help="the first seed")
    asked.add_argument("--days", type=int, default=7, help="of a week")
    chosen = asked.parse_args()
    print(
        f"{'':16} {'read':>6} {'none':>6} {'in range':>8} {'early':>6} {'naive':>6} "
        f"{'wait':>10} {'width':>10} {'ratio':>6}"
    )
    every: list[Outcome] = []
    none = 0
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        observer = Observer(Week(seed, chosen.days))
        observer.play()
        found = outcomes(observer.readings, observer.started)
        without = [each for each in observer.readings if each.range is None]
        print(line(f"week {seed}", found, len(without)), flush=True)
        for team in TEAMS:
            own = [each for each in found if each.reading.quota == team.name]
            print(line(f"  {team.name}", own, sum(r.quota == team.name for r in without)))
        late = [each for each in found if each.reading.at >= DAY]
        print(line("  after day 1", late, sum(each.at >= DAY for each in without)), flush=True)
        every, none = every + found, none + len(without)
    print(line("all", every, none))


if __name__ == "__main__":
    main()
