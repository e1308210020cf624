"""Law: nothing lies idle while somebody below its max wants it.

Semantics 4; algorithm 1.2 names the one exception, which is meant: weight 0 gets nothing
above min, so what only such quotas want may lie idle.
"""

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_when_something_is_left_over_everybody_with_a_weight_is_full(level: levels.Level) -> None:
    found = level.shares()
    if sum(found) < level.total:
        assert all(
            share == claim.hi
            for share, claim in zip(found, level.claims, strict=True)
            if claim.weight
        )


def no_parent_keeps_what_somebody_below_wants(grove: tree_generator.Grove) -> None:
    """So on the whole path up to the first ancestor that has all that its max lets it ask for."""
    limited, found, own = grove.demand().limited, grove.runtimes(), grove.own_runtimes()
    idle = {
        parent: {
            key: amount
            - sum(found[child][key] for child in children)
            - own.get(parent, {}).get(key, 0)
            for key, amount in found[parent].items()
        }
        for parent, children in grove.tree.children.items()
        if children
    }
    for parent, children in grove.tree.children.items():
        for child in children:
            for key, amount in found[child].items():
                if amount < limited[child].get(key, 0):
                    assert idle[parent][key] == 0
    for parent in own.keys() & idle.keys():
        for key, amount in own[parent].items():
            if amount < grove.own[parent].get(key, 0):
                assert idle[parent][key] == 0


@given(tree_generator.groves(weighted=True))
def test_nothing_is_idle_above_a_quota_that_wants_more(grove: tree_generator.Grove) -> None:
    no_parent_keeps_what_somebody_below_wants(grove.with_pods_in_leaves())


@effort.one_in(10)
@given(tree_generator.big_groves(weighted=True))
def test_nothing_is_idle_above_a_quota_of_a_big_tree_that_wants_more(
    grove: tree_generator.Grove,
) -> None:
    no_parent_keeps_what_somebody_below_wants(grove.with_pods_in_leaves())
