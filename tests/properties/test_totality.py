"""Law: invalid objects are judged and shared like any others, without exception or endless loop.

Semantics 4 ("the solver must be total"). The time limit of the suite stops a test that hangs here.
"""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

import effort
import quota_generator
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


def every_tree_is_shared(
    objects: list[Quota], own: Mapping[str, Resources], available: Resources
) -> None:
    for shared in quota_generator.shared(objects, own, available):
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
def test_every_tree_is_shared_without_inventing_a_unit(
    objects: list[Quota], own: dict[str, Resources], available: Resources
) -> None:
    every_tree_is_shared(objects, own, available)


@effort.one_in(10)
@given(
    quota_generator.large_garbage(), quota_generator.wild_amounts(), quota_generator.wild_amounts()
)
def test_a_large_invalid_forest_is_shared_without_inventing_a_unit(
    objects: list[Quota], asked: Resources, available: Resources
) -> None:
    every_tree_is_shared(objects, {quota.name: asked for quota in objects}, available)


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
def test_every_pod_belongs_to_an_existing_quota(objects: list[Quota], pod: Pod) -> None:
    forest = acceptance.build(objects, SharingTerms(system_namespaces=frozenset({"y"})))
    assert Membership(forest).quota_of(pod) in forest.quotas
