"""Keys that bound no pool: one line with what the tree has, and the nearest name."""

import pytest

import changes
import forests
from elasticquota import pool_keys
from elasticquota.forest import acceptance, pool_bounds
from elasticquota.forest.violation import Violation
from elasticquota.model.pools import Pool, Pools
from elasticquota.structs import replace
from elasticquota.validation import chains
from elasticquota.validation.severity import Findings


KINDS = Pools((Pool("a100", (("gpu", "a100"),)), Pool("t4", (("gpu", "t4"),))))
A100, A10 = (pool_keys.key(name, "nvidia.com/gpu") for name in ("a100", "a10"))
POOLS = Pools((Pool("a100", (("gpu", "a100"),)),))


def found_in(pools: Pools | None, key: str) -> list[Violation]:
    """What is said of a quota with this key, below a root with these pools."""
    root, quota = forests.quotas("pool root=blue parent; a<pool")
    forest = acceptance.build([replace(root, pools=pools), quota])
    return [*pool_bounds.check(replace(quota, max={key: 1, "cpu": 1}), forest)]


@pytest.mark.parametrize(
    ("key", "pools", "sentence"),
    [
        (
            "a10.pool.elasticquota.dev/x.y_z",
            KINDS,
            "names pool 'a10', but tree 'pool' has a100, t4. Did you mean 'a100'?",
        ),
        (
            "cpu-only.pool.elasticquota.dev/x.y_z",
            KINDS,
            "names pool 'cpu-only', but tree 'pool' has a100, t4. Name one of these.",
        ),
        (
            "a100.pool.elasticquota.dev/x.y_z",
            None,
            "names pool 'a100', but tree 'pool' has no pools. Leave it out, or name the pool in "
            "spec.pools of its profile first.",
        ),
        (
            "a100.pool.elasticquota.dev/cpu",
            KINDS,
            "names 'cpu', but of the pools of tree 'pool' only resources with a domain are "
            "counted. Leave it out, or add it to spec.poolResources of its profile first.",
        ),
        (
            "a100.pool.elasticquota.dev/nvidia.com_gpus",
            replace(KINDS, resources=("cpu", "nvidia.com/gpu")),
            "names 'nvidia.com/gpus', but of the pools of tree 'pool' only cpu, nvidia.com/gpu are "
            "counted. Did you mean 'nvidia.com/gpu'?",
        ),
        (
            "a100.pool.elasticquota.dev/cpu",
            replace(KINDS, resources=("nvidia.com/gpu",)),
            "names 'cpu', but of the pools of tree 'pool' only nvidia.com/gpu is counted. Leave it "
            "out, or add it to spec.poolResources of its profile first.",
        ),
    ],
)
def test_a_key_that_bounds_nothing_is_reported(
    key: str, pools: Pools | None, sentence: str
) -> None:
    (found,) = found_in(pools, key)
    assert (found.rule, found.sentence) == ("EQ1103-pool", f"{sentence} [EQ1103]")


def test_a_pool_without_nodes_is_known() -> None:
    key = "t4.pool.elasticquota.dev/nvidia.com_gpu"
    assert found_in(KINDS, key) == []


def judged(before: str, entry: str) -> Findings:
    """With pools in the tree blue, which has no node of them now."""
    quotas = [
        replace(each, pools=POOLS if each.is_root else None) for each in forests.quotas(before)
    ]
    return chains.judge(changes.change(before, entry), acceptance.build(quotas))


def test_a_known_pool_may_be_bounded_also_while_it_has_no_node() -> None:
    assert judged("pool ..9 root=blue parent", f"a<pool ns=a {A100}=1..2") == Findings()


def test_an_unknown_pool_is_refused_at_any_depth_and_on_both_sides() -> None:
    before = "pool ..9 root=blue parent; dept<pool parent"
    found = judged(before, f"a<dept {A10}=1..2").refused
    where = "spec.pools[a10].{}.nvidia.com/gpu".format
    assert [each.field for each in found] == [where("max"), where("min")]
    assert found[0].sentence.endswith("Did you mean 'a100'? [EQ1103]")


def test_an_old_key_blocks_no_other_edit() -> None:
    before = f"pool ..9 root=blue parent; a<pool {A10}=1..2"
    assert judged(before, f"a<pool {A10}=1..2 keep").refused == ()
