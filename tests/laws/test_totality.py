"""Law: garbage is judged and shared like anything else, never raised at and never looped over."""

from hypothesis import given
from hypothesis import strategies as st

import arbitrary
from elasticquota import names
from elasticquota.forest import judge
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing import demand, runtime


@given(arbitrary.garbage_heaps())
def test_every_object_has_a_verdict_and_every_attached_quota_one_tree(heap: list[Quota]) -> None:
    forest = judge.build(heap)
    assert set(forest.verdicts) == {quota.key for quota in heap}
    assert sorted(name for tree in forest.trees.values() for name in tree.order) == sorted(
        forest.tree_of
    )
    for name in forest.quotas:
        path = forest.path(name)
        assert bool(path) == (name in forest.tree_of)
        assert not path or path[-1] == forest.trees[forest.tree_of[name]].root
        assert set(forest.descendants(name)) == {
            below for below in forest.quotas if name in forest.path(below)[1:]
        }


@given(arbitrary.garbage_heaps())
def test_accepted_children_are_guaranteed_no_more_than_their_parent(heap: list[Quota]) -> None:
    forest = judge.build(heap)
    for tree in forest.trees.values():
        for parent in tree.order[1:]:
            limit = forest.effective_min(parent)
            for key in arbitrary.RESOURCES:
                held = (forest.effective_min(child).get(key, 0) for child in tree.children[parent])
                assert sum(held) <= limit.get(key, 0)


@given(
    arbitrary.garbage_heaps(),
    st.dictionaries(st.sampled_from("abcd"), arbitrary.wild_amounts()),
    arbitrary.wild_amounts(),
)
def test_every_tree_is_shared_without_making_up_a_unit(
    heap: list[Quota], own: dict[str, Resources], available: Resources
) -> None:
    forest = judge.build(heap)
    for tree in forest.trees.values():
        asked = demand.request(tree, forest, own)
        found = runtime.solve(tree, forest, own, available)
        assert set(asked.request) == set(asked.limited) == set(found.quota) == set(tree.order)
        for parent in tree.order:
            for key, there_is in found.quota[parent].items():
                parts = [found.quota[child][key] for child in tree.children[parent]]
                assert min([there_is, *parts]) >= 0
                assert sum(parts) <= there_is


@given(
    arbitrary.garbage_heaps(),
    st.builds(
        Pod,
        key=st.builds(Key, st.sampled_from(("x", "y", "a")), st.just("pod")),
        uid=st.just(""),
        created=st.just(""),
        quota_label=st.sampled_from(("", "a", "b", "nobody", *sorted(names.RESERVED_QUOTAS))),
        mirror=st.booleans(),
        daemon=st.booleans(),
    ),
)
def test_every_pod_belongs_to_a_quota_that_there_is(heap: list[Quota], pod: Pod) -> None:
    forest = judge.build(heap)
    assert Membership(forest, frozenset({"y"})).quota_of(pod) in forest.quotas
