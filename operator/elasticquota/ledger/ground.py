"""The ground of a tree: the nodes it stands on, what they offer, and what strangers hold there.

A tree with a profile stands on the profile's nodes; the default tree on all others; a root quota
that somebody wrote by hand has only the total it states (semantics 4, K 2.6).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from elasticquota import names, resources
from elasticquota.forest.structure import Forest
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity


@dataclass(frozen=True, slots=True)
class Ground:
    """What a tree stands on: its total and its nodes."""

    total: Resources
    nodes: tuple[Node, ...] = ()


def of_trees(
    ledger: Ledger, forest: Forest, capacities: Mapping[Key, Capacity]
) -> dict[str, Ground]:
    """Ground of every tree, by tree id; the older of two profiles with one tree id counts."""
    by_tree_id = {
        capacity.tree_id_of(profile): capacities[profile.key]
        for profile in sorted(ledger.profiles.values(), key=lambda p: (p.created, p.uid))[::-1]
    }
    shared = {
        profile.key
        for profile in ledger.profiles.values()
        if profile.quota_labels.get(names.IGNORE_DEFAULT_TREE) == "true"
    }
    owned = {
        name for key, found in capacities.items() if key not in shared for name in found.node_names
    }
    grounds: dict[str, Ground] = {}
    for tree_id, tree in forest.trees.items():
        if tree_id == names.DEFAULT_TREE:
            found = capacity.of_default_tree(ledger.nodes.values(), owned)
        elif tree_id in by_tree_id:
            found = by_tree_id[tree_id]
        else:
            grounds[tree_id] = Ground(forest.quotas[tree.root].total or EMPTY)
            continue
        grounds[tree_id] = Ground(found.total, tuple(ledger.nodes[n] for n in found.node_names))
    return grounds


def strangers(
    pods: Mapping[str, list[Pod]], forest: Forest, grounds: Mapping[str, Ground]
) -> dict[str, Resources]:
    """What pods of no quota of a tree hold on the tree's nodes: the system's, mostly."""
    owner = {node.name: tree_id for tree_id, ground in grounds.items() for node in ground.nodes}
    held: dict[str, list[Resources]] = defaultdict(list)
    for quota_name, members in pods.items():
        home = forest.tree_of.get(quota_name)
        for pod in members:
            place = owner.get(pod.node_name)
            if place is not None and place != home:
                held[place].append(pod.request)
    return {tree_id: resources.add(*held.get(tree_id, ())) for tree_id in grounds}
