"""Law: a runtime that follows changes one by one is the runtime of a full recompute.

Semantics 8 ("no lazy refresh"). A live ledger has a tree of hundreds of quotas and a pod for every
quota that requests something; then one change follows another. In the end the result is compared
with the oracle too.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import ledger_generator
import oracle_of_trees
import tree_generator
from ledger_snapshots import picture


def live_is_as_rebuilt(live: ledger_generator.TreeInLedger) -> None:
    assert picture(live.replay.live) == picture(live.replay.rebuilt())


@effort.one_in(10)
@given(
    tree_generator.big_tree_cases(most=300),
    st.lists(ledger_generator.RANDOM_CHANGES, min_size=1, max_size=6),
)
def test_after_every_change_of_a_big_tree_all_runtimes_are_those_of_a_full_recompute(
    case: tree_generator.TreeCase, steps: list[ledger_generator.RandomChange]
) -> None:
    live = ledger_generator.TreeInLedger(case)
    live_is_as_rebuilt(live)
    for step in steps:
        live.change(step)
        live_is_as_rebuilt(live)


@effort.one_in(10)
@given(
    tree_generator.big_tree_cases(most=300), st.lists(ledger_generator.RANDOM_CHANGES, max_size=30)
)
def test_after_many_changes_of_a_big_tree_all_runtimes_are_those_of_the_oracle(
    case: tree_generator.TreeCase, steps: list[ledger_generator.RandomChange]
) -> None:
    live = ledger_generator.TreeInLedger(case)
    for step in steps:
        live.change(step)
        live.look()
    now = live.case()
    expected = oracle_of_trees.solve(now.quotas, now.own, now.available)
    assert live.runtimes() == expected.runtimes
