"""Law: garbage is judged and shared like anything else, never raised at and never looped over.

Semantics 4 ("the solver must be total"). A test that hangs here is stopped
by the time limit of the suite.
"""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

import effort
import quota_generator
from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


def every_tree_is_shared(
    heap: list[Quota], own: Mapping[str, Resources], available: Resources
) -> None:
    for shared in quota_generator.shared(heap, own, available):
        assert set(shared.asked) == set(shared.runtimes) == set(shared.tree.order)
        for parent in shared.tree.order:
            for key, there_is in shared.runtimes[parent].items():
                parts = [shared.runtimes[child][key] for child in shared.tree.children[parent]]
                assert min([there_is, *parts]) >= 0
                assert sum(parts) <= there_is


@given(
    quota_generator.garbage(),
    st.dictionaries(st.sampled_from("abcd"), quota_generator.wild_amounts()),
    quota_generator.wild_amounts(),
)
def test_every_tree_is_shared_without_making_up_a_unit(
    heap: list[Quota], own: dict[str, Resources], available: Resources
) -> None:
    every_tree_is_shared(heap, own, available)


@effort.one_in(10)
@given(quota_generator.landslides(), quota_generator.wild_amounts(), quota_generator.wild_amounts())
def test_a_landslide_is_shared_without_making_up_a_unit(
    heap: list[Quota], asked: Resources, available: Resources
) -> None:
    every_tree_is_shared(heap, {quota.name: asked for quota in heap}, available)


@given(
    quota_generator.garbage(),
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
    forest = quota_generator.forest(heap)
    assert Membership(forest, frozenset({"y"})).quota_of(pod) in forest.quotas
