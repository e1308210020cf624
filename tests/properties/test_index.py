"""Law: for arbitrary quotas, the index finds the references that a look at every quota finds."""

from hypothesis import given

import quota_generator
from elasticquota.forest import acceptance
from elasticquota.model.quota import Quota


@given(quota_generator.garbage())
def test_children_are_all_quotas_that_name_a_parent(objects: list[Quota]) -> None:
    forest = acceptance.build(objects)
    quotas = forest.quotas.values()
    for parent in {quota.parent for quota in quotas} | set(forest.quotas):
        naming = sorted(
            quota.name for quota in quotas if quota.parent == parent and quota.name != parent
        )
        assert list(forest.index.children.get(parent, ())) == naming


@given(quota_generator.garbage())
def test_binders_are_all_quotas_that_bind_a_namespace(objects: list[Quota]) -> None:
    forest = acceptance.build(objects)
    for namespace in {*"xyz", *forest.quotas}:
        binding = sorted(quota.name for quota in forest.quotas.values() if quota.binds(namespace))
        assert list(forest.index.binders.get(namespace, ())) == binding
