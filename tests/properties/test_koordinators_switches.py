"""Laws of Koordinator's two switches: max as the limit, and min that is not scaled."""

from hypothesis import given
from hypothesis import strategies as st

import forests
import tree_generator
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.settings import SharingTerms
from elasticquota.sharing.runtime import Runtimes


TERMS = st.builds(SharingTerms, limits_by_max=st.booleans(), scales_min=st.booleans())


def solved(case: tree_generator.TreeCase, terms: SharingTerms) -> Runtimes:
    forest = acceptance.build(case.quotas, terms)
    return forests.solved(forest.trees[names.DEFAULT_TREE], forest, case.own, case.available)


@given(tree_generator.tree_cases(), TERMS)
def test_requests_that_come_one_by_one_give_the_runtimes_of_all_at_once(
    case: tree_generator.TreeCase, terms: SharingTerms
) -> None:
    forest = acceptance.build(case.quotas, terms)
    tree = forest.trees[names.DEFAULT_TREE]
    found = Runtimes(tree, forest)
    found.set_capacity(case.available)
    found.settle()
    for name in sorted(case.own.keys() & set(tree.order), reverse=True):
        found.set_request(name, case.own[name])
        found.settle()
    expected = Runtimes(tree, forest)
    expected.set_requests({name: case.own[name] for name in tree.order if name in case.own})
    expected.set_capacity(case.available)
    expected.settle()
    for name in tree.order:
        assert found.runtime(name) == expected.runtime(name)
        assert found.own_runtime(name) == expected.own_runtime(name)


@given(tree_generator.tree_cases())
def test_where_max_is_the_limit_a_runtime_is_the_smallest_max_of_its_path(
    case: tree_generator.TreeCase,
) -> None:
    forest = acceptance.build(case.quotas, SharingTerms(limits_by_max=True))
    found = solved(case, SharingTerms(limits_by_max=True))
    root = found.runtime(names.ROOT_QUOTA)
    for name in forest.trees[names.DEFAULT_TREE].order:
        for key, amount in found.runtime(name).items():
            maxes = [forest.quotas[each].max.get(key, root[key]) for each in forest.path(name)]
            assert amount == max(0, min(root[key], *maxes))


@given(tree_generator.tree_cases())
def test_min_that_is_not_scaled_is_given_whole_as_far_as_it_is_asked_for(
    case: tree_generator.TreeCase,
) -> None:
    terms = SharingTerms(scales_min=False)
    forest = acceptance.build(case.quotas, terms)
    found = solved(case, terms)
    top = forest.trees[names.DEFAULT_TREE].children[names.ROOT_QUOTA]
    for name in top:
        asked = found.limited_request(name)
        for key, low in forest.effective_min(name).items():
            assert found.runtime(name)[key] >= min(max(0, low), asked.get(key, 0))
