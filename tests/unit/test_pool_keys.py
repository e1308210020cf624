"""Pool keys: one key for each resource of each pool, and back."""

import pytest

from elasticquota import pool_keys, quantity
from elasticquota.wire.codec import fields


@pytest.mark.parametrize(
    ("pool", "resource", "key"),
    [
        ("a100", "nvidia.com/gpu", "a100.pool.elasticquota.dev/nvidia.com_gpu"),
        ("spot", "cpu", "spot.pool.elasticquota.dev/cpu"),
        ("mig", "nvidia.com/mig_1g.5gb", "mig.pool.elasticquota.dev/nvidia.com_mig_1g.5gb"),
        (
            "a100",
            "gpu.example.com.deviceclass.resource.k8s.io/devices",
            "a100.pool.elasticquota.dev/gpu.example.com.deviceclass.resource.k8s.io_devices",
        ),
    ],
)
def test_a_key_is_a_qualified_name_that_leads_back_to_pool_and_resource(
    pool: str, resource: str, key: str
) -> None:
    assert pool_keys.key(pool, resource) == key
    assert pool_keys.split(key) == (pool, resource)
    assert fields.is_name(key)


@pytest.mark.parametrize(
    "resource", ["x" * 64, "a.b/" + "c" * 63, "no_domain", "t4.pool.elasticquota.dev/cpu"]
)
def test_a_resource_whose_key_would_be_no_name_or_lead_elsewhere_has_none(resource: str) -> None:
    assert pool_keys.key("a100", resource) == ""


@pytest.mark.parametrize(
    "key",
    [
        "nvidia.com/gpu",
        "pool.elasticquota.dev/cpu",
        ".pool.elasticquota.dev/cpu",
        "a.b.pool.elasticquota.dev/cpu",
        "a100.pool.elasticquota.dev/",
        "a100.pool.elasticquota.dev",
    ],
)
def test_other_keys_are_of_no_pool(key: str) -> None:
    assert pool_keys.split(key) is None
    assert pool_keys.resource(key) == key


def test_amounts_are_in_the_unit_of_the_resource() -> None:
    assert quantity.amount("spot.pool.elasticquota.dev/cpu", "1500m") == 1500
    assert quantity.text("spot.pool.elasticquota.dev/cpu", 1500) == "1500m"
    assert quantity.text("spot.pool.elasticquota.dev/memory", 2**30) == "1Gi"
    assert quantity.whole("spot.pool.elasticquota.dev/cpu", 1500) == 1.5


def test_messages_name_resource_and_pool() -> None:
    key = pool_keys.key("a100", "nvidia.com/gpu")
    assert pool_keys.title(key) == "nvidia.com/gpu of pool a100"
    assert pool_keys.title("cpu") == "cpu"
