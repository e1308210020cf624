"""Law: every object has exactly one verdict, and no order of arrival changes it.

Semantics 6: judged by age, then uid, so that any interleaving of edits ends in one state, and the
sum rules hold whatever slipped past admission.
"""

import random

from hypothesis import given

import effort
import levels
import quota_generator
import tree_generator
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def every_object_is_judged_and_every_attached_quota_stands_once(heap: list[Quota]) -> None:
    forest = quota_generator.forest(heap)
    assert set(forest.verdicts) == {quota.key for quota in heap}
    standing = [name for tree in forest.trees.values() for name in tree.order]
    assert sorted(standing) == sorted(forest.tree_of)
    for name in forest.quotas:
        path = forest.path(name)
        assert bool(path) == (name in forest.tree_of)
        assert not path or path[-1] == forest.trees[forest.tree_of[name]].root
        assert len(set(path)) == len(path)


def children_are_guaranteed_no_more_than_their_parent(forest: Forest) -> None:
    for tree in forest.trees.values():
        for parent in tree.order[1:]:
            limit = forest.effective_min(parent)
            for key in tree_generator.RESOURCES:
                held = (forest.effective_min(child).get(key, 0) for child in tree.children[parent])
                assert sum(held) <= limit.get(key, 0)


@given(quota_generator.garbage())
def test_every_object_has_a_verdict_and_every_attached_quota_one_tree(heap: list[Quota]) -> None:
    every_object_is_judged_and_every_attached_quota_stands_once(heap)
    forest = quota_generator.forest(heap)
    for name in forest.quotas:
        assert set(forest.descendants(name)) == {
            below for below in forest.quotas if name in forest.path(below)[1:]
        }


@effort.one_in(10)
@given(quota_generator.landslides())
def test_every_object_of_a_landslide_has_a_verdict(heap: list[Quota]) -> None:
    every_object_is_judged_and_every_attached_quota_stands_once(heap)


@given(quota_generator.garbage())
def test_accepted_children_are_guaranteed_no_more_than_their_parent(heap: list[Quota]) -> None:
    children_are_guaranteed_no_more_than_their_parent(quota_generator.forest(heap))


@given(tree_generator.groves())
def test_accepted_children_share_the_min_of_their_parent(grove: tree_generator.Grove) -> None:
    children_are_guaranteed_no_more_than_their_parent(grove.forest)


@effort.one_in(10)
@given(quota_generator.landslides())
def test_guarantees_in_a_landslide_are_within_their_parents(heap: list[Quota]) -> None:
    children_are_guaranteed_no_more_than_their_parent(quota_generator.forest(heap))


@given(quota_generator.garbage(), levels.DICE)
def test_any_order_of_objects_gives_the_same_forest(heap: list[Quota], dice: random.Random) -> None:
    shuffled = dice.sample(heap, len(heap))
    assert quota_generator.forest(shuffled) == quota_generator.forest(heap)


@effort.one_in(10)
@given(quota_generator.landslides(), levels.DICE)
def test_any_order_of_a_landslide_gives_the_same_forest(
    heap: list[Quota], dice: random.Random
) -> None:
    shuffled = dice.sample(heap, len(heap))
    assert quota_generator.forest(shuffled) == quota_generator.forest(heap)
