"""Law: a runtime that followed changes one by one is the runtime of a full recompute.

Semantics 8 ("no lazy refresh"). Trees of hundreds of quotas in a live
ledger, a pod for every quota that asks for something, and one change after the other; in the end
the oracle has its say too.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import ledger_generator
import oracle_of_trees
import tree_generator
from ledger_snapshots import picture


def live_is_as_rebuilt(plantation: ledger_generator.Plantation) -> None:
    assert picture(plantation.replay.live) == picture(plantation.replay.rebuilt())


@effort.one_in(10)
@given(
    tree_generator.big_groves(most=300), st.lists(ledger_generator.WHIMS, min_size=1, max_size=6)
)
def test_after_every_change_of_a_big_tree_all_runtimes_are_those_of_a_full_solve(
    grove: tree_generator.Grove, whims: list[ledger_generator.Whim]
) -> None:
    plantation = ledger_generator.Plantation(grove)
    live_is_as_rebuilt(plantation)
    for whim in whims:
        plantation.change(whim)
        live_is_as_rebuilt(plantation)


@effort.one_in(10)
@given(tree_generator.big_groves(most=300), st.lists(ledger_generator.WHIMS, max_size=30))
def test_after_many_changes_of_a_big_tree_all_runtimes_are_as_the_page_says(
    grove: tree_generator.Grove, whims: list[ledger_generator.Whim]
) -> None:
    plantation = ledger_generator.Plantation(grove)
    for whim in whims:
        plantation.change(whim)
        plantation.look()
    now = plantation.grove()
    expected = oracle_of_trees.solve(now.quotas, now.own, now.available)
    assert plantation.runtimes() == expected.runtimes
