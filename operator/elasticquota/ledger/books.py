"""The books are the balanced picture of one moment: forest, accounts, totals and runtimes.

Every figure that is published or decided upon comes from here (semantics 2-4). The books follow
the changes of the objects and do only what those ask for; what they say is what new books of the
same objects would say. Pods are counted by the ``census``; here it is told which of them may count
otherwise, and what the trees make of the sums.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names
from elasticquota.forest import acceptance, affected, incremental
from elasticquota.forest.affected import Affected
from elasticquota.forest.membership import NOBODY, Membership
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
from elasticquota.resources import EMPTY
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity


_NO_GROUND = TreeNodes(EMPTY)
_NO_STRANGERS: Final = ExternalUsage()
_ONE_BY_ONE: Final = 16
"""Edited quotas at a time; of more, everything is made anew once."""


class Books:
    """Mutable; ``follow`` before reading. Mappings are by quota name unless said otherwise."""

    def __init__(self, objects: Objects, accounting: Accounting) -> None:
        self.accounting = accounting
        self.forest = acceptance.build((), accounting.terms)
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
        self._told: set[str] | None = None

    @property
    def members(self) -> Membership:
        """Which quota a pod belongs to."""
        return self._pod_accounting.members

    @property
    def observed(self) -> frozenset[str]:
        """The quotas whose pods no gate holds, because their trees only observe."""
        return self._pod_accounting.observed

    @property
    def accounts(self) -> Mapping[str, Account]:
        """Of the quotas that have pods themselves."""
        return self._pod_accounting.accounts

    @property
    def nobody(self) -> Account:
        """Of the pods that belong to no quota: they are kept, but nothing is made of their sums."""
        return self._pod_accounting.nobody

    @property
    def giving(self) -> AbstractSet[str]:
        """Of the quotas of which pods are on their way out."""
        return self._pod_accounting.giving

    @property
    def stuck(self) -> AbstractSet[str]:
        """Of the quotas with pods that no node has taken for too long."""
        return self._pod_accounting.stuck

    @property
    def covered(self) -> AbstractSet[Key]:
        """Pods at our gate that are let in with their jobs."""
        return self._pod_accounting.covered

    @property
    def holdings(self) -> Holdings:
        """What limits count."""
        return self._pod_accounting.holdings

    def account(self, quota_name: str) -> Account:
        """The account of any quota, or of ``NOBODY``; not to be changed."""
        if quota_name == NOBODY:
            return self.nobody
        return self._pod_accounting.accounts.get(quota_name, usage.IDLE)

    def gang(self, pod: Pod) -> tuple[Pod, ...]:
        """With whom a waiting pod is let in, itself included, in queue order; empty: alone."""
        return self._pod_accounting.gang(pod)

    def job(self, pod: Pod) -> Coverage | None:
        """The job that ``pod`` belongs to and draws on, or that it stands for."""
        return self._pod_accounting.job(pod)

    def pods_of(self, placeholder: Key) -> Mapping[Key, Pod]:
        """The pods of the job of a stand-in."""
        return self._pod_accounting.draws.pods(placeholder, self.members)

    def job_news(self) -> set[Key]:
        """Stand-ins that came or went, or whose pods did, since this was last asked."""
        return self._pod_accounting.draws.news()

    def nodes(self, quota: str) -> Selector:
        """What the nodes of its pods are selected by: those of its tree that it wants."""
        forest = self.forest
        of_tree = self.selector(forest.tree_of.get(quota, names.DEFAULT_TREE))
        held = forest.quotas.get(quota)
        return of_tree if held is None else of_tree.within(held.nodes)

    def selector(self, tree_id: str) -> Selector:
        """What a tree's nodes are selected by; empty for a tree that has no profile."""
        return self._nodes_by_tree.get(tree_id, _NO_GROUND).selector

    @property
    def fit(self) -> NodeFit:
        """Which nodes have room for whom."""
        return self._pod_accounting.fit

    def where(self, quota: str, pod: Pod) -> Where:
        """On which nodes ``pod`` of ``quota`` may be."""
        return self._pod_accounting.gauge.where(quota, pod)

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
        """Quotas that need a pod which could not be evicted and is asked again just now."""
        refused = self._objects.refused
        return {refused[uid].owner for uid in refused.keys() & self._objects.evicting}

    @property
    def time(self) -> int:
        """The wall clock of this moment, epoch milliseconds."""
        return self._pod_accounting.time

    @property
    def changes_in(self) -> int | None:
        """Milliseconds until a pod counts otherwise with no event at all, or None."""
        found = (turn for turns in self._pod_accounting.turns.values() for turn in turns)
        return min((turn - self.time for turn in found if turn > self.time), default=None)

    def news(self) -> set[str] | None:
        """Quotas of which anything may have changed since this was last asked.

        None: it may be all of them.
        """
        told, self._told = self._told, set()
        moved = [tree.news() for tree in self.trees.values()]
        return None if told is None else told.union(*moved)

    def follow(self, changes: Changes) -> None:
        """Take in what changed."""
        recount = changes.pods | self._pod_accounting.pass_time()
        concerned = self._regrow(changes)
        bound_anew = concerned is not affected.NOBODY and self.holdings.go_by(
            self.forest, None if concerned is None else concerned.changed
        )
        if concerned is None:
            recount.update(self._look_on())
        else:
            recount.update(self._pods_of(concerned))
        if concerned is None or changes.ground:
            recount.update(self._survey(changes.nodes, all_moved=concerned is None))
        touched = self._pod_accounting.recount(recount)
        if bound_anew:
            self.holdings.recount(self._pod_accounting.admitted())
        if concerned is None or changes.ground:
            self._told = None
        elif self._told is not None:
            self._told |= touched | concerned.told
        if concerned is None:
            self._arrange()
        else:
            self._follow_up(concerned, touched)
        for tree_id, tree in self.trees.items():
            found = self._pod_accounting.external_pods.get(tree_id, _NO_STRANGERS)
            tree.stand_on(self._nodes_by_tree[tree_id].total, found)
            tree.settle()

    def _regrow(self, changes: Changes) -> Affected | None:
        """Make it the forest of now. Whom that concerns, None for everybody."""
        before, stored = self.forest, self._objects.quotas
        edits = changes.edits(stored)
        grown = None
        if edits is not None and len(edits) <= _ONE_BY_ONE:
            grown = incremental.followed(before, edits)
        if grown is before:
            return affected.NOBODY
        concerned = None if grown is None else affected.of(before, grown)
        self.forest = acceptance.build(stored.values(), before.terms) if grown is None else grown
        self._pod_accounting.members = self.accounting.membership(self.forest)
        if concerned is None:
            self._list_refused(before.quotas.keys() | self.forest.quotas.keys())
        else:
            self._list_refused(concerned.changed)
        return concerned

    def _list_refused(self, judged: AbstractSet[str]) -> None:
        """Only on the quotas in ``judged`` may there be another verdict."""
        forest = self.forest
        refused = {name for name in judged & forest.quotas.keys() if not forest.accepted(name)}
        self.refused = tuple(sorted(refused.union(self.refused) - (judged - refused)))

    def _look_on(self) -> list[Key]:
        """Whose tree only observes now? The pods for which that is news."""
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
        """The pods that may count otherwise on account of edited quotas."""
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
                for key, (pod, _) in self._pod_accounting.entries.items()
                if key.namespace in concerned.namespaces
                or pod.quota_label in concerned.come_or_gone
            )
        for name in concerned.bounded & self.accounts.keys():
            own = self.accounts[name]
            held = [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]
            found.update(pod.key for pod in held if self._pod_accounting.stands_otherwise(pod.key))
        return found

    def _measure(self) -> None:
        """Tell anew who does not fit, because quotas or nodes are others."""
        totals = {tree_id: found.total for tree_id, found in self._nodes_by_tree.items()}
        self._pod_accounting.measure_by(
            FeasibilityCheck(self.members, self.fit, self.accounting, totals, self.holdings.bounds)
        )

    def _survey(self, before_of: Mapping[str, Node | None], *, all_moved: bool) -> Iterable[Key]:
        """Look at the nodes anew. The pods that may count otherwise on account of it.

        ``before_of`` has the nodes that were told since, as they were.
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
            found.total != before.get(tree_id, _NO_GROUND).total
            for tree_id, found in self._nodes_by_tree.items()
        )
        if all_moved or resized:
            self._measure()
        return [
            key
            for key, (pod, standing) in self._pod_accounting.entries.items()
            if (not standing.running and (reshaped or (resized and pod.group is not None)))
            or pod.node_name in moved
            or all_moved
            if self._pod_accounting.stands_otherwise(key)
        ]

    def _arrange(self) -> None:
        """One book per tree of the forest."""
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
        """The book of every tree, where few quotas have changed. There are no other trees."""
        forest = self.forest
        if concerned is not affected.NOBODY:
            for tree_id, tree in self.trees.items():
                tree.follow(forest.trees[tree_id], forest, concerned.changed)
        for name in (touched | concerned.changed) & forest.tree_of.keys():
            self.trees[forest.tree_of[name]].tell(name, self.account(name))
