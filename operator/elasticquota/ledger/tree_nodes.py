"""The ground of a tree: the nodes it stands on and what they offer.

A tree with a profile stands on the profile's nodes; the default tree on all others, and on those of
profiles that share theirs with it (``ignore-default-tree``); a root quota that somebody wrote by
hand has only the total it states (semantics 4, K 2.6), and so has that of a profile whose selector
cannot be read, because a slip of the pen must not evict a whole tree. Nobody knows which nodes such
a total comes from, so it is taken off what the default tree offers, never below nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from elasticquota import names, resources
from elasticquota.forest.structure import Forest
from elasticquota.ledger.objects import Objects
from elasticquota.model.key import Key
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """What a tree stands on: its total and its nodes."""

    total: Resources
    nodes: frozenset[str] = frozenset()
    selector: Selector = EVERYTHING
    """What the profile selects them by; empty without a profile."""


def of_trees(
    objects: Objects, forest: Forest, capacities: Mapping[Key, Capacity]
) -> dict[str, TreeNodes]:
    """Ground of every tree, by tree id; the older of two profiles with one tree id counts."""
    by_tree_id = {
        capacity.tree_id_of(profile): (capacities[profile.key], profile.selector)
        for profile in sorted(objects.profiles.values(), key=lambda p: (p.created, p.uid))[::-1]
        if not profile.selects_unknown
    }
    shared = {
        profile.key
        for profile in objects.profiles.values()
        if profile.quota_labels.get(names.IGNORE_DEFAULT_TREE) == "true"
    }
    owned = {
        name for key, found in capacities.items() if key not in shared for name in found.node_names
    }
    stated = {
        tree_id: forest.quotas[tree.root]
        for tree_id, tree in forest.trees.items()
        if tree_id not in by_tree_id and tree_id != names.DEFAULT_TREE
    }
    nodes_by_tree = {tree_id: TreeNodes(root.total or EMPTY) for tree_id, root in stated.items()}
    nodes = objects.nodes
    for tree_id in forest.trees.keys() - stated.keys():
        found, selector = by_tree_id.get(tree_id, (None, EVERYTHING))
        if found is None:
            left = capacity.of_default_tree(nodes.values(), owned)
            promised = resources.add(
                *(root.total or EMPTY for root in stated.values() if not root.shares_default_tree)
            )
            found = replace(left, total=_left_over(left.total, promised))
        nodes_by_tree[tree_id] = TreeNodes(found.total, frozenset(found.node_names), selector)
    return nodes_by_tree


def _left_over(total: Resources, promised: Resources) -> Resources:
    return {key: max(0, amount - promised.get(key, 0)) for key, amount in total.items()}


def trees_on(nodes_by_tree: Mapping[str, TreeNodes]) -> dict[str, tuple[str, ...]]:
    """Node name -> ids of the trees that stand on it."""
    standing: dict[str, tuple[str, ...]] = {}
    for tree_id, ground in nodes_by_tree.items():
        for name in ground.nodes:
            standing[name] = (*standing.get(name, ()), tree_id)
    return standing
