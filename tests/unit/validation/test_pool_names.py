"""EQ1103-pool: keys of unknown pools are refused when an edit adds them."""

import changes
import forests
from elasticquota import pool_keys
from elasticquota.forest import acceptance
from elasticquota.model.pools import Pool, Pools
from elasticquota.structs import replace
from elasticquota.validation import chains
from elasticquota.validation.severity import Findings


A100, A10 = (pool_keys.key(name, "nvidia.com/gpu") for name in ("a100", "a10"))
POOLS = Pools((Pool("a100", (("gpu", "a100"),)),))


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
