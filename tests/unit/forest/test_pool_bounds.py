"""Keys that bound no pool: one line with what the tree has, and the nearest name."""

import pytest

import forests
from elasticquota.forest import pool_bounds
from elasticquota.model.pools import Pool, Pools
from elasticquota.structs import replace


KINDS = Pools((Pool("a100", (("gpu", "a100"),)), Pool("t4", (("gpu", "t4"),))))
(ROOT,) = forests.quotas("pool root=blue")


@pytest.mark.parametrize(
    ("key", "pools", "message", "remedy"),
    [
        ("a10.pool.elasticquota.dev/x.y_z", KINDS, "has a100, t4", "Did you mean 'a100'?"),
        ("cpu-only.pool.elasticquota.dev/x.y_z", KINDS, "has a100, t4", "Name one of these"),
        ("a100.pool.elasticquota.dev/x.y_z", None, "has no pools", "name the pool in spec.pools"),
        ("a100.pool.elasticquota.dev/cpu", KINDS, "names 'cpu', but of", "poolResources of its"),
        (
            "a100.pool.elasticquota.dev/nvidia.com_gpus",
            replace(KINDS, resources=("cpu", "nvidia.com/gpu")),
            "only cpu, nvidia.com/gpu are counted",
            "Did you mean 'nvidia.com/gpu'?",
        ),
    ],
)
def test_a_key_that_bounds_nothing_is_reported(
    key: str, pools: Pools | None, message: str, remedy: str
) -> None:
    (found,) = pool_bounds.unknown([key, "cpu"], replace(ROOT, pools=pools))
    assert message in found.message
    assert remedy in found.remedy


def test_a_pool_without_nodes_is_known() -> None:
    key = "t4.pool.elasticquota.dev/nvidia.com_gpu"
    assert list(pool_bounds.unknown([key], replace(ROOT, pools=KINDS))) == []
