"""Guarantee backing: whether a tree offers what the quotas below its root are guaranteed.

The guarantees of the first level come from the total of the tree: its nodes, what they may become,
or what is declared. Where they are more, all of them shrink in proportion (``sharing``), and with
them those of all quotas below. Deeper levels need no look of their own: the mins of children fit
in the min of their parent, or the children are not accepted.
"""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota import names
from elasticquota.forest import guarantee
from elasticquota.forest.structure import Forest, Tree
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.model.capacity_mode import Mode


class Unbacked(NamedTuple):
    """A resource of which a tree guarantees more than it offers; accounting units."""

    guaranteed: int
    offered: int
    mode: Mode


def of_tree(tree: Tree, forest: Forest, nodes: TreeNodes) -> Mapping[str, Unbacked]:
    """Return by resource what the tree guarantees beyond its total; empty: all is backed."""
    found: dict[str, Unbacked] = {}
    for key, guaranteed in guarantee.of_first_level(tree, forest).items():
        offered = nodes.total.get(key, None if _is_unlimited(key, tree, forest, nodes) else 0)
        if offered is not None and guaranteed > offered:
            found[key] = Unbacked(guaranteed, offered, nodes.mode.mode)
    return found


def _is_unlimited(key: str, tree: Tree, forest: Forest, nodes: TreeNodes) -> bool:
    """Whether a resource that is missing in the total limits no pod of the tree."""
    if key == names.MAX_JOBS:  # It counts jobs, and no node offers it.
        return True
    root = forest.quotas.get(tree.root)
    is_stated = tree.id != names.DEFAULT_TREE and (root is None or not root.profile)
    return is_stated if nodes.mode.mode == "Nodes" else nodes.mode.leaves_unlimited(key)
