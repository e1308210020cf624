"""Law: who names whom is what a look at every quota finds, in any heap."""

from hypothesis import given

import quota_generator
from elasticquota.forest import acceptance
from elasticquota.model.quota import Quota


@given(quota_generator.garbage())
def test_children_are_all_that_name_a_parent(heap: list[Quota]) -> None:
    forest = acceptance.build(heap)
    quotas = forest.quotas.values()
    for parent in {quota.parent for quota in quotas} | set(forest.quotas):
        naming = sorted(
            quota.name for quota in quotas if quota.parent == parent and quota.name != parent
        )
        assert list(forest.index.children.get(parent, ())) == naming


@given(quota_generator.garbage())
def test_binders_are_all_that_name_a_namespace(heap: list[Quota]) -> None:
    forest = acceptance.build(heap)
    for namespace in "xyz":
        naming = sorted(
            quota.name for quota in forest.quotas.values() if namespace in quota.namespaces
        )
        assert list(forest.index.binders.get(namespace, ())) == naming
