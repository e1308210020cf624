"""The nodes of all trees, kept up to date, and which pods count differently when they change.

A node that comes, or offers more, makes no pod infeasible that was feasible before. So only
infeasible pods are judged again then: a scale-up adds a node every few milliseconds, and most
waiting pods wait for something else. The first node of a tree is another matter: while the nodes
are not known, any may take a pod.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from elasticquota import names, resources
from elasticquota.forest.structure import Forest
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.nodes import node_shape, tree_nodes
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.ledger.pods.pod_accounting import PodAccounting
from elasticquota.ledger.pods.pool_assignment import OnNode
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pools
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.sharing.profile_nodes import ProfileNodes


class NodeBooks:
    """Mutable; tells ``pods`` which nodes there are."""

    def __init__(self, objects: LedgerObjects, pods: PodAccounting) -> None:
        self.capacities: Mapping[Key, TreeCapacity] = {}
        """By profile."""
        self.by_tree: dict[str, TreeNodes] = {}
        self._objects = objects
        self._pods = pods
        self._profile_nodes = ProfileNodes()

    def renew_feasibility(self) -> None:
        """Renew the feasibility check, because quotas or nodes changed."""
        totals = {tree_id: found.total for tree_id, found in self.by_tree.items()}
        gone = {
            tree_id: found.profile_gone
            for tree_id, found in self.by_tree.items()
            if found.profile_gone is not None
        }
        self._pods.renew_feasibility(totals, gone)

    def follow(
        self, forest: Forest, before_of: Mapping[str, Node | None], *, all_moved: bool
    ) -> Sequence[Key]:
        """Assign the nodes to the trees of ``forest``; return the pods that may count differently.

        ``before_of`` has the nodes with events since the last call, as they were then.
        ``all_moved``: any pod may be in another tree than before.
        """
        objects, before, trees_on = self._objects, self.by_tree, self._pods.counting.trees_on
        unknown = {tree_id for tree_id in before if not self._pods.fit.knows(tree_id)}
        moved = self._assign(forest, before_of.keys())
        repooled = self._update_pools(forest, before_of.keys())
        moved |= repooled or set()
        if self._pods.pools.active:  # a pod on an unknown node counts by its constraints
            moved |= {
                name
                for name, node in before_of.items()
                if (node is None) is not (name not in objects.nodes)
            }
        self._offer(before, moved | before_of.keys())
        if self._pods.follow_timeouts(self._timeouts(), all_moved=all_moved):
            all_moved = True
        reshaped = bool(moved) or any(
            node_shape.reshaped(node, objects.nodes.get(name)) for name, node in before_of.items()
        )
        of_before = {each: before.get(each, tree_nodes.NONE) for each in self.by_tree}
        # The mode says how large a node to come may be, and whether nodes limit a pod at all.
        reshaped |= any(of_before[each].mode != now.mode for each, now in self.by_tree.items())
        closed = any(
            of_before[each].profile_gone != now.profile_gone for each, now in self.by_tree.items()
        )
        reshaped |= closed
        resized = reshaped or any(
            of_before[each].total != now.total for each, now in self.by_tree.items()
        )
        if all_moved or resized or repooled is None:
            self.renew_feasibility()
        if repooled is None:
            return list(self._pods.entries)
        in_pools = self._pods.pools.active
        only_more = (
            not (all_moved or closed)
            and not any(map(self._pods.fit.knows, unknown))
            and self._offers_only_more(before, trees_on, before_of)
        )
        return [
            key
            for key, (pod_or_job, counted_as) in self._pods.entries.items()
            if (
                not counted_as.running
                # Where only more pods fit, those that fitted before still do.
                and (counted_as.infeasible is not None or not only_more)
                and (reshaped or (resized and _is_several(pod_or_job)))
            )
            or (in_pools and reshaped and not self.has_node(pod_or_job))
            or (isinstance(pod_or_job, Pod) and pod_or_job.node_name in moved)
            or all_moved
            if self._pods.counts_differently(key)
        ]

    def has_node(self, found: Counted) -> bool:
        """Whether it has a node that is known."""
        return isinstance(found, Pod) and found.node_name in self._objects.nodes

    def _assign(self, forest: Forest, changed: AbstractSet[str]) -> set[str]:
        """Compute what each profile and each tree has now; return the nodes that moved.

        ``changed`` are nodes with events.
        """
        objects = self._objects
        profiles = tree_nodes.profiles_in_force(objects)
        self.capacities = self._profile_nodes.follow(profiles, objects.nodes, changed)
        self.by_tree = tree_nodes.of_trees(objects, forest, self.capacities)
        return self._pods.set_trees_on(tree_nodes.trees_on(self.by_tree))

    def _offer(self, before: Mapping[str, TreeNodes], changed: AbstractSet[str]) -> None:
        """Pass the nodes on to ``NodeFit``; ``changed`` nodes changed or changed trees."""
        usable = {tree_id: of_tree.usable for tree_id, of_tree in self.by_tree.items()}
        switched = {
            name
            for tree_id, names_now in usable.items()
            if names_now != (names_before := before.get(tree_id, tree_nodes.NONE).usable)
            for name in names_now ^ names_before
        }
        # No affinity keeps pods of the default tree to its nodes.
        usable[names.DEFAULT_TREE] = frozenset(self._objects.nodes)
        self._pods.fit.set_nodes(
            usable,
            changed | switched,
            tree_nodes.with_pools(self._objects.nodes, self.capacities),
            {
                tree_id: of_tree.to_come
                for tree_id, of_tree in self.by_tree.items()
                if of_tree.to_come is not None
            },
        )

    def _timeouts(self) -> dict[str, int]:
        """How long an admitted pod waits for a node, by id of an elastic tree; milliseconds."""
        return {
            tree_id: found.mode.scale_up_timeout
            for tree_id, found in self.by_tree.items()
            if found.to_come is not None
        }

    def _offers_only_more(
        self,
        before: Mapping[str, TreeNodes],
        trees_on: Mapping[str, tuple[str, ...]],
        before_of: Mapping[str, Node | None],
    ) -> bool:
        """Whether every tree offers what it offered before, on the same nodes and on new ones."""
        nodes, now_on = self._objects.nodes, self._pods.counting.trees_on
        return (
            before.keys() == self.by_tree.keys()
            and all(
                offered.mode == self.by_tree[tree_id].mode
                and offered.total.keys() <= self.by_tree[tree_id].total.keys()
                and resources.fits(offered.total, self.by_tree[tree_id].total)
                for tree_id, offered in before.items()
            )
            and all(set(trees) <= set(now_on.get(name, ())) for name, trees in trees_on.items())
            and all(
                node_shape.takes_all_it_took(node, nodes.get(name))
                for name, node in before_of.items()
            )
        )

    def _update_pools(self, forest: Forest, changed: AbstractSet[str]) -> set[str] | None:
        """Update the pools of all trees; return the nodes whose pool changed, None: all may.

        A tree whose nodes are not known, because its profile is gone or unreadable, keeps the pools
        that its root quota states; there a pod counts by the labels of its node. ``changed`` are
        the nodes with events.
        """
        of_trees: dict[str, Pools] = {}
        on_nodes: dict[str, OnNode] = {}
        for key, tree_capacity in self.capacities.items():
            if tree_capacity.pools is not None:
                of_trees[tree_ids.of(self._objects.profiles[key])] = tree_capacity.pools
                for name, pool in tree_capacity.pool_of.items():
                    on_nodes[name] = OnNode(tree_capacity.pools, pool)
        stated = tree_nodes.stated_pools(self._objects, forest)
        moved = self._pods.pools.set({**of_trees, **stated}, on_nodes, stated.keys())
        return moved if moved is None or not stated else moved | changed


def _is_several(found: Counted) -> bool:
    """Whether it fits only if the tree as a whole has room for several pods."""
    return isinstance(found, QueuedJob) or found.group is not None
