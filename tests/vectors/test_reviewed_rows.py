"""Rows that no test of the peer has: what its code does, found by reading it (reference, K)."""

from elasticquota import resources
from tests.vectors import product, quota_store


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
