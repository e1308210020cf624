"""Law: after any history the ledger equals a new ledger that gets only the final objects.

Semantics 8 ("every published value equals a full recompute; deleting a quota never leaves phantom
sums"). Koordinator's sums drift with each quota that is deleted while its request exceeds its max
(algorithm 4.1, case 10).
"""

import random
from collections.abc import Iterator

from hypothesis import given

import effort
import histories
import law_content
import levels
from ledger_snapshots import decisions, picture
from replay import Event, Replay


def live_is_as_rebuilt(replay: Replay) -> None:
    rebuilt = replay.rebuilt()
    assert picture(replay.live) == picture(rebuilt)
    assert decisions(replay.live, replay.now, replay.cache) == decisions(rebuilt, replay.now)


def played(history: list[list[Event]]) -> Iterator[Replay]:
    """Yields one replay again and again, after each moment."""
    replay = Replay()
    for moment in [histories.beginning(), *history]:
        for event in moment:
            replay.tell(event)
        yield replay


@law_content.about(evictions=1 / 13, pools=1 / 4)
@effort.one_in(3)
@given(histories.histories())
def test_after_every_moment_the_ledger_equals_a_new_one(
    history: list[list[Event]],
) -> None:
    for replay in played(history):
        live_is_as_rebuilt(replay)


@law_content.about(evictions=1 / 13, pools=1 / 8)
@effort.one_in(3)
@given(histories.histories())
def test_a_history_without_a_read_in_between_ends_in_the_same_ledger(
    history: list[list[Event]],
) -> None:
    *_, replay = played(history)
    live_is_as_rebuilt(replay)


@law_content.about(evictions=1 / 13, pools=1 / 8)
@effort.one_in(3)
@given(histories.histories(), levels.DICE)
def test_undoing_a_history_leaves_nothing_behind(
    history: list[list[Event]], dice: random.Random
) -> None:
    """When all objects are deleted, in any order, the ledger is as empty as a new one."""
    *_, replay = played(history)
    ends = histories.end()
    for event in dice.sample(ends, len(ends)):
        replay.tell(event)
    live_is_as_rebuilt(replay)
    assert picture(replay.live) == picture(Replay().live)


@law_content.about(evictions=1 / 12, gangs=1 / 20)
@given(histories.of_groups())
def test_after_every_event_about_groups_of_pods_the_ledger_equals_a_new_one(
    history: list[list[Event]],
) -> None:
    for replay in played(history):
        live_is_as_rebuilt(replay)
