"""The books are the accounts of one moment: forest, pods per quota, totals and runtimes.

Every figure that is published, or that a decision uses, comes from here (semantics 2-4). The books
follow the changes of the objects and recompute only what these affect. The result equals that of
new books from the same objects. ``pod_accounting`` counts the pods; the books say which pods it
must count again, and pass the sums on to the books of the trees.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names
from elasticquota.forest import affected
from elasticquota.forest.affected import Affected
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.forest.membership import NOBODY, Membership
from elasticquota.forest.structure import Forest
from elasticquota.ledger import infeasible, tree_nodes, usage
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.external_usage import ExternalUsage
from elasticquota.ledger.infeasible import FeasibilityCheck
from elasticquota.ledger.job_reservations import Coverage
from elasticquota.ledger.node_fit import NodeFit, Where
from elasticquota.ledger.objects import Changes, Objects
from elasticquota.ledger.pod_accounting import PodAccounting
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.ledger.tree_nodes import TreeNodes
from elasticquota.ledger.usage import Account
from elasticquota.ledger.user_usage import Holdings
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Selector
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload
from elasticquota.resources import EMPTY
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity


_NO_NODES = TreeNodes(EMPTY)
_NO_EXTERNAL_PODS: Final = ExternalUsage()


class Books:
    """The accounts of one moment; mutable, ``follow`` before reading.

    Mappings are by quota name unless said otherwise; amounts are accounting units.
    """

    def __init__(self, objects: Objects, accounting: Accounting) -> None:
        self.accounting = accounting
        self._forest = IncrementalForest(accounting.terms, objects.quotas.values())
        self.capacities: Mapping[Key, Capacity] = {}
        """By profile."""
        self.refused: tuple[str, ...] = ()
        """The quotas that are not accepted, sorted."""
        self.trees: dict[str, TreeBooks] = {}
        """By tree id."""
        self._objects = objects
        self._pod_accounting = PodAccounting(
            objects, accounting, accounting.membership(self.forest)
        )
        self._nodes_by_tree: dict[str, TreeNodes] = {}
        """By tree id."""
        self._changed: set[str] | None = None
        """What ``news`` returns next; None: all quotas."""

    @property
    def forest(self) -> Forest:
        """The quotas as trees, with their verdicts."""
        return self._forest.forest

    @property
    def members(self) -> Membership:
        """The rule that assigns pods to quotas."""
        return self._pod_accounting.members

    @property
    def observed(self) -> frozenset[str]:
        """The quotas whose trees are in observe mode, so no gate holds their pods."""
        return self._pod_accounting.observed

    @property
    def accounts(self) -> Mapping[str, Account]:
        """The accounts of the quotas that have pods of their own."""
        return self._pod_accounting.accounts

    @property
    def nobody(self) -> Account:
        """The account of the pods that belong to no quota; their sums go into no tree."""
        return self._pod_accounting.nobody

    @property
    def giving(self) -> AbstractSet[str]:
        """The quotas with pods that are terminating or being evicted."""
        return self._pod_accounting.giving

    @property
    def stuck(self) -> AbstractSet[str]:
        """The quotas with admitted pods that have had no node for too long."""
        return self._pod_accounting.stuck

    @property
    def covered(self) -> AbstractSet[Key]:
        """Pods at our gate that are admitted with their jobs."""
        return self._pod_accounting.covered

    @property
    def holdings(self) -> Holdings:
        """What users and groups hold where quotas limit them."""
        return self._pod_accounting.holdings

    def account(self, quota_name: str) -> Account:
        """Return the account of any quota, or of ``NOBODY``; do not change it."""
        if quota_name == NOBODY:
            return self.nobody
        return self._pod_accounting.accounts.get(quota_name, usage.IDLE)

    def gang(self, pod: Pod) -> Gang | None:
        """Return the gang that starts when ``pod`` does; None: ``pod`` is admitted alone."""
        return self._pod_accounting.gang(pod)

    def running_gang(self, pod: Pod) -> Gang | None:
        """Return the gang that runs in the group of ``pod``; None: its pods are evicted alone."""
        return self._pod_accounting.running_gang(pod)

    def job_of(self, pod: Pod) -> Coverage | None:
        """Return the coverage of the job that ``pod`` draws on; None: it draws on none."""
        return self._pod_accounting.job_of(pod)

    def coverage(self, job: QueuedJob) -> Coverage:
        """Return the coverage of a counted job."""
        return self._pod_accounting.reservations.of_job(job, self.members)

    def pods_of(self, job: Key) -> Mapping[Key, Pod]:
        """Return the pods of a job; none if it is not counted."""
        return self._pod_accounting.reservations.pods(job, self.members)

    def job_news(self) -> set[Key]:
        """Return jobs that came or went, or whose pods did, since the last call."""
        return self._pod_accounting.reservations.news()

    def nodes(self, quota: str) -> Selector:
        """Return the selector of the nodes for its pods: the tree's and the quota's together."""
        forest = self.forest
        of_tree = self.selector(forest.tree_of.get(quota, names.DEFAULT_TREE))
        held = forest.quotas.get(quota)
        return of_tree if held is None else of_tree.within(held.nodes)

    def selector(self, tree_id: str) -> Selector:
        """Return the node selector of a tree; empty for a tree without a profile."""
        return self._nodes_by_tree.get(tree_id, _NO_NODES).selector

    @property
    def fit(self) -> NodeFit:
        """Which nodes have room for which pods."""
        return self._pod_accounting.fit

    def where(self, quota: str, workload: Workload) -> Where:
        """Return on which nodes a pod of ``quota`` may run; for a job, all nodes of ``quota``."""
        return self._pod_accounting.gauge.where(quota, workload)

    @property
    def unplaced(self) -> Mapping[Key, tuple[Pod, str]]:
        """Admitted pods that no node has taken yet, with their quotas."""
        return self._pod_accounting.on_nodes.unplaced

    @property
    def withheld(self) -> AbstractSet[str]:
        """Uids of pods that cannot be evicted for now."""
        return self._objects.withheld

    @property
    def asks_again_for(self) -> AbstractSet[str]:
        """Quotas that need the room of a pod whose refused eviction is being tried again."""
        refused = self._objects.refused
        return {refused[uid].owner for uid in refused.keys() & self._objects.evicting}

    @property
    def time(self) -> int:
        """The wall clock of this moment, epoch milliseconds."""
        return self._pod_accounting.time

    @property
    def changes_in(self) -> int | None:
        """Milliseconds until some pod counts differently by time alone, or None."""
        found = (turn for turns in self._pod_accounting.turns.values() for turn in turns)
        return min((turn - self.time for turn in found if turn > self.time), default=None)

    def news(self) -> set[str] | None:
        """Return the quotas of which anything may have changed since the last call; None: all."""
        changed, self._changed = self._changed, set()
        moved = [tree.news() for tree in self.trees.values()]
        return None if changed is None else changed.union(*moved)

    def follow(self, changes: Changes) -> None:
        """Update the books by what changed."""
        recount = changes.counted | self._pod_accounting.pass_time()
        concerned = self._update_forest(changes)
        limits_changed = concerned is not affected.NOBODY and self.holdings.go_by(
            self.forest, None if concerned is None else concerned.changed
        )
        if concerned is None:
            recount.update(self._update_observed())
        else:
            recount.update(self._pods_of(concerned))
        if concerned is None or changes.ground:
            recount.update(self._update_nodes(changes.nodes, all_moved=concerned is None))
        touched = self._pod_accounting.recount(recount)
        if limits_changed:
            self.holdings.recount(self._pod_accounting.admitted())
        if concerned is None or changes.ground:
            self._changed = None
        elif self._changed is not None:
            self._changed |= touched | concerned.told
        if concerned is None:
            self._arrange()
        else:
            self._follow_up(concerned, touched)
        for tree_id, tree in self.trees.items():
            found = self._pod_accounting.external_pods.get(tree_id, _NO_EXTERNAL_PODS)
            tree.stand_on(self._nodes_by_tree[tree_id].total, found)
            tree.settle()

    def _update_forest(self, changes: Changes) -> Affected | None:
        """Bring the forest up to date; return the affected quotas, None for all."""
        before, stored = self.forest, self._objects.quotas
        concerned = None
        if changes.quotas is not None:
            concerned = self._forest.update({key: stored.get(key) for key in changes.quotas})
        if concerned is affected.NOBODY:
            return concerned
        self._pod_accounting.members = self.accounting.membership(self.forest)
        if concerned is None:
            self._list_refused(before.quotas.keys() | self.forest.quotas.keys())
        else:
            self._list_refused(concerned.changed)
        return concerned

    def _list_refused(self, judged: AbstractSet[str]) -> None:
        """Update ``refused``; only quotas in ``judged`` may have another verdict."""
        forest = self.forest
        refused = {name for name in judged & forest.quotas.keys() if not forest.accepted(name)}
        self.refused = tuple(sorted(refused.union(self.refused) - (judged - refused)))

    def _update_observed(self) -> list[Key]:
        """Update the quotas in observe mode; return the pods of those that changed."""
        before, governed = self.observed, self.forest.quotas.keys() - names.RESERVED_QUOTAS
        self._pod_accounting.observed = frozenset(
            name for name in governed if self.forest.observes(name)
        )
        news = before ^ self.observed
        if not news:
            return []
        return [
            key
            for key, (_, standing) in self._pod_accounting.entries.items()
            if standing.quota in news
        ]

    def _pods_of(self, concerned: Affected) -> Iterable[Key]:
        """The pods that may count differently because of edited quotas."""
        if concerned is affected.NOBODY:
            return []
        new = concerned.come_or_gone & self.forest.quotas.keys()
        observing = {name for name in new if self.forest.observes(name)}
        self._pod_accounting.observed = (self.observed - concerned.come_or_gone) | observing
        self._measure()
        found: set[Key] = set()
        if concerned.namespaces or concerned.come_or_gone:
            found.update(
                key
                for key, (each, _) in self._pod_accounting.entries.items()
                if key.namespace in concerned.namespaces
                or each.quota_label in concerned.come_or_gone
            )
        for name in concerned.bounded & self.accounts.keys():
            own = self.accounts[name]
            held = [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]
            found.update(pod.key for pod in held if self._pod_accounting.stands_otherwise(pod.key))
        return found

    def _measure(self) -> None:
        """Renew the feasibility check, because quotas or nodes changed."""
        totals = {tree_id: found.total for tree_id, found in self._nodes_by_tree.items()}
        self._pod_accounting.measure_by(
            FeasibilityCheck(self.members, self.fit, self.accounting, totals, self.holdings.bounds)
        )

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
        self.capacities = capacity.of_profiles(objects.profiles.values(), objects.nodes.values())
        self._nodes_by_tree = tree_nodes.of_trees(objects, self.forest, self.capacities)
        self._pod_accounting.trees_on = tree_nodes.trees_on(self._nodes_by_tree)
        moved = {
            name
            for name in trees_on.keys() | self._pod_accounting.trees_on.keys()
            if trees_on.get(name) != self._pod_accounting.trees_on.get(name)
        }
        usable = {tree_id: found.nodes for tree_id, found in self._nodes_by_tree.items()}
        # No affinity keeps pods of the default tree to its nodes.
        usable[names.DEFAULT_TREE] = frozenset(objects.nodes)
        self.fit.survey(usable, moved | before_of.keys())
        reshaped = bool(moved) or any(
            infeasible.reshaped(node, objects.nodes.get(name)) for name, node in before_of.items()
        )
        resized = reshaped or any(
            found.total != before.get(tree_id, _NO_NODES).total
            for tree_id, found in self._nodes_by_tree.items()
        )
        if all_moved or resized:
            self._measure()
        return [
            key
            for key, (found, standing) in self._pod_accounting.entries.items()
            if (not standing.running and (reshaped or (resized and _is_several(found))))
            or (isinstance(found, Pod) and found.node_name in moved)
            or all_moved
            if self._pod_accounting.stands_otherwise(key)
        ]

    def _arrange(self) -> None:
        """Keep one ``TreeBooks`` per tree of the forest."""
        kept = self.trees
        self.trees = {}
        for tree_id, tree in sorted(self.forest.trees.items()):
            found = kept.get(tree_id)
            if found is None:
                self.trees[tree_id] = TreeBooks(tree, self.forest, self.accounts)
            else:
                found.arrange(tree, self.forest, self.accounts)
                self.trees[tree_id] = found

    def _follow_up(self, concerned: Affected, touched: AbstractSet[str]) -> None:
        """Update the books of the trees after few edits, which never add or remove a tree."""
        forest = self.forest
        if concerned is not affected.NOBODY:
            for tree_id, tree in self.trees.items():
                tree.follow(forest.trees[tree_id], forest, concerned.changed)
        for name in (touched | concerned.changed) & forest.tree_of.keys():
            self.trees[forest.tree_of[name]].tell(name, self.account(name))


def _is_several(found: Counted) -> bool:
    """Whether it fits only if the tree as a whole has room for several pods."""
    return isinstance(found, QueuedJob) or found.group is not None
