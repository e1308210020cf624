"""Law: no unit is lost and none is made up: children never have more than their parent.

Semantics 4, algorithm 4 ("conserve"). A parent keeps for itself only what nobody below
it asks for.
"""

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_a_level_hands_out_all_that_can_be_taken(level: levels.Level) -> None:
    assert sum(level.shares()) == min(level.total, level.takers)


def children_share_what_they_ask_for(
    grove: tree_generator.Grove, *, of_positive_weight: bool
) -> None:
    limited, found, own = grove.demand().limited, grove.runtimes(), grove.own_runtimes()
    for parent, children in grove.tree.children.items():
        for key, there_is in found[parent].items():
            if not children:
                continue
            parts = [found[child][key] for child in children]
            asked = [limited[child].get(key, 0) for child in children]
            if parent in own:
                parts.append(own[parent][key])
                asked.append(grove.own[parent].get(key, 0))
            assert sum(parts) <= min(there_is, sum(asked))
            if of_positive_weight:
                assert sum(parts) == min(there_is, sum(asked))


@given(tree_generator.groves())
def test_children_have_no_more_than_their_parent_and_than_they_ask_for(
    grove: tree_generator.Grove,
) -> None:
    children_share_what_they_ask_for(grove, of_positive_weight=False)


@given(tree_generator.groves(weighted=True))
def test_children_share_all_of_their_parents_runtime_that_they_ask_for(
    grove: tree_generator.Grove,
) -> None:
    children_share_what_they_ask_for(grove, of_positive_weight=True)


@effort.one_in(10)
@given(tree_generator.big_groves())
def test_children_have_no_more_than_their_parent_in_big_trees(grove: tree_generator.Grove) -> None:
    children_share_what_they_ask_for(grove, of_positive_weight=False)


@effort.one_in(10)
@given(tree_generator.big_groves(weighted=True))
def test_children_share_all_that_they_ask_for_in_big_trees(grove: tree_generator.Grove) -> None:
    children_share_what_they_ask_for(grove.with_pods_in_leaves(), of_positive_weight=True)
