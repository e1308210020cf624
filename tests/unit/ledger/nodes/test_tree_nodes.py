"""Which trees have which nodes."""

from elasticquota import pool_keys
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.resources import EMPTY


def test_a_node_that_a_profile_shares_with_the_default_tree_is_in_both_trees() -> None:
    found = {
        "": TreeNodes(EMPTY, frozenset({"shared", "free"})),
        "42": TreeNodes(EMPTY, frozenset({"shared", "own"})),
        "43": TreeNodes(EMPTY),
    }
    assert tree_nodes.trees_on(found) == {"shared": ("", "42"), "free": ("",), "own": ("42",)}


GPU, NIC = "nvidia.com/gpu", "example.com/nic"
GPU_OF_POOL, CPU_OF_POOL = pool_keys.key("a100", GPU), pool_keys.key("a100", "cpu")


def test_a_device_has_vanished_if_no_node_offers_it_and_no_capacity_states_it() -> None:
    asked = ("cpu", GPU, NIC, GPU_OF_POOL, CPU_OF_POOL)
    nodes = TreeNodes({"cpu": 0, NIC: 2, GPU: 0, CPU_OF_POOL: 0})
    assert nodes.vanished(asked) == {GPU, GPU_OF_POOL}
    for stated in (CapacityMode("Declared", total={GPU: 0}), CapacityMode("Elastic", max={GPU: 0})):
        assert TreeNodes(EMPTY, mode=stated).vanished(asked) == {NIC}
