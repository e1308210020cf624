"""The books of the ledger: forest, pods per quota, totals and runtimes, kept up to date.

The books follow the changes of the objects and recompute only what these affect. The result equals
that of new books from the same objects. ``pod_accounting`` counts the pods; the books say which
pods it must count again, and pass the sums on to the books of the trees. A ``ClusterSnapshot`` is
what others read.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names
from elasticquota.forest import affected
from elasticquota.forest.affected import Affected
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.ledger import infeasible, tree_nodes, usage
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.change_log import ChangeLog
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.external_usage import ExternalUsage
from elasticquota.ledger.objects import Changes, Objects
from elasticquota.ledger.pod_accounting import PodAccounting
from elasticquota.ledger.pool_assignment import OnNode
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.ledger.tree_nodes import TreeNodes
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pools
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity
from elasticquota.sharing.pool_nodes import PoolNodes


_NO_EXTERNAL_PODS: Final = ExternalUsage()


class Books:
    """Mutable; its fields are those of the snapshots that it makes."""

    def __init__(self, objects: Objects, accounting: Accounting, generation: int) -> None:
        """``generation`` is larger than that of all snapshots of earlier books."""
        self.accounting = accounting
        self._forest = IncrementalForest(accounting.terms, objects.quotas.values())
        self._capacities: Mapping[Key, Capacity] = {}
        self._refused: tuple[str, ...] = ()
        self._trees: dict[str, TreeBooks] = {}
        self._objects = objects
        self._pod_accounting = PodAccounting(
            objects, accounting, accounting.membership(self._forest.forest)
        )
        self._nodes_by_tree: dict[str, TreeNodes] = {}
        self._pool_nodes = PoolNodes()
        self._changed_quotas: ChangeLog[str] = ChangeLog(generation)
        self._changed_jobs: ChangeLog[Key] = ChangeLog(generation)

    def follow(self, changes: Changes, generation: int) -> ClusterSnapshot:
        """Update the books by what changed; return the snapshot of this ``generation``."""
        concerned, touched = self._recount(changes)
        if concerned is None:
            self._arrange()
        else:
            self._follow_up(concerned, touched)
        for tree_id, tree in self._trees.items():
            found = self._pod_accounting.external_pods.get(tree_id, _NO_EXTERNAL_PODS)
            tree.set_capacity(self._nodes_by_tree[tree_id].total, found)
            tree.settle()
        moved = [tree.drain_changed() for tree in self._trees.values()]
        if concerned is None or changes.capacity_changed:
            self._changed_quotas.note_all(generation)
        else:
            self._changed_quotas.note(touched.union(concerned.statuses, *moved), generation)
        self._changed_jobs.note(self._pod_accounting.reservations.drain_changed(), generation)
        return ClusterSnapshot(
            generation,
            self.accounting,
            self._forest.forest,
            self._refused,
            self._trees,
            self._capacities,
            self._nodes_by_tree,
            self._pod_accounting,
            self._objects,
            self._changed_quotas,
            self._changed_jobs,
        )

    def _recount(self, changes: Changes) -> tuple[Affected | None, set[str]]:
        """Count pods again; return the affected quotas, None for all, and those with changes."""
        user_usage = self._pod_accounting.user_usage
        recount = changes.counted | self._pod_accounting.times.advance(self._objects.time)
        if changes.group_sources or changes.group_kinds:
            groups = self._pod_accounting.groups
            recount |= groups.of_sources(changes.group_sources, changes.group_kinds)
        concerned = self._update_forest(changes)
        limits_changed = concerned is not affected.NOTHING and user_usage.follow_limits(
            self._forest.forest, None if concerned is None else concerned.changed
        )
        if concerned is None:
            recount.update(self._update_observed())
        else:
            recount.update(self._pods_of(concerned))
        if concerned is None or changes.capacity_changed:
            recount.update(self._update_nodes(changes.nodes, all_moved=concerned is None))
        touched = self._pod_accounting.recount(recount)
        if limits_changed:
            user_usage.recount(self._pod_accounting.admitted())
        return concerned, touched

    def _update_forest(self, changes: Changes) -> Affected | None:
        """Bring the forest up to date; return the affected quotas, None for all."""
        before, stored = self._forest.forest, self._objects.quotas
        concerned = None
        if changes.quotas is not None:
            concerned = self._forest.update({key: stored.get(key) for key in changes.quotas})
        if concerned is affected.NOTHING:
            return concerned
        self._pod_accounting.members = self.accounting.membership(self._forest.forest)
        if concerned is None:
            self._list_refused(before.quotas.keys() | self._forest.forest.quotas.keys())
        else:
            self._list_refused(concerned.changed)
        return concerned

    def _list_refused(self, judged: AbstractSet[str]) -> None:
        """Update ``refused``; only quotas in ``judged`` may have another verdict."""
        forest = self._forest.forest
        refused = {name for name in judged & forest.quotas.keys() if not forest.accepted(name)}
        self._refused = tuple(sorted(refused.union(self._refused) - (judged - refused)))

    def _update_observed(self) -> list[Key]:
        """Update the quotas in observe mode; return the pods of those that changed."""
        before, governed = (
            self._pod_accounting.observed,
            self._forest.forest.quotas.keys() - names.RESERVED_QUOTAS,
        )
        self._pod_accounting.observed = frozenset(
            name for name in governed if self._forest.forest.observes(name)
        )
        turned = before ^ self._pod_accounting.observed
        if not turned:
            return []
        return [
            key
            for key, (_, standing) in self._pod_accounting.entries.items()
            if standing.quota in turned
        ]

    def _pods_of(self, concerned: Affected) -> Iterable[Key]:
        """The pods that may count differently because of edited quotas."""
        if concerned is affected.NOTHING:
            return []
        new = concerned.come_or_gone & self._forest.forest.quotas.keys()
        observing = {name for name in new if self._forest.forest.observes(name)}
        self._pod_accounting.observed = (
            self._pod_accounting.observed - concerned.come_or_gone
        ) | observing
        self._renew_feasibility()
        found: set[Key] = set()
        if concerned.namespaces or concerned.come_or_gone:
            found.update(
                key
                for key, (each, _) in self._pod_accounting.entries.items()
                if key.namespace in concerned.namespaces
                or each.quota_label in concerned.come_or_gone
            )
        for name in concerned.bounded & self._pod_accounting.accounts.keys():
            own = self._pod_accounting.accounts[name]
            held = [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]
            if self._pod_accounting.pools.active:  # their options depend on every max, too
                held += [pod for pod in own.running if not self._has_node(pod)]
            found.update(
                pod.key for pod in held if self._pod_accounting.counts_differently(pod.key)
            )
        return found

    def _renew_feasibility(self) -> None:
        """Renew the feasibility check, because quotas or nodes changed."""
        totals = {tree_id: found.total for tree_id, found in self._nodes_by_tree.items()}
        self._pod_accounting.renew_feasibility(totals)

    def _update_nodes(
        self, before_of: Mapping[str, Node | None], *, all_moved: bool
    ) -> Iterable[Key]:
        """Assign the nodes to trees again; return the pods that may count differently now.

        ``before_of`` has the nodes with events since the last update, as they were then.
        """
        objects, before, trees_on = (
            self._objects,
            self._nodes_by_tree,
            self._pod_accounting.trees_on,
        )
        profiles = tree_nodes.with_pools_in_force(objects)
        self._capacities = capacity.of_profiles(profiles, objects.nodes.values(), self._pool_nodes)
        self._pool_nodes.keep(objects.nodes)
        self._nodes_by_tree = tree_nodes.of_trees(objects, self._forest.forest, self._capacities)
        self._pod_accounting.trees_on = tree_nodes.trees_on(self._nodes_by_tree)
        moved = {
            name
            for name in trees_on.keys() | self._pod_accounting.trees_on.keys()
            if trees_on.get(name) != self._pod_accounting.trees_on.get(name)
        }
        repooled = self._update_pools(before_of.keys())
        moved |= repooled or set()
        if self._pod_accounting.pools.active:  # a pod on an unknown node counts by its constraints
            moved |= {
                name
                for name, node in before_of.items()
                if (node is None) is not (name not in objects.nodes)
            }
        usable = {tree_id: found.nodes for tree_id, found in self._nodes_by_tree.items()}
        # No affinity keeps pods of the default tree to its nodes.
        usable[names.DEFAULT_TREE] = frozenset(objects.nodes)
        self._pod_accounting.fit.set_nodes(
            usable, moved | before_of.keys(), tree_nodes.with_pools(objects.nodes, self._capacities)
        )
        reshaped = bool(moved) or any(
            infeasible.reshaped(node, objects.nodes.get(name)) for name, node in before_of.items()
        )
        resized = reshaped or any(
            found.total != before.get(tree_id, tree_nodes.NONE).total
            for tree_id, found in self._nodes_by_tree.items()
        )
        if all_moved or resized or repooled is None:
            self._renew_feasibility()
        if repooled is None:
            return list(self._pod_accounting.entries)
        in_pools = self._pod_accounting.pools.active
        return [
            key
            for key, (found, standing) in self._pod_accounting.entries.items()
            if (not standing.running and (reshaped or (resized and _is_several(found))))
            or (in_pools and reshaped and not self._has_node(found))
            or (isinstance(found, Pod) and found.node_name in moved)
            or all_moved
            if self._pod_accounting.counts_differently(key)
        ]

    def _has_node(self, found: Counted) -> bool:
        """Whether it has a node that is known."""
        return isinstance(found, Pod) and found.node_name in self._objects.nodes

    def _update_pools(self, changed: AbstractSet[str]) -> set[str] | None:
        """Update the pools of all trees; return the nodes whose pool changed, None: all may.

        A tree whose nodes are not known, because its profile is gone or unreadable, keeps the pools
        that its root quota states; there a pod counts by the labels of its node. ``changed`` are
        the nodes with events.
        """
        of_trees: dict[str, Pools] = {}
        on_nodes: dict[str, OnNode] = {}
        for key, found in self._capacities.items():
            if found.pools is not None:
                of_trees[capacity.tree_id_of(self._objects.profiles[key])] = found.pools
                for name, pool in found.pool_of.items():
                    on_nodes[name] = OnNode(found.pools, pool)
        stated = tree_nodes.stated_pools(self._objects, self._forest.forest)
        moved = self._pod_accounting.pools.set({**of_trees, **stated}, on_nodes, stated.keys())
        return moved if moved is None or not stated else moved | changed

    def _arrange(self) -> None:
        """Keep one ``TreeBooks`` per tree of the forest."""
        kept = self._trees
        self._trees = {}
        for tree_id, tree in sorted(self._forest.forest.trees.items()):
            found = kept.get(tree_id)
            if found is None:
                self._trees[tree_id] = TreeBooks(
                    tree, self._forest.forest, self._pod_accounting.accounts
                )
            else:
                found.arrange(tree, self._forest.forest, self._pod_accounting.accounts)
                self._trees[tree_id] = found

    def _follow_up(self, concerned: Affected, touched: AbstractSet[str]) -> None:
        """Update the books of the trees after few edits, which never add or remove a tree."""
        forest = self._forest.forest
        if concerned is not affected.NOTHING:
            for tree_id, tree in self._trees.items():
                tree.follow(forest.trees[tree_id], forest, concerned.changed)
        for name in (touched | concerned.changed) & forest.tree_of.keys():
            self._trees[forest.tree_of[name]].update(
                name, self._pod_accounting.accounts.get(name, usage.IDLE)
            )


def _is_several(found: Counted) -> bool:
    """Whether it fits only if the tree as a whole has room for several pods."""
    return isinstance(found, QueuedJob) or found.group is not None
