"""Law: no unit is lost and none is invented: children never have more than their parent.

Semantics 4, algorithm 4 ("conserve"). A parent keeps only what no quota below it requests.
"""

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_a_level_shares_all_that_its_claims_request(level: levels.Level) -> None:
    assert sum(level.shares()) == min(level.total, level.takers)


def children_share_what_they_ask_for(
    case: tree_generator.TreeCase, *, of_positive_weight: bool
) -> None:
    limited, found, own = case.demand().limited, case.runtimes(), case.own_runtimes()
    for parent, children in case.tree.children.items():
        for key, there_is in found[parent].items():
            if not children:
                continue
            parts = [found[child][key] for child in children]
            asked = [limited[child].get(key, 0) for child in children]
            if parent in own:
                parts.append(own[parent][key])
                asked.append(case.own[parent].get(key, 0))
            assert sum(parts) <= min(there_is, sum(asked))
            if of_positive_weight:
                assert sum(parts) == min(there_is, sum(asked))


@given(tree_generator.tree_cases())
def test_children_have_no_more_than_their_parent_and_their_request(
    case: tree_generator.TreeCase,
) -> None:
    children_share_what_they_ask_for(case, of_positive_weight=False)


@given(tree_generator.tree_cases(weighted=True))
def test_children_share_all_of_their_parents_runtime_that_they_request(
    case: tree_generator.TreeCase,
) -> None:
    children_share_what_they_ask_for(case, of_positive_weight=True)


@effort.one_in(10)
@given(tree_generator.big_tree_cases())
def test_children_have_no_more_than_their_parent_in_big_trees(
    case: tree_generator.TreeCase,
) -> None:
    children_share_what_they_ask_for(case, of_positive_weight=False)


@effort.one_in(10)
@given(tree_generator.big_tree_cases(weighted=True))
def test_children_share_all_that_they_request_in_big_trees(case: tree_generator.TreeCase) -> None:
    children_share_what_they_ask_for(case.with_pods_in_leaves(), of_positive_weight=True)
