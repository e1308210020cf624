"""Law: after edits of quotas the ledger equals a new ledger that gets only the final objects.

The ledger recomputes only what an edit affects (``forest.affected``), so this law looks for quotas
that it forgets: edits of every field, edits that break and repair rules, bursts of them, while pods
and a leaf come and go. Decisions use the cache of the last ones.
"""

from hypothesis import given

import edit_generator
import effort
import histories
import law_content
from elasticquota.model.quota import Quota
from elasticquota.structs import field_names
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
    "guarantee_usage",  # of a root, as is child_namespaces of any parent: it affects whole trees
    "child_namespaces",
}


def live_is_as_rebuilt(replay: Replay) -> None:
    rebuilt = replay.rebuilt()
    assert picture(replay.live) == picture(rebuilt)
    assert decisions(replay.live, replay.now, replay.cache) == decisions(rebuilt, replay.now)


@law_content.about(releases=1 / 2, waits=1 / 2, refusals=1 / 2)
@effort.one_in(1)
@given(edit_generator.retouched())
def test_after_every_edit_the_ledger_equals_a_new_one(history: list[list[Event]]) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        live_is_as_rebuilt(replay)


@law_content.about(releases=1 / 2, waits=1 / 2, refusals=1 / 2)
@effort.one_in(2)
@given(edit_generator.retouched())
def test_after_edits_and_deletion_of_all_objects_nothing_is_left(
    history: list[list[Event]],
) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        decisions(replay.live, replay.now, replay.cache)
    for event in [*edit_generator.end(), *histories.end()]:
        replay.tell(event)
    live_is_as_rebuilt(replay)
    assert picture(replay.live) == picture(Replay().live)


def test_every_field_is_edited_that_does_not_decide_the_place_of_a_quota() -> None:
    assert edit_generator.FIELDS.keys() == set(field_names(Quota)) - WHERE_IT_STANDS
