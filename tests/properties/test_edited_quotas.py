"""Law: after edits of quotas the ledger is as one that is told only how things stand now.

Edits of single quotas are followed up only where they act (``forest.affected``), so this law looks
for whoever is left behind: edits of every field, edits that break and mend rules, bursts of them,
while pods and a leaf come and go. Decisions are made with notes of the last ones.
"""

from dataclasses import fields

from hypothesis import given

import edit_generator
import effort
import histories
from elasticquota.model.quota import Quota
from ledger_snapshots import decisions, picture
from replay import Event, Replay


WHERE_IT_STANDS = {
    "key",
    "uid",
    "created",
    "parent",
    "is_parent",
    "is_root",
    "tree_id",
    "guarantee_usage",  # of a root, as is child_namespaces of any parent: whole trees go by it
    "child_namespaces",
}


def live_is_as_rebuilt(replay: Replay) -> None:
    rebuilt = replay.rebuilt()
    assert picture(replay.live) == picture(rebuilt)
    assert decisions(replay.live, replay.now, replay.cache) == decisions(rebuilt, replay.now)


@effort.one_in(1)
@given(edit_generator.retouched())
def test_after_every_edit_all_is_as_in_a_new_ledger(history: list[list[Event]]) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        live_is_as_rebuilt(replay)


@effort.one_in(2)
@given(edit_generator.retouched())
def test_when_all_is_gone_after_edits_nothing_is_left(history: list[list[Event]]) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        decisions(replay.live, replay.now, replay.cache)
    for event in [*edit_generator.end(), *histories.end()]:
        replay.tell(event)
    live_is_as_rebuilt(replay)
    assert picture(replay.live) == picture(Replay().live)


def test_every_field_of_a_quota_is_edited_that_does_not_decide_where_it_stands() -> None:
    assert edit_generator.FIELDS.keys() == {each.name for each in fields(Quota)} - WHERE_IT_STANDS
