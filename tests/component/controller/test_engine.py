"""The engine decides soon after the last change and never long after the first."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

import virtual_time
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions
from elasticquota_operator import engine
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.outcomes import Outcomes
from elasticquota_operator.context.pending_changes import PendingChanges
from elasticquota_operator.engine import Engine


@dataclass
class Stage:
    """A core with preset results, and everything around an engine, which runs."""

    answers: list[Decisions | Exception] = field(default_factory=list)
    leading: bool = True
    filled: asyncio.Event = field(default_factory=asyncio.Event)
    decided_at: list[float] = field(default_factory=list)
    nows: list[int] = field(default_factory=list)
    acted: list[Decisions] = field(default_factory=list)
    failures: int = 0
    seconds: float = 0.0
    """How long a cycle takes."""
    backlogged: bool = False
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        self.began = virtual_time.now()
        self.filled.set()
        self.changes = PendingChanges()
        self.engine = Engine(
            self._context(),
            self.changes,
            self,
            filled=(self.filled,),
            wait=lambda failures: 1.0 * failures,
            clock=lambda: round(virtual_time.now() - self.began, 3),
        )
        self.running = asyncio.create_task(self.engine.run())

    def _context(self) -> ControllerContext:
        """Of the stage, which is the telemetry and the backlog, too; nothing is called by it."""
        itself: Any = self
        return ControllerContext(
            api=itself,
            recorder=itself,
            settings=itself,
            ledger=self.ledger,
            quotas=ManifestStore(),
            profiles=ManifestStore(),
            touch=self.changes.touch,
            leading=lambda: self.leading,
            telemetry=itself,
            backlog=itself,
            outcomes=Outcomes(),
        )

    def admitting_many(self) -> bool:
        return self.backlogged

    def apply(self, decisions: Decisions) -> None:
        self.acted.append(decisions)

    def decide(self, _ledger: Ledger, now: int) -> Decisions:
        self.decided_at.append(round(virtual_time.now() - self.began, 3))
        self.nows.append(now)
        virtual_time.pass_by(self.seconds)
        answer = self.answers.pop(0) if self.answers else Decisions()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def decided(self, decisions: Decisions, seconds: float) -> None:
        pass

    def decide_failed(self) -> None:
        self.failures += 1

    async def touch(self, *pauses: float) -> None:
        for pause in pauses:
            await asyncio.sleep(pause)
            self.changes.touch()


@virtual_time.scene
async def test_the_engine_pauses_after_a_long_cycle() -> None:
    """A cycle takes a second during changes: the next one begins three seconds after it."""
    stage = Stage()
    await stage.touch(1)
    await asyncio.sleep(1)
    stage.seconds = 1.0
    await stage.touch(1, *[0.01] * 1200)
    first, second, third, *_ = stage.decided_at[2:]
    assert [round(second - first, 1), round(third - second, 1)] == [4.0, 4.0]


@virtual_time.scene
async def test_the_engine_pauses_while_more_is_decided_than_can_be_carried_out() -> None:
    stage = Stage()
    await stage.touch(1)
    await asyncio.sleep(1)
    stage.backlogged = True
    await stage.touch(*[0.01] * 200)
    first, second, third, *_ = stage.decided_at[2:]
    pause = pytest.approx(engine.BACKLOG_PAUSE, abs=0.02)
    assert [second - first, third - second] == [pause, pause]


@virtual_time.scene
async def test_what_waits_for_its_change_waits_for_one_cycle_also_while_changes_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    await stage.touch(1)
    await asyncio.sleep(1)
    await stage.engine.settled()  # nothing has changed
    before = len(stage.decided_at)
    monkeypatch.setattr(stage, "decided", lambda *_: stage.changes.touch())
    stage.changes.touch()
    async with asyncio.timeout(5):
        await stage.engine.settled()
    assert len(stage.decided_at) == before + 1


@virtual_time.scene
async def test_nothing_is_decided_before_the_caches_are_filled() -> None:
    stage = Stage()
    stage.filled.clear()
    await stage.touch(1, 1)
    assert stage.decided_at == []
    stage.filled.set()
    await asyncio.sleep(1)
    assert stage.decided_at == [2.0]
    assert stage.engine.decided.is_set()


@virtual_time.scene
async def test_a_burst_of_changes_is_decided_once_after_it_is_over() -> None:
    stage = Stage()
    await asyncio.sleep(1)
    await stage.touch(0, 0.02, 0.02)
    await asyncio.sleep(1)
    assert stage.decided_at == [0.025, 1.065]


@virtual_time.scene
async def test_changes_that_never_end_are_decided_100_ms_after_the_first() -> None:
    stage = Stage()
    await asyncio.sleep(1)
    await stage.touch(0, *[0.02] * 30)
    assert stage.decided_at[:4] == [0.025, 1.1, 1.22, 1.34]


@virtual_time.scene
async def test_the_engine_wakes_by_itself_when_a_decision_is_due() -> None:
    due = Decisions(wake_at=1_005_000)
    stage = Stage(answers=[due])
    await asyncio.sleep(60)
    assert stage.decided_at == [0.025, 5.0]
    assert stage.nows[1] == 1_005_000


@virtual_time.scene
async def test_an_overdue_wake_up_causes_no_busy_loop() -> None:
    late = Decisions(wake_at=1)
    stage = Stage(answers=[late] * 1000)
    await asyncio.sleep(2)
    assert len(stage.decided_at) < 12


@virtual_time.scene
async def test_what_is_due_during_a_long_cycle_leaves_time_for_events_after_it() -> None:
    """Estimates of waits are due each second, as long as there are some to make."""
    late = Decisions(wake_at=1)
    stage = Stage(answers=[late] * 1000)
    await stage.touch(1)
    await asyncio.sleep(1)
    stage.seconds = 1.0
    await asyncio.sleep(20)
    first, second, third = [at for at in stage.decided_at if at > 2][1:4]
    assert [round(second - first, 1), round(third - second, 1)] == [4.0, 4.0]


@virtual_time.scene
async def test_the_ledger_gets_the_time_before_each_decision() -> None:
    stage = Stage()
    assert stage.ledger.time == 0
    await asyncio.sleep(1)
    assert stage.ledger.time == 25
    await stage.touch(0)
    await asyncio.sleep(1)
    assert stage.ledger.time == 1025


@virtual_time.scene
async def test_a_standby_decides_but_does_not_act() -> None:
    clocks = Clocks(over_since={"team": 1})
    stage = Stage(leading=False, answers=[Decisions(clocks=clocks)])
    await asyncio.sleep(1)
    assert stage.decided_at == [0.025]
    assert stage.acted == []
    assert stage.ledger.clocks == clocks, "its clocks run all the same"
    stage.leading = True
    await stage.touch(0)
    await asyncio.sleep(1)
    assert len(stage.acted) == 1


@virtual_time.scene
async def test_a_decision_that_raises_is_counted_and_tried_again_with_back_off() -> None:
    stage = Stage(answers=[ZeroDivisionError(), ZeroDivisionError(), Decisions()])
    await asyncio.sleep(10)
    assert stage.decided_at == [0.025, 1.05, 3.075]
    assert stage.failures == 2
    assert len(stage.acted) == 1


@virtual_time.scene
async def test_a_minute_of_failing_decisions_ends_the_engine() -> None:
    stage = Stage(answers=[ZeroDivisionError()] * 100)
    with pytest.raises(RuntimeError, match="deciding failed 12 times in a row"):
        await stage.running
    assert 60 < virtual_time.now() - stage.began < 80
