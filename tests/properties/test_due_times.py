"""Law: units are handed out in the order in which they are due, whatever the shortcut.

The definition of sharing itself (algorithm 1.4): the oracle counts units one by one, or
finds the moment of the last one by bisection, and knows nothing of how the product does it.
"""

from hypothesis import given

import effort
import levels
import oracle
import oracle_of_trees
import tree_generator


@given(levels.small_levels())
def test_a_share_is_the_guarantee_and_the_units_due_first(level: levels.Level) -> None:
    assert level.shares() == oracle.share(level.total, level.claims, oracle.unit_by_unit)


@given(levels.levels())
def test_a_share_of_any_size_is_what_the_moment_of_the_last_unit_makes_it(
    level: levels.Level,
) -> None:
    assert level.shares() == oracle.share(level.total, level.claims)


@effort.one_in(10)
@given(levels.wide_levels())
def test_a_share_among_hundreds_is_what_the_moment_of_the_last_unit_makes_it(
    level: levels.Level,
) -> None:
    assert level.shares() == oracle.share(level.total, level.claims)


@given(levels.small_levels())
def test_the_two_judges_agree(level: levels.Level) -> None:
    assert oracle.share(level.total, level.claims, oracle.unit_by_unit) == oracle.share(
        level.total, level.claims, oracle.by_bisection
    )


def the_tree_is_as_the_oracle_says(grove: tree_generator.Grove) -> None:
    expected = oracle_of_trees.solve(grove.quotas, grove.own, grove.available)
    assert {name: grove.min_of(name) for name in expected.mins} == expected.mins
    assert grove.runtimes() == expected.runtimes
    assert grove.own_runtimes() == expected.own
    for name, limited in grove.demand().limited.items():
        keys = limited.keys() | expected.limited[name].keys()
        assert all(limited.get(key, 0) == expected.limited[name].get(key, 0) for key in keys)


@given(tree_generator.groves())
def test_every_runtime_of_a_tree_is_as_the_page_says(grove: tree_generator.Grove) -> None:
    the_tree_is_as_the_oracle_says(grove)


@effort.one_in(10)
@given(tree_generator.big_groves())
def test_every_runtime_of_a_big_tree_is_as_the_page_says(grove: tree_generator.Grove) -> None:
    the_tree_is_as_the_oracle_says(grove)
