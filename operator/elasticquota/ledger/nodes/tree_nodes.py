"""The nodes of each tree and what they offer (semantics 4, K 2.6).

* A tree with a profile has the nodes of the profile.
* The default tree has all other nodes, and those of profiles that share theirs with it
  (``ignore-default-tree``).
* A root quota that a user wrote by hand has only the total that it states.
* So has the root quota of a profile that is gone; nothing new starts in its tree meanwhile.
* A profile may choose what counts instead of its present nodes (``model.capacity_mode``).
* If the selector of a profile cannot be read, its root quota keeps the total that it states: a typo
  must not evict a whole tree.

The nodes behind a stated total are not known, so it is subtracted from what the default tree
offers, but never below 0. ``_takes_nodes`` has the exceptions.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from elasticquota import names, pool_keys, resources
from elasticquota.forest.structure import Forest
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.model import tree_ids
from elasticquota.model.capacity_mode import NODES, CapacityMode, NodesToCome, is_extended
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pools import Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import node_sums
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.structs import Struct, field, replace


class TreeNodes(Struct, frozen=True):
    """The total and the nodes of one tree."""

    total: Resources
    nodes: frozenset[str] = frozenset()
    selector: Selector = EVERYTHING
    """The node selector of the profile; empty without a profile."""
    unschedulable: Resources = field(default_factory=lambda: EMPTY)
    """The part of ``total`` on nodes that are cordoned or not ready."""
    present: Resources = field(default_factory=lambda: EMPTY)
    """What the nodes offer now, without those that are being removed."""
    mode: CapacityMode = NODES
    to_come: NodesToCome | None = None
    """What may join an elastic tree; None: nothing may."""
    profile_gone: Key | None = None
    """The profile that said which nodes are the tree's, and is there no more."""

    @property
    def usable(self) -> frozenset[str]:
        """The nodes whose room limits the tree's pods: none where the total is declared."""
        return frozenset() if self.mode.mode == "Declared" else self.nodes

    def vanished(self, keys: Iterable[str]) -> frozenset[str]:
        """Return those of ``keys`` that are devices which no node offers any more.

        They return with their driver or device plugin. A 0 that the capacity states is no loss.
        """
        stated = {*self.mode.max, *self.mode.total}
        return frozenset(
            key
            for key in keys
            if not self.total.get(key)
            and is_extended(pool_keys.resource(key))
            and stated.isdisjoint((key, pool_keys.resource(key)))
        )

    def shared(self, timed_out: Resources) -> Resources:
        """Return the total that is shared now.

        ``timed_out`` is what the admitted pods of an elastic tree ask for that no node took in
        time: as much of the nodes to come does not come for now. What is present always counts.
        """
        if self.to_come is None or not timed_out:
            return self.total
        return {
            key: max(min(most, self.present.get(key, 0)), most - timed_out.get(key, 0))
            for key, most in self.total.items()
        }


NONE: Final = TreeNodes(EMPTY)


def of_trees(
    objects: LedgerObjects, forest: Forest, capacities: Mapping[Key, TreeCapacity]
) -> dict[str, TreeNodes]:
    """Return the nodes of every tree by tree id; of two profiles with one id the older counts."""
    by_tree_id = {
        tree_ids.of(profile): (capacities[profile.key], profile.selector)
        for profile in sorted(objects.profiles.values(), key=lambda p: (p.created, p.uid))[::-1]
        if not profile.selects_unknown
    }
    shared = {
        profile.key
        for profile in objects.profiles.values()
        if profile.quota_labels.get(names.IGNORE_DEFAULT_TREE) == "true"
    }
    owned = {
        name
        for key, tree_capacity in capacities.items()
        if key not in shared
        for name in tree_capacity.node_names
    }
    stated = {
        tree_id: forest.quotas[tree.root]
        for tree_id, tree in forest.trees.items()
        if tree_id not in by_tree_id and tree_id != names.DEFAULT_TREE
    }
    nodes_by_tree = {
        tree_id: TreeNodes(root.total or EMPTY, profile_gone=_gone(root, objects))
        for tree_id, root in stated.items()
    }
    nodes = objects.nodes
    for tree_id in forest.trees.keys() - stated.keys():
        tree_capacity, selector = by_tree_id.get(tree_id, (None, EVERYTHING))
        if tree_capacity is None:
            left = node_sums.of_default_tree(nodes.values(), owned)
            promised = resources.add(
                *(
                    root.total or EMPTY
                    for root in stated.values()
                    if _takes_nodes(root, objects) and not root.shares_default_tree
                )
            )
            tree_capacity = replace(left, total=_left_over(left.total, promised))
        nodes_by_tree[tree_id] = TreeNodes(
            tree_capacity.total,
            frozenset(tree_capacity.node_names),
            selector,
            tree_capacity.unschedulable,
            tree_capacity.present,
            tree_capacity.mode,
            tree_capacity.to_come,
        )
    return nodes_by_tree


