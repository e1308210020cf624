"""Nodes with what they offer in their pool, made once for each state of a node."""

from dataclasses import replace

from elasticquota import names, pool_keys
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile, Ratio
from elasticquota.model.selector import Selector
from elasticquota.sharing import capacity
from elasticquota.sharing.pool_nodes import PoolNodes


GPU = "nvidia.com/gpu"
A100 = pool_keys.key("a100", GPU)
KINDS = Pools((Pool("a100", (("gpu", "a100"),)),))
NODE = Node("n", "", {"gpu": "a100"}, {"cpu": 8000, GPU: 4, names.PODS: 110})


def test_a_node_offers_its_devices_in_its_pool_too() -> None:
    made = PoolNodes()
    assert made.counted(NODE, KINDS).allocatable == {**NODE.allocatable, A100: 4}
    assert made.pool_of("n") == "a100"


def test_a_node_of_no_pool_and_a_tree_without_pools_stay_as_they_are() -> None:
    made, other = PoolNodes(), replace(NODE, labels={})
    assert made.counted(other, KINDS).allocatable == other.allocatable
    assert made.pool_of("n") == ""
    assert made.counted(NODE, None) is NODE


def test_what_a_node_made_up_is_not_offered() -> None:
    forged = replace(NODE, allocatable={GPU: 1, pool_keys.key("t4", GPU): 99})
    assert PoolNodes().counted(forged, KINDS).allocatable == {GPU: 1, A100: 1}


def test_a_changed_node_or_changed_pools_are_counted_again() -> None:
    made = PoolNodes()
    first = made.counted(NODE, KINDS)
    assert made.counted(NODE, KINDS) is first
    assert made.counted(replace(NODE, labels={}), KINDS) != first
    assert made.counted(NODE, Pools(KINDS.pools, ("cpu",))) != first
    made.keep({})
    assert made.counted(NODE, KINDS) == first


def test_the_ratio_of_a_profile_holds_for_its_pools() -> None:
    profile = Profile(Key("s", "p"), "", "", "root", Selector(), pools=KINDS, ratio=Ratio(1, 2))
    found = capacity.of_profiles([profile], [NODE])[profile.key]
    assert (found.total[GPU], found.total[A100]) == (2, 2)
    assert found.pool_of == {"n": "a100"}
