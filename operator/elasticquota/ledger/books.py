"""The books of the ledger: forest, pods per quota, totals and runtimes, kept up to date.

The books follow the changes of the objects and recompute only what these affect. The result equals
that of new books from the same objects. ``pod_accounting`` counts the pods; the books say which
pods it must count again, and pass the sums on to the books of the trees. A ``ClusterSnapshot`` is
what others read.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from elasticquota import names
from elasticquota.forest import affected
from elasticquota.forest.affected import Affected
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.change_log import ChangeLog
from elasticquota.ledger.inputs.objects import Changes, LedgerObjects
from elasticquota.ledger.node_books import NodeBooks
from elasticquota.ledger.nodes import guarantee_backing
from elasticquota.ledger.nodes.guarantee_backing import Unbacked
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.external_usage import NO_EXTERNAL_PODS
from elasticquota.ledger.pods.pod_accounting import PodAccounting
from elasticquota.ledger.snapshot_index import SnapshotIndex
from elasticquota.ledger.tree_accounting import TreeAccounting
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.resources import Resources


class Books:
    """Mutable; makes the snapshots."""

    def __init__(
        self,
        objects: LedgerObjects,
        accounting: Accounting,
        changed_quotas: ChangeLog[str],
        changed_jobs: ChangeLog[Key],
    ) -> None:
        """The logs are written with each update."""
        self.accounting = accounting
        self._forest = IncrementalForest(accounting.terms, objects.quotas.values())
        self._refused: tuple[str, ...] = ()
        self._trees: dict[str, TreeAccounting] = {}
        self._objects = objects
        self._pods = PodAccounting(objects, accounting, accounting.membership(self._forest.forest))
        self._nodes = NodeBooks(objects, self._pods)
        self._unbacked: Mapping[str, Mapping[str, Unbacked]] = {}
        self._changed_quotas, self._changed_jobs = changed_quotas, changed_jobs

    def follow(self, changes: Changes, generation: int) -> ClusterSnapshot:
        """Update the books by what changed; return the snapshot of this ``generation``."""
        concerned, touched = self._recount(changes)
        if concerned is None:
            self._arrange()
        else:
            self._follow_up(concerned, touched)
        for tree_id, tree in self._trees.items():
            external = self._pods.external_pods.get(tree_id, NO_EXTERNAL_PODS)
            late = tree.set_timed_out(self._timed_out(tree_id))
            tree.set_capacity(self._nodes.by_tree[tree_id].shared(late), external)
        books = {tree_id: tree.books() for tree_id, tree in self._trees.items()}
        moved = [tree.drain_changed() for tree in self._trees.values()]
        if changes.profiles_changed or changes.nodes or concerned is not affected.NOTHING:
            moved.append(self._follow_backing())
        if concerned is None or changes.profiles_changed:
            self._changed_quotas.note_all(generation)
        else:
            published = self._roots() if changes.nodes or changes.definitions else ()
            changed = touched.union(concerned.statuses, published, *moved)
            self._changed_quotas.note(changed, generation)
        self._changed_jobs.note(self._pods.reservations.drain_changed(), generation)
        return self._snapshot(generation, books)

    def _snapshot(self, generation: int, books: Mapping[str, TreeBooks]) -> ClusterSnapshot:
        pods, counting, objects = self._pods, self._pods.counting, self._objects
        again = objects.refused.keys() & objects.evicting
        return ClusterSnapshot(
            generation=generation,
            accounting=self.accounting,
            time=counting.times.now,
            changes_in=counting.times.next_in,
            forest=self._forest.forest,
            refused=self._refused,
            members=counting.members,
            observed=counting.observed,
            trees=books,
            capacities=self._nodes.capacities,
            nodes_by_tree=self._nodes.by_tree,
            unbacked=self._unbacked,
            pools=pods.pools.of_trees,
            scale_up_timeouts=counting.scale_up_timeouts,
            accounts=pods.taken_accounts(),
            without_quota=pods.without_quota,
            leaving=pods.leaving.taken(),
            stuck=pods.stuck.taken(),
            covered=pods.covered.taken(),
            unplaced=pods.on_nodes.unplaced.taken(),
            flexible=pods.pools.flexible.taken(),
            user_usage=pods.user_usage.taken(),
            awaiting_nodes=frozenset(objects.awaiting_nodes),
            withheld=frozenset(objects.withheld),
            asks_again_for=frozenset(objects.refused[uid].owner for uid in again),
            index=SnapshotIndex(pods),
        )

    def _roots(self) -> list[str]:
        """The quotas that publish what the nodes offer."""
        return [names.ROOT_QUOTA, *(tree.root for tree in self._forest.forest.trees.values())]

    def _timed_out(self, tree_id: str) -> Mapping[str, Resources]:
        """What the pods hold that no node took in time, by quota."""
        accounts, tree_of = self._pods.accounts.now, self._forest.forest.tree_of
        return {
            name: accounts[name].stuck_request
            for name in self._pods.stuck.now
            if tree_of.get(name) == tree_id
        }

    def _recount(self, changes: Changes) -> tuple[Affected | None, set[str]]:
        """Count pods again; return the affected quotas, None for all, and those with changes."""
        user_usage = self._pods.user_usage
        recount = changes.counted | self._pods.counting.times.advance(self._objects.time)
        if changes.group_sources or changes.group_kinds:
            groups = self._pods.groups
            recount |= groups.of_sources(changes.group_sources, changes.group_kinds)
        concerned = self._update_forest(changes)
        limits_changed = concerned is not affected.NOTHING and user_usage.follow_limits(
            self._forest.forest, None if concerned is None else concerned.changed
        )
        if concerned is None:
            recount.update(self._update_observed())
        else:
            recount.update(self._pods_of(concerned))
        if concerned is None or changes.profiles_changed or changes.nodes:
            moved = self._nodes.follow(
                self._forest.forest, changes.nodes, all_moved=concerned is None
            )
            recount.update(moved)
        touched = self._pods.recount(recount)
        if limits_changed:
            user_usage.recount(self._pods.admitted())
        return concerned, touched

    def _update_forest(self, changes: Changes) -> Affected | None:
        """Bring the forest up to date; return the affected quotas, None for all."""
        before, stored = self._forest.forest, self._objects.quotas
        concerned = None
        if changes.quotas is not None:
            concerned = self._forest.update({key: stored.get(key) for key in changes.quotas})
        if concerned is affected.NOTHING:
            return concerned
        self._pods.set_members(self.accounting.membership(self._forest.forest))
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
        governed = self._forest.forest.quotas.keys() - names.RESERVED_QUOTAS
        turned = self._pods.set_observed(
            frozenset(name for name in governed if self._forest.forest.observes(name))
        )
        if not turned:
            return []
        return [
            key for key, (_, counted_as) in self._pods.entries.items() if counted_as.quota in turned
        ]

    def _pods_of(self, concerned: Affected) -> Iterable[Key]:
        """The pods that may count differently because of edited quotas."""
        if concerned is affected.NOTHING:
            return []
        new = concerned.come_or_gone & self._forest.forest.quotas.keys()
        observing = {name for name in new if self._forest.forest.observes(name)}
        self._pods.set_observed((self._pods.counting.observed - concerned.come_or_gone) | observing)
        self._nodes.renew_feasibility()
        keys: set[Key] = set()
        if concerned.namespaces or concerned.come_or_gone:
            keys.update(
                key
                for key, (each, _) in self._pods.entries.items()
                if key.namespace in concerned.namespaces
                or each.quota_label in concerned.come_or_gone
            )
        for name in concerned.bounded & self._pods.accounts.now.keys():
            own = self._pods.accounts.now[name]
            held = [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]
            if self._pods.pools.active:  # their options depend on every max, too
                held += [pod for pod in own.running if not self._nodes.has_node(pod)]
            keys.update(pod.key for pod in held if self._pods.counts_differently(pod.key))
        return keys

    def _follow_backing(self) -> set[str]:
        """Compare guarantees with totals again; return the quotas whose statuses say it."""
        before, forest = self._unbacked, self._forest.forest
        self._unbacked = {
            tree_id: found
            for tree_id, tree in forest.trees.items()
            if (found := guarantee_backing.of_tree(tree, forest, self._nodes.by_tree[tree_id]))
        }
        differ = [
            tree_id
            for tree_id in before.keys() | self._unbacked.keys()
            if before.get(tree_id) != self._unbacked.get(tree_id) and tree_id in forest.trees
        ]
        return {name for tree_id in differ for name in forest.trees[tree_id].order}

    def _arrange(self) -> None:
        """Keep one ``TreeAccounting`` per tree of the forest."""
        kept = self._trees
        self._trees = {}
        forest, accounts = self._forest.forest, self._pods.accounts.now
        for tree_id, tree in sorted(forest.trees.items()):
            found = kept.get(tree_id)
            if found is None:
                found = TreeAccounting(tree, forest, accounts)
            else:
                found.arrange(tree, forest, accounts)
            self._trees[tree_id] = found

    def _follow_up(self, concerned: Affected, touched: AbstractSet[str]) -> None:
        """Update the books of the trees after few edits, which never add or remove a tree."""
        forest = self._forest.forest
        if concerned is not affected.NOTHING:
            for tree_id, tree in self._trees.items():
                tree.follow(forest.trees[tree_id], forest, concerned.changed)
        for name in (touched | concerned.changed) & forest.tree_of.keys():
            self._trees[forest.tree_of[name]].update(
                name, self._pods.accounts.now.get(name, usage.IDLE)
            )
