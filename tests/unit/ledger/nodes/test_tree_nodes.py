"""Which trees have which nodes."""

from elasticquota.ledger.nodes import tree_nodes
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.resources import EMPTY


def test_a_node_that_a_profile_shares_with_the_default_tree_is_in_both_trees() -> None:
    found = {
        "": TreeNodes(EMPTY, frozenset({"shared", "free"})),
        "42": TreeNodes(EMPTY, frozenset({"shared", "own"})),
        "43": TreeNodes(EMPTY),
    }
    assert tree_nodes.trees_on(found) == {"shared": ("", "42"), "free": ("",), "own": ("42",)}
