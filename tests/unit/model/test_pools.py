"""Pools: which node is in which, what is counted, and which nodes a pod of a pool is sent to."""

import pytest

from elasticquota import names, pool_keys
from elasticquota.model import pools
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.selector import Requirement


GPU = "nvidia.com/gpu"
KINDS = Pools(
    (
        Pool("fast", (("net", "ib"),)),
        Pool("a100", (("gpu", "a100"),)),
        Pool("rest"),
    )
)


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"net": "ib", "gpu": "a100"}, "fast"),
        ({"gpu": "a100"}, "a100"),
        ({"gpu": "t4"}, "rest"),
        ({}, "rest"),
    ],
)
def test_a_node_is_in_the_first_pool_whose_labels_it_has(labels: dict[str, str], name: str) -> None:
    assert KINDS.of(labels) == name
    assert [each for each in KINDS.names if KINDS.selector(each).matches(labels)] == [name]


def test_a_node_may_be_in_no_pool() -> None:
    assert Pools(KINDS.pools[:2]).of({"gpu": "t4"}) == ""


def test_the_selector_of_a_pool_keeps_off_the_nodes_of_pools_before_it() -> None:
    assert KINDS.selector("a100").requirements == (
        Requirement("gpu", "In", ("a100",)),
        Requirement("net", "NotIn", ("ib",)),
    )


def test_pools_that_no_node_can_share_need_no_such_requirement() -> None:
    found = Pools((Pool("a", (("gpu", "a"),)), Pool("b", (("gpu", "b"),))))
    assert found.selector("b").requirements == (Requirement("gpu", "In", ("b",)),)


def test_an_unknown_pool_has_no_selector() -> None:
    with pytest.raises(LookupError, match="no pool t4"):
        KINDS.selector("t4")


def test_devices_are_counted_unless_resources_are_named() -> None:
    assert [key for key in ("cpu", GPU, names.MAX_JOBS, names.PODS) if KINDS.counts(key)] == [GPU]
    named = Pools(KINDS.pools, ("cpu",))
    assert [key for key in ("cpu", GPU) if named.counts(key)] == ["cpu"]


def test_amounts_in_a_pool_replace_those_of_another_one_and_those_that_a_user_made_up() -> None:
    forged = {"cpu": 1000, GPU: 2, pool_keys.key("rest", GPU): 9, "x.pool.elasticquota.dev/y": 1}
    inside = KINDS.inside("a100", forged)
    assert inside == {"cpu": 1000, GPU: 2, pool_keys.key("a100", GPU): 2}
    assert KINDS.inside("", inside) == {"cpu": 1000, GPU: 2}
    assert (pools.named(inside), pools.named({GPU: 1})) == ("a100", "")


def test_who_asks_for_nothing_that_is_counted_is_not_concerned() -> None:
    assert KINDS.concern({GPU: 1})
    assert not KINDS.concern({GPU: 0, "cpu": 1000})
