"""Rows that no test of the peer has: what its code does, found by reading it (K 4)."""

from elasticquota import resources
from elasticquota.forest import acceptance
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.severity import USUAL
from tests.vectors import product, quota_store
from tests.vectors.product import Cluster


def test_a_weight_that_is_written_as_zero_stays_zero_beside_one_that_max_fills_in() -> None:
    """K 4.1: missing keys of the weight get max's value, zeros are kept; only all zero is max."""
    most = {"cpu": "120", "memory": "8Gi"}
    weight = {"shared-weight": {"cpu": "0"}}
    quotas = [
        quota_store.read(quota_store.manifest("a", max=most, annotations=weight)),
        quota_store.read(quota_store.manifest("b", max=most)),
    ]
    asked = resources.parse({"cpu": "60", "memory": "4Gi"})
    found = product.tree(quotas, resources.parse(most), {"a": asked, "b": asked}, {})
    assert found.runtime["b"] == asked
    assert found.runtime["a"]["cpu"] == 0
    assert found.runtime["a"]["memory"] == asked["memory"]


def test_an_admission_of_zero_is_a_limit_and_one_that_is_absent_or_empty_is_none() -> None:
    """K 4.5, quota admission: "<= admission annotation (or max if that is absent/empty)"."""
    for written, admits in (({"cpu": "0"}, False), ({}, True), (None, True)):
        said = {} if written is None else {"admission": written}
        cluster = Cluster()
        cluster.node("node", {"cpu": 8000})
        manifest = quota_store.manifest("team", max={"cpu": "4"}, annotations=said)
        cluster.quota(quota_store.read(manifest))
        cluster.pod("pod", "team", {"cpu": 1000}, waiting=True)
        assert bool(cluster.decide().releases) == admits


def test_guarantees_beyond_the_parents_are_refused_where_use_is_guaranteed_and_min_alone_fits() -> (
    None
):
    """K 4.2, rule 7: a min of 8 beside a min of 2, of 10; but 3 of the sibling's run."""
    assert not _may_have("8", guarantee=True)
    assert _may_have("7", guarantee=True)
    assert _may_have("8", guarantee=False)


def _may_have(cpu: str, guarantee: bool) -> bool:
    """Whether a quota with that min may be made beside the sibling."""
    root = quota_store.manifest("parent", is_parent=True, tree_id="tree1", min={"cpu": "10"})
    root["spec"]["tree"] = {"guaranteeUsage": guarantee}
    sibling = quota_store.manifest("sibling", "parent", tree_id="tree1", min={"cpu": "2"})
    quota = quota_store.manifest("quota", "parent", tree_id="tree1", min={"cpu": cpu})
    runs = resources.parse({"cpu": "3"})
    change = Change(None, quota_store.read(quota), used_by={"parent": runs, "sibling": runs})
    forest = acceptance.build([quota_store.read(root), quota_store.read(sibling)])
    return not chains.judge(change, forest, USUAL).refused
