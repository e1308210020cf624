"""The books are the balanced picture of one moment: forest, accounts, totals and runtimes.

Every figure that is published or decided upon comes from here (semantics 2-4). The books follow
the changes of the objects and do only what those ask for; what they say is what new books of the
same objects would say. For that, every pod is kept with how it was counted, and a figure is changed
only by taking off what was added.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from typing import Final

from elasticquota import names, resources
from elasticquota.forest import judge, reach, regrowth
from elasticquota.forest.membership import NOBODY
from elasticquota.forest.reach import Reach
from elasticquota.ledger import account, ground
from elasticquota.ledger.account import Account, Standing
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.draws import Draw, Draws
from elasticquota.ledger.ground import Ground
from elasticquota.ledger.groups import Groups
from elasticquota.ledger.holdings import Holdings
from elasticquota.ledger.misfit import Gauge, Misfit
from elasticquota.ledger.objects import Changes, Objects
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import capacity
from elasticquota.sharing.capacity import Capacity


_NO_GROUND = Ground(EMPTY)
_ONE_BY_ONE: Final = 16
"""Edited quotas at a time; of more, everything is made anew once."""


class Books:
    """Mutable; ``follow`` before reading. Mappings are by quota name unless said otherwise."""

    def __init__(self, objects: Objects, accounting: Accounting) -> None:
        self.accounting = accounting
        self.forest = judge.build((), accounting.terms)
        self.capacities: Mapping[Key, Capacity] = {}
        """By profile."""
        self.accounts: dict[str, Account] = {}
        """Of the quotas that have pods themselves."""
        self.giving: set[str] = set()
        """Of the quotas of which pods are on their way out."""
        self.stuck: set[str] = set()
        """Of the quotas with pods that no node has taken for too long."""
        self.refused: tuple[str, ...] = ()
        """The quotas that are not accepted, sorted."""
        self.observed: frozenset[str] = frozenset()
        """The quotas whose pods no gate holds, because their trees only observe."""
        self.nobody = Account()
        """Of the pods that belong to no quota: they are kept, but nothing is made of their sums."""
        self.trees: dict[str, TreeBooks] = {}
        """By tree id."""
        self.holdings = Holdings()
        """What limits count."""
        self._objects = objects
        self.members = accounting.membership(self.forest)
        """Which quota a pod belongs to."""
        self._time = objects.time
        self._turns: dict[Key, int] = {}
        """When pods begin to count otherwise with no event, epoch milliseconds."""
        self._entries: dict[Key, tuple[Pod, Standing]] = {}
        self._grounds: dict[str, Ground] = {}
        """By tree id."""
        self._trees_on: dict[str, tuple[str, ...]] = {}
        """By node name."""
        self._strangers: dict[str, dict[str, int]] = {}
        """By tree id, what pods of no quota of the tree hold on its nodes: the system's, mostly."""
        self._gauge = Gauge(self.members, {}, accounting, {}, self.holdings.bounds)
        self._groups = Groups(objects)
        self._draws = Draws(objects)
        self.covered: set[Key] = set()
        """Pods at our gate that are let in with their jobs."""
        self._told: set[str] | None = None
        self._on: dict[str, dict[str, int]] = {}
        """By node name, what the pods hold that stay there."""

    def account(self, quota_name: str) -> Account:
        """The account of any quota; not to be changed."""
        return self.accounts.get(quota_name, account.IDLE)

    def party(self, pod: Pod) -> tuple[Pod, ...]:
        """With whom a waiting pod is let in, itself included, in queue order; empty: alone."""
        return self._groups.verdict(pod, self.members, self._gauge).party

    def job(self, pod: Pod) -> Draw | None:
        """The job that ``pod`` belongs to and draws on, or that it stands for."""
        return self._draws.of(pod, self.members)

    def pods_of(self, stand_in: Key) -> Mapping[Key, Pod]:
        """The pods of the job of a stand-in."""
        return self._draws.pods(stand_in, self.members)

    def nodes(self, quota: str) -> Selector:
        """What the nodes of its pods are selected by: those of its tree that it wants."""
        forest = self.forest
        of_tree = self.selector(forest.tree_of.get(quota, names.DEFAULT_TREE))
        held = forest.quotas.get(quota)
        return of_tree if held is None else of_tree.within(held.nodes)

    def selector(self, tree_id: str) -> Selector:
        """What a tree's nodes are selected by; empty for a tree that has no profile."""
        return self._grounds.get(tree_id, _NO_GROUND).selector

    def node(self, name: str) -> Node | None:
        """The node, if there is one."""
        return self._objects.nodes.get(name)

    def free_on(self, node: Node) -> Resources:
        """What ``node`` offers beside all pods that stay on it; below 0 where they are too many."""
        return resources.subtract(node.allocatable, self._on.get(node.name, EMPTY))

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
        return self._time

    @property
    def changes_in(self) -> int | None:
        """Milliseconds until a pod counts otherwise with no event at all, or None."""
        left = (turn - self._time for turn in self._turns.values() if turn > self._time)
        return min(left, default=None)

    def news(self) -> set[str] | None:
        """Quotas of which anything may have changed since this was last asked.

        None: it may be all of them.
        """
        told, self._told = self._told, set()
        moved = [tree.news() for tree in self.trees.values()]
        return None if told is None else told.union(*moved)

    def follow(self, changes: Changes) -> None:
        """Take in what changed."""
        recount = changes.pods | self._pass_time()
        concerned = self._regrow(changes)
        bound_anew = concerned is not reach.NOBODY and self.holdings.go_by(
            self.forest, None if concerned is None else concerned.changed
        )
        if concerned is None:
            recount.update(self._look_on())
        else:
            recount.update(self._pods_of(concerned))
        if concerned is None or changes.ground:
            recount.update(self._survey(all_moved=concerned is None))
        touched = self._recount(recount | self._mates(recount))
        if bound_anew:
            let_in = [(pod, how.quota) for pod, how in self._entries.values() if how.running]
            self.holdings.recount(let_in)
        if concerned is None or changes.ground:
            self._told = None
        elif self._told is not None:
            self._told |= touched | concerned.told
        if concerned is None:
            self._arrange()
        else:
            self._follow_up(concerned, touched)
        for tree_id, tree in self.trees.items():
            tree.stand_on(self._grounds[tree_id].total, self._strangers.get(tree_id, EMPTY))
            tree.settle()

    def _regrow(self, changes: Changes) -> Reach | None:
        """Make it the forest of now. Whom that concerns, None for everybody."""
        before, stored = self.forest, self._objects.quotas
        edits = changes.edits(stored)
        grown = None
        if edits is not None and len(edits) <= _ONE_BY_ONE:
            grown = regrowth.followed(before, edits)
        if grown is before:
            return reach.NOBODY
        concerned = None if grown is None else reach.of(before, grown)
        self.forest = judge.build(stored.values(), before.terms) if grown is None else grown
        self.members = self.accounting.membership(self.forest)
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

    def _pass_time(self) -> set[Key]:
        """Make it the ledger's time. The pods that count otherwise on account of it."""
        before, now = self._time, self._objects.time
        self._time = now
        return {key for key, turn in self._turns.items() if (turn <= before) != (turn <= now)}

    def _look_on(self) -> list[Key]:
        """Whose tree only observes now? The pods for which that is news."""
        before, governed = self.observed, self.forest.quotas.keys() - names.RESERVED_QUOTAS
        self.observed = frozenset(name for name in governed if self.forest.observes(name))
        news = before ^ self.observed
        if not news:
            return []
        return [key for key, (_, standing) in self._entries.items() if standing.quota in news]

    def _pods_of(self, concerned: Reach) -> Iterable[Key]:
        """The pods that may count otherwise on account of edited quotas."""
        if concerned is reach.NOBODY:
            return []
        new = concerned.come_or_gone & self.forest.quotas.keys()
        observing = {name for name in new if self.forest.observes(name)}
        self.observed = (self.observed - concerned.come_or_gone) | observing
        self._measure()
        found: set[Key] = set()
        if concerned.namespaces or concerned.come_or_gone:
            found.update(
                key
                for key, (pod, _) in self._entries.items()
                if key.namespace in concerned.namespaces
                or pod.quota_label in concerned.come_or_gone
            )
        for name in concerned.bounded & self.accounts.keys():
            own = self.accounts[name]
            held = [*own.waiting, *(pod for pod, _ in own.misfits)]
            found.update(
                pod.key for pod in held if self._standing(pod) != self._entries[pod.key][1]
            )
        return found

    def _measure(self) -> None:
        """Tell anew who does not fit, because quotas or nodes are others."""
        shapes = {tree_id: found.shapes for tree_id, found in self._grounds.items()}
        totals = {tree_id: found.total for tree_id, found in self._grounds.items()}
        self._gauge = Gauge(self.members, shapes, self.accounting, totals, self.holdings.bounds)
        self._groups.judge_anew()
        self._draws.judge_anew()

    def _survey(self, *, all_moved: bool) -> Iterable[Key]:
        """Look at the nodes anew. The pods that may count otherwise on account of it."""
        objects, before, trees_on = self._objects, self._grounds, self._trees_on
        self.capacities = capacity.of_profiles(objects.profiles.values(), objects.nodes.values())
        self._grounds = ground.of_trees(objects, self.forest, self.capacities)
        self._trees_on = ground.trees_on(self._grounds)
        moved = {
            name
            for name in trees_on.keys() | self._trees_on.keys()
            if trees_on.get(name) != self._trees_on.get(name)
        }
        reshaped = any(
            found.shapes != before.get(tree_id, _NO_GROUND).shapes
            for tree_id, found in self._grounds.items()
        )
        resized = reshaped or any(
            found.total != before.get(tree_id, _NO_GROUND).total
            for tree_id, found in self._grounds.items()
        )
        if all_moved or resized:
            self._measure()
        return [
            key
            for key, (pod, standing) in self._entries.items()
            if (not standing.running and (reshaped or (resized and pod.group is not None)))
            or pod.node_name in moved
            or all_moved
            if self._standing(pod) != standing
        ]

    def _mates(self, keys: AbstractSet[Key]) -> set[Key]:
        """All of the groups and jobs that these pods leave or join."""
        found: set[Key] = set()
        for key in keys:
            entry, pod = self._entries.get(key), self._objects.pods.get(key)
            for each in (entry and entry[0], pod):
                if each is not None and each.group is not None:
                    found.update(self._groups.mates(each))
                if each is not None and each.jobs:
                    found.update(self._draws.mates(each))
        return found

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

    def _follow_up(self, concerned: Reach, touched: AbstractSet[str]) -> None:
        """The book of every tree, where few quotas have changed. There are no other trees."""
        forest = self.forest
        if concerned is not reach.NOBODY:
            for tree_id, tree in self.trees.items():
                tree.follow(forest.trees[tree_id], forest, concerned.changed)
        for name in (touched | concerned.changed) & forest.tree_of.keys():
            self.trees[forest.tree_of[name]].tell(name, self.account(name))

    def _recount(self, keys: Iterable[Key]) -> set[str]:
        """Count pods as they are now. The quotas whose accounts that changes."""
        touched: set[str] = set()
        for key in keys:
            self._discount(key, touched)
        counted = [pod for key in keys if (pod := self._counted(key)) is not None]
        # How a pod counts depends on its whole group, and on its job.
        for pod in counted:
            self._groups.join(pod)
            if pod.jobs:
                self._draws.join(pod)
        for pod in counted:
            self._count(pod, touched)
        return touched

    def _discount(self, key: Key, touched: set[str]) -> None:
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        pod, standing = entry
        found = self._account_for(standing)
        found.close(pod, standing)
        if pod.bound and not standing.leaving:
            held = self._on.get(pod.node_name, {})
            account.take(held, pod.request)
            if not held:
                self._on.pop(pod.node_name, None)
        if not found.leaving:
            self.giving.discard(standing.quota)
        if not found.stuck:
            self.stuck.discard(standing.quota)
        if found.empty:
            self.accounts.pop(standing.quota, None)
        for tree_id in standing.strange_to:
            account.take(self._strangers[tree_id], pod.request)
        self.holdings.close(key)
        self._groups.leave(pod)
        if pod.jobs:
            self._draws.leave(pod)
        self.covered.discard(key)
        touched.add(standing.quota)

    def _count(self, pod: Pod, touched: set[str]) -> None:
        draw = self.job(pod)
        if draw is not None and pod.reserves is not None:
            pod = draw.stand_in
        standing = self._standing(pod)
        if draw is not None and pod.key in draw.covered:
            self.covered.add(pod.key)
        self._entries[pod.key] = (pod, standing)
        self._account_for(standing).open(pod, standing)
        if standing.running:
            self.holdings.open(pod, standing.quota)
        if pod.bound and not standing.leaving:
            account.add(self._on.setdefault(pod.node_name, {}), pod.request)
        if standing.leaving:
            self.giving.add(standing.quota)
        if standing.stuck:
            self.stuck.add(standing.quota)
        for tree_id in standing.strange_to:
            account.add(self._strangers.setdefault(tree_id, {}), pod.request)
        touched.add(standing.quota)

    def _counted(self, key: Key) -> Pod | None:
        """The pod with the size that counts, if there is one that counts."""
        self._turns.pop(key, None)
        pod = self._objects.pods.get(key)
        if pod is None:
            return None
        end = self.accounting.end_of(pod)
        turn = self.accounting.stuck_from(pod) if end is None else end
        if turn is not None:
            self._turns[key] = turn
        if end is not None and end <= self._time:
            return None
        return self._as_if_held(self.accounting.sized(pod))

    def _as_if_held(self, pod: Pod) -> Pod:
        """A pod without a node whose tree only observes counts as if our gate held it: so it is
        judged as enforcing would, and what it asks for is not yet held.
        """
        if not self.observed or pod.bound or pod.gated or pod.mirror or pod.reserves:
            return pod
        if self.members.quota_of(pod) not in self.observed:
            return pod
        return replace(pod, gates=(*pod.gates, names.GATE))

    def _account_for(self, standing: Standing) -> Account:
        found = self.accounts.get(standing.quota)
        if found is None:
            if standing.quota == NOBODY:
                return self.nobody
            found = self.accounts[standing.quota] = Account()
        return found

    def _standing(self, pod: Pod) -> Standing:
        """How ``pod`` counts now."""
        quota = self.members.quota_of(pod)
        draw = self.job(pod)
        if self._waits(pod, draw):
            misfit = self._gauge.misfit(pod, quota)
            if draw is not None and pod.reserves is None and not draw.let_in:
                misfit = _waits_with(draw)
            if misfit is None and pod.group is not None:
                misfit = self._groups.verdict(pod, self.members, self._gauge).misfit
            if misfit is not None:
                return Standing(quota, running=False, misfit=misfit)
            return _usual(quota, running=False)
        home = self.forest.tree_of.get(quota)
        leaving = pod.deleting or pod.uid in self._objects.evicting
        leaving = leaving or (draw is not None and draw.leaving)
        trees = self._trees_on.get(pod.node_name, ())
        strange_to = tuple([t for t in trees if t != home]) if trees not in ((), (home,)) else ()
        since = self.accounting.stuck_from(pod)
        stuck = since is not None and since <= self._time
        if leaving or stuck or strange_to:
            return Standing(
                quota, running=True, leaving=leaving, stuck=stuck, strange_to=strange_to
            )
        return _usual(quota, running=True)

    def _waits(self, pod: Pod, draw: Draw | None) -> bool:
        if not pod.gated or pod.uid in self._objects.releasing:
            return False
        return draw is None or pod.key not in draw.covered


def _waits_with(draw: Draw) -> Misfit:
    job = draw.stand_in.reserves.job if draw.stand_in.reserves else ""
    return Misfit("WaitingForGroup", f"{job} waits as a whole, and its pods with it")


@lru_cache(maxsize=4096)
def _usual(quota: str, *, running: bool) -> Standing:
    """Nearly all pods of a quota stand alike, so it is kept once for all of them."""
    return Standing(quota, running)
