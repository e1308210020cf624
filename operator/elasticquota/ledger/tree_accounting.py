"""Keeps the books of one tree up to date: sums up to the root, and what its quotas may use.

Used, admitted and the non-preemptible part of admitted go up uncut (semantics 3); requests are cut
by max on their way up (``sharing.solver``).
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import resources, totals
from elasticquota.copy_on_write import CopyOnWrite, CopyOnWriteByKey
from elasticquota.forest import walk
from elasticquota.forest.structure import Forest, Tree
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.external_usage import ExternalUsage
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.tree_books import TreeBooks, TreePodCounts
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.runtime import Runtimes


class _RolledUp:
    """What the quotas hold of one kind, with all below them; by quota name."""

    def __init__(self, tree: Tree, own: Mapping[str, Resources]) -> None:
        self.by_quota = CopyOnWrite[dict[str, Resources]]({**walk.roll_up(tree, own)})

    def change(self, path: Iterable[str], before: Resources, now: Resources) -> None:
        """Replace what one quota holds itself in the sums on its ``path``."""
        if before == now:
            return
        sums = self.by_quota.opened()
        for name in path:
            total = dict(sums[name])
            totals.subtract(total, before)
            totals.add(total, now)
            sums[name] = total


class TreeAccounting:
    """The sums of one tree; mutable."""

    def __init__(self, tree: Tree, forest: Forest, accounts: Mapping[str, Account]) -> None:
        self._tree, self._forest = tree, forest
        self._total: Resources = EMPTY
        self._available: Resources = EMPTY
        self._within_reach: Resources = EMPTY
        self._external_pods = ExternalUsage()
        self._timed_out: Mapping[str, Resources] = {}
        self._runtimes = Runtimes(tree, forest)
        self._changed: set[str] = set()
        # Set by ``_count``:
        self._own: dict[str, _Own]
        self._sums: tuple[_RolledUp, ...]
        """Of used, admitted, non-preemptible, and non-preemptible request, as in ``_Own``."""
        self._pods: CopyOnWriteByKey[str, TreePodCounts]
        self._count(accounts)

    def arrange(self, tree: Tree, forest: Forest, accounts: Mapping[str, Account]) -> None:
        """Follow any change of quotas; a quota that is missing in ``accounts`` has no pods."""
        self._tree, self._forest = tree, forest
        self._runtimes.arrange(tree, forest)
        self._count(accounts)

    def follow(self, tree: Tree, forest: Forest, changed: AbstractSet[str]) -> None:
        """Follow edits of the quotas in ``changed`` only.

        At most leaves have come or gone, and the root is unchanged.
        """
        gone = self._tree.children.keys() - tree.children.keys()
        for name in gone:  # All before the first is dropped: a parent may go with its child.
            self.update(name, usage.IDLE)
        here = changed & tree.children.keys()
        come = here - self._tree.children.keys()
        if gone or come:
            sums = [each.by_quota.opened() for each in self._sums]
            for name in gone:
                self._own.pop(name, None)
                del self._pods[name]
                for by_quota in sums:
                    del by_quota[name]
            for name in come:
                self._pods[name] = TreePodCounts()
                for by_quota in sums:
                    by_quota[name] = EMPTY
        before, self._tree, self._forest = self._tree, tree, forest
        if tree is not before:
            self._runtimes.arrange(tree, forest)
        elif here:
            self._runtimes.update_claims(here, tree, forest)
        for name in here:
            self._changed.update(forest.path(name))

    def update(self, name: str, account: Account) -> None:
        """Set what the own pods of a quota of the tree hold and ask for."""
        path = self._forest.path(name)
        self._changed.update(path)
        self._runtimes.set_request(name, self._request(name, account))
        before, now = self._own.get(name, _Own()), self._counted(name, account)
        self._runtimes.set_usage(name, account.used)
        if now == before:
            return
        self._own[name] = now
        for sums, held_before, held in zip(self._sums, before.held, now.held, strict=True):
            sums.change(path, held_before, held)
        running, gated = now.running - before.running, now.gated - before.gated
        if running or gated:
            for quota in path:
                there = self._pods.now[quota]
                self._pods[quota] = TreePodCounts(there.admitted + running, there.gated + gated)

    def set_capacity(self, total: Resources, external_pods: ExternalUsage) -> None:
        """Set what the nodes offer, and the external pods that hold a part of it."""
        left = resources.subtract(total, external_pods.held)
        available = {key: max(0, left[key]) for key in total}
        within_reach = available
        if external_pods.reclaimable:
            left = resources.add(left, external_pods.reclaimable)
            within_reach = {key: max(0, left[key]) for key in total}
        self._total, self._external_pods = total, external_pods
        if (available, within_reach) != (self._available, self._within_reach):
            self._available, self._within_reach = available, within_reach
            self._runtimes.set_capacity(available, within_reach)

    def set_timed_out(self, own: Mapping[str, Resources]) -> Resources:
        """Set what the own pods of each quota hold that no node took in time; return the sum."""
        if own or self._timed_out:
            found: dict[str, dict[str, int]] = {}
            for name, amounts in own.items():
                for quota in self._forest.path(name):
                    totals.add(found.setdefault(quota, {}), amounts)
            self._changed.update(
                name
                for name in found.keys() | self._timed_out.keys()
                if found.get(name) != self._timed_out.get(name)
            )
            self._timed_out = found
        return self._timed_out.get(self._tree.root, EMPTY)

    def drain_changed(self) -> set[str]:
        """Return the quotas of which a figure may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed | self._runtimes.drain_changed()

    def books(self) -> TreeBooks:
        """Return the books of now; brings the runtimes up to date."""
        self._runtimes.settle()
        used, admitted, firm, firm_request = [sums.by_quota.taken() for sums in self._sums]
        return TreeBooks(
            self._tree,
            self._total,
            self._available,
            self._within_reach,
            self._external_pods,
            self._timed_out,
            self._runtimes.taken(),
            used,
            admitted,
            firm,
            firm_request,
            self._pods.taken(),
        )

    def _count(self, accounts: Mapping[str, Account]) -> None:
        own = {name: accounts[name] for name in self._tree.order if name in accounts}
        self._runtimes.set_requests(
            {name: self._request(name, account) for name, account in own.items()}
        )
        self._own = {name: self._counted(name, account) for name, account in own.items()}
        self._runtimes.set_usages({name: account.used for name, account in own.items()})
        self._sums = tuple(
            _RolledUp(self._tree, {name: its.held[kind] for name, its in self._own.items()})
            for kind in range(len(_Own().held))
        )
        counts = walk.roll_up(
            self._tree,
            {name: {"admitted": o.running, "gated": o.gated} for name, o in self._own.items()},
        )
        self._pods = CopyOnWriteByKey(
            {name: TreePodCounts(**by_state) for name, by_state in counts.items()}
        )

    def _request(self, name: str, account: Account) -> Resources:
        return account.request(accepted=self._forest.accepted(name))

    def _counted(self, name: str, account: Account) -> "_Own":
        request = account.non_preemptible_request(accepted=self._forest.accepted(name))
        return _Own(
            (account.used, account.admitted, account.non_preemptible, request),
            len(account.running) - len(account.jobs),
            account.gated,
        )


class _Own(NamedTuple):
    """What a quota's own pods hold, as it was added to the sums."""

    held: tuple[Resources, ...] = (EMPTY, EMPTY, EMPTY, EMPTY)
    """Used, admitted, non-preemptible, and non-preemptible request."""
    running: int = 0
    gated: int = 0
