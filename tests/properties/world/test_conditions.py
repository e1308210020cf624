"""Law: what quotas say of reclaim stays said while it is true, whoever asks again."""

import random
from dataclasses import dataclass, field

from hypothesis import given

import levels
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.policy import Policy
from virtual_cluster.controller import Troubles
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.timeline import MINUTE, SECOND


LATE = Policy().grace + Policy().delay
_TROUBLES = Troubles(watch_delay=300, call_delay=300, failed=10, lost=10)


@dataclass
class Sayings:
    """When a quota began and ended to say something, and how many sentences that were."""

    scene: Scene
    began: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    ended: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    sentences: set[tuple[str, str, str]] = field(default_factory=set)
    _now: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        self.scene.controller.on_round.append(self._listen)

    def _listen(self, decisions: Decisions) -> None:
        said = {
            (status.key.name, found.type): found.message
            for status in decisions.statuses
            for found in status.conditions
            if found.type in ("Reclaiming", "ReclaimBlocked", "Starved")
        }
        self.sentences.update((*who, text) for who, text in said.items())
        for who in said.keys() - self._now:
            self.began.setdefault(who, []).append(self.scene.agenda.now)
        for who in self._now - said.keys():
            self.ended.setdefault(who, []).append(self.scene.agenda.now)
        self._now = frozenset(said)


def owner_waits(seed: int, troubles: Troubles, *, protected: bool) -> Scene:
    """8 cpus: the borrower holds all in pods of 1; the owner's 4 are lent."""
    scene = Scene(nodes=1, cpu=8, seed=seed, troubles=troubles)
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


@given(levels.DICE)
def test_while_a_budget_says_no_that_is_said_once(dice: random.Random) -> None:
    """The first answer is not known at once; from then on nobody is said to give."""
    troubles = dice.choice((SMOOTH, _TROUBLES))
    scene = owner_waits(dice.randrange(100), troubles, protected=True)
    sayings, start = Sayings(scene), scene.agenda.now
    scene.play(15 * MINUTE)
    assert len(sayings.began[GIVES]) == len(sayings.ended.pop(GIVES)) == 1
    assert sayings.ended == {}
    assert len([who for *who, _ in sayings.sentences if tuple(who) != GIVES]) == 2
    assert len(sayings.began[BLOCKED]) == 1
    (late,) = sayings.began[STARVED]
    assert LATE <= late - start < LATE + 20 * SECOND
    scene.budgets.clear()
    scene.play(3 * MINUTE)
    assert {who: len(times) for who, times in sayings.ended.items()} == {
        BLOCKED: 1,
        GIVES: 1,
        STARVED: 1,
    }
    assert scene.used() == {"borrower": 4, "owner": 4}


@given(levels.DICE)
def test_a_quota_gives_back_once_and_says_so_until_all_are_gone(dice: random.Random) -> None:
    troubles = dice.choice((SMOOTH, _TROUBLES))
    scene = owner_waits(dice.randrange(100), troubles, protected=False)
    sayings = Sayings(scene)
    scene.settle()
    assert sayings.began.keys() == sayings.ended.keys() == {GIVES}
    (began,), (ended,) = sayings.began.popitem()[1], sayings.ended.popitem()[1]
    assert ended - began >= 20 * SECOND
