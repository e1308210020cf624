"""Law: conditions of quotas about reclaim stay while they are true, without flapping."""

import random
from dataclasses import dataclass, field

from hypothesis import given

import law_content
import levels
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy
from virtual_cluster.controller import ApiFaults
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.timeline import MINUTE, SECOND


LATE = Policy().grace + Policy().delay
_FAULTS = ApiFaults(watch_delay=300, call_delay=300, failed=10, lost=10)


@dataclass
class ConditionHistory:
    """When a quota's conditions became true and false, and their different messages."""

    scene: Scene
    began: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    ended: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    sentences: set[tuple[str, str, str]] = field(default_factory=set)
    _now: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        self.scene.controller.on_round.append(self._record)

    def _record(self, decisions: Decisions) -> None:
        said = {
            (status.key.name, found.type): found.message
            for status in decisions.statuses
            for found in status.conditions
            if found.status and found.type in ("Reclaiming", "ReclaimBlocked", "Starved")
        }
        self.sentences.update((*who, text) for who, text in said.items())
        for who in said.keys() - self._now:
            self.began.setdefault(who, []).append(self.scene.timeline.now)
        for who in self._now - said.keys():
            self.ended.setdefault(who, []).append(self.scene.timeline.now)
        self._now = frozenset(said)


def owner_waits(seed: int, faults: ApiFaults, *, protected: bool) -> Scene:
    """8 cpus: the borrower holds all in pods of 1; the owner's 4 are lent."""
    scene = Scene(nodes=1, cpu=8, seed=seed, faults=faults)
    scene.quota("borrower", max=8)
    scene.quota("owner", min=4)
    scene.run("first", "borrower", 8, grace=20 * SECOND)
    scene.play(MINUTE)
    if protected:
        scene.protect("first")
    scene.run("late", "owner", 4)
    return scene


BLOCKED, STARVED = ("borrower", "ReclaimBlocked"), ("owner", "Starved")
GIVES = ("borrower", "Reclaiming")


@law_content.about(reclaims=1)
@given(levels.DICE)
def test_while_a_budget_blocks_the_condition_is_set_once(dice: random.Random) -> None:
    """The first answer takes a moment; from then on no quota has the condition Reclaiming."""
    faults = dice.choice((SMOOTH, _FAULTS))
    scene = owner_waits(dice.randrange(100), faults, protected=True)
    history, start = ConditionHistory(scene), scene.timeline.now
    scene.play(15 * MINUTE)
    assert len(history.began[GIVES]) == len(history.ended.pop(GIVES)) == 1
    assert history.ended == {}
    assert len([who for *who, _ in history.sentences if tuple(who) != GIVES]) == 2
    assert len(history.began[BLOCKED]) == 1
    (late,) = history.began[STARVED]
    assert LATE <= late - start < LATE + 20 * SECOND
    scene.budgets.clear()
    scene.play(3 * MINUTE)
    assert {who: len(times) for who, times in history.ended.items()} == {
        BLOCKED: 1,
        GIVES: 1,
        STARVED: 1,
    }
    assert scene.used() == {"borrower": 4, "owner": 4}


@law_content.about(reclaims=1)
@given(levels.DICE)
def test_reclaim_from_a_quota_is_reported_until_all_victims_are_gone(dice: random.Random) -> None:
    faults = dice.choice((SMOOTH, _FAULTS))
    scene = owner_waits(dice.randrange(100), faults, protected=False)
    history = ConditionHistory(scene)
    scene.settle()
    assert history.began.keys() == history.ended.keys() == {GIVES}
    (began,), (ended,) = history.began.popitem()[1], history.ended.popitem()[1]
    assert ended - began >= 20 * SECOND
