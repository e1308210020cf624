"""Measures what wait estimates add to a cycle in a large cluster, in process.

The cluster is that of ``decision_cases``: all room is held, and one more pod waits in each of 1,000
quotas. Before each turn a pod of the first quota ends, another one runs instead, and the controller
decides; the turn is what the forecaster does after it. Either the estimate of that quota is due, or
all estimates are younger than ten seconds. A time counts only if the estimate has a range, and was
made in that turn where it was due, and only there.
"""

from collections.abc import Iterator
from typing import Final

from benchmarks import decision_cases, measure, product
from benchmarks.decision_cases import QUOTAS, RUNNING
from benchmarks.measure import Way
from benchmarks.table import Row, Target
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.forecast import queue_estimates
from elasticquota.forecast.forecaster import Forecaster
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import moments
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.structs import replace


_BUDGET: Final = 4.0
_START: Final = moments.read("2026-01-01T06:00:00Z") or 0
_FIRST: Final = "borrower-0000"
_SETTLED: Final = 2 * QUOTAS // queue_estimates.PER_CYCLE
"""Turns until each queue has an estimate."""


def estimates() -> Iterator[Row]:
    """Measure the forecaster after a pod event, with one estimate due and with none."""
    measure.say("wait estimates")
    due, young = _Followed(), _Followed()
    times = measure.in_turns(
        {
            "with": Way(due.follow, lambda: due.event(queue_estimates.INTERVAL)),
            "without": Way(young.follow, lambda: young.event(1)),
        },
        _BUDGET,
    )
    due.check(made=True)
    young.check(made=False)
    case = f"wait estimates, {QUOTAS:,} quotas, {QUOTAS * (RUNNING + 1):,} pods"
    yield Row(f"{case}: after one pod event, none is due", times["without"].work * 1e3, "ms")
    yield Row(f"{case}: the same, one is due", times["with"].work * 1e3, "ms", Target(3))


class _Followed:
    """A cluster whose decisions a forecaster follows, as the controller does."""

    def __init__(self) -> None:
        self.forecaster = Forecaster()
        self.ledger: Ledger = decision_cases.packed()
        self.ledger.on_gone = self.forecaster.ended
        self.now = _START
        self._notes = CycleCache()
        self._ended = 0
        for _ in range(_SETTLED):
            self.event(queue_estimates.INTERVAL)
            self.follow()

    def event(self, passed: int) -> None:
        """End a pod of the first quota, and run another one; ``passed``: milliseconds before."""
        self.now += passed
        # The number after those that run first is that of the waiting pod.
        number = self._ended if self._ended < RUNNING else self._ended + 1
        key = Key("pods", f"{_FIRST}-{number}")
        gone = self.ledger.pods[key]
        self.ledger.set_time(self.now)
        self.ledger.delete_pod(key)
        self._ended += 1
        name = f"{_FIRST}-{RUNNING + self._ended}"
        self.ledger.upsert_pod(
            replace(gone, key=Key("pods", name), uid=name, started=moments.text(self.now))
        )
        self._decisions: Decisions = product.decision(self.ledger, self._notes)

    def follow(self) -> None:
        """What is measured."""
        self.forecaster.follow(self.ledger, self._decisions, self.now)

    def check(self, *, made: bool) -> None:
        """Raise ``WrongAnswerError`` if the last turn did not do what it stands for."""
        found = self.forecaster.estimate(_FIRST)
        if found is None or not found.positions:
            raise measure.WrongAnswerError(f"no estimate has a range: {found}")
        if (found.made_at == self.now) != made:
            raise measure.WrongAnswerError(f"made at {found.made_at}, and it is {self.now}")


if __name__ == "__main__":
    for row in estimates():
        print(row)
