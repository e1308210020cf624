"""Law: units are given out in the order in which they are due, whatever the shortcut.

This is the definition of sharing itself (algorithm 1.4). The oracle counts units one by one, or
finds the moment of the last one by bisection, and uses nothing of the product's method.
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
def test_a_share_of_any_size_follows_from_the_moment_of_the_last_unit(
    level: levels.Level,
) -> None:
    assert level.shares() == oracle.share(level.total, level.claims)


@effort.one_in(10)
@given(levels.wide_levels())
def test_a_share_among_hundreds_follows_from_the_moment_of_the_last_unit(
    level: levels.Level,
) -> None:
    assert level.shares() == oracle.share(level.total, level.claims)


@given(levels.small_levels())
def test_the_two_oracles_agree(level: levels.Level) -> None:
    assert oracle.share(level.total, level.claims, oracle.unit_by_unit) == oracle.share(
        level.total, level.claims, oracle.by_bisection
    )


def the_tree_is_as_the_oracle_says(case: tree_generator.TreeCase) -> None:
    expected = oracle_of_trees.solve(case.quotas, case.own, case.available)
    assert {name: case.min_of(name) for name in expected.mins} == expected.mins
    assert case.runtimes() == expected.runtimes
    assert case.own_runtimes() == expected.own
    for name, limited in case.demand().limited.items():
        keys = limited.keys() | expected.limited[name].keys()
        assert all(limited.get(key, 0) == expected.limited[name].get(key, 0) for key in keys)


@given(tree_generator.tree_cases())
def test_every_runtime_of_a_tree_is_that_of_the_oracle(case: tree_generator.TreeCase) -> None:
    the_tree_is_as_the_oracle_says(case)


@effort.one_in(10)
@given(tree_generator.big_tree_cases())
def test_every_runtime_of_a_big_tree_is_that_of_the_oracle(case: tree_generator.TreeCase) -> None:
    the_tree_is_as_the_oracle_says(case)