def profiles_in_force(objects: LedgerObjects) -> list[Profile]:
    """Return the profiles with the capacity mode and the pools that count.

    Of those that cannot be read, that is what the root quota publishes: a typo must neither evict a
    tree nor scale it.
    """
    return [_in_force(profile, _root_of(profile, objects)) for profile in objects.profiles.values()]


def _in_force(profile: Profile, root: Quota | None) -> Profile:
    if profile.capacity_unknown and root is not None and root.capacity is not None:
        profile = replace(profile, capacity=root.capacity)
    if profile.pools_unreadable:
        profile = replace(profile, pools=None if root is None else root.pools)
    return profile


def _root_of(profile: Profile, objects: LedgerObjects) -> Quota | None:
    root = objects.quotas.get(Key(profile.key.namespace, profile.quota_name))
    return root if root and root.is_root and root.profile == profile.key.name else None


def stated_pools(objects: LedgerObjects, forest: Forest) -> dict[str, Pools]:
    """Return the pools of the trees whose nodes are not known, as their root quotas state them."""
    known = {
        tree_ids.of(profile) for profile in objects.profiles.values() if not profile.selects_unknown
    }
    roots = {tree_id: forest.quotas[tree.root] for tree_id, tree in forest.trees.items()}
    return {
        tree_id: root.pools
        for tree_id, root in roots.items()
        if root.pools is not None and tree_id not in known
    }


def with_pools(nodes: Mapping[str, Node], found: Mapping[Key, TreeCapacity]) -> Mapping[str, Node]:
    """Return all nodes by name, those of trees with pools with what they offer there."""
    inside = [each.pool_nodes for each in found.values() if each.pool_nodes]
    return (
        {**nodes, **{name: node for each in inside for name, node in each.items()}}
        if inside
        else nodes
    )


def _takes_nodes(root: Quota, objects: LedgerObjects) -> bool:
    """Whether a stated total is on nodes that are in no other tree.

    Not if the profile that is gone was elastic or declared: what nodes may become, or are
    elsewhere, is not here. Nor if the namespace of the root terminates: the tree goes with it.
    """
    namespace = objects.namespaces.get(root.key.namespace)
    is_of_nodes = root.capacity is None or root.capacity == NODES
    return is_of_nodes and not (namespace is not None and namespace.terminating)


def _gone(root: Quota, objects: LedgerObjects) -> Key | None:
    return None if root.profile_key in objects.profiles else root.profile_key


def _left_over(total: Resources, promised: Resources) -> Resources:
    return {key: max(0, amount - promised.get(key, 0)) for key, amount in total.items()}


def trees_on(nodes_by_tree: Mapping[str, TreeNodes]) -> dict[str, tuple[str, ...]]:
    """Return node name -> ids of the trees that have the node."""
    trees: dict[str, tuple[str, ...]] = {}
    for tree_id, found in nodes_by_tree.items():
        shared = {name: (*trees[name], tree_id) for name in found.nodes & trees.keys()}
        trees.update(dict.fromkeys(found.nodes, (tree_id,)))
        trees.update(shared)
    return trees
