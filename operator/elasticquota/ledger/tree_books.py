"""The books of one tree: what its quotas hold and ask for, summed up to the root, and may use.

Used, admitted and the non-preemptible part of admitted go up uncut (semantics 3); requests are cut
by max on their way up (``sharing.solver``).
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import resources, totals
from elasticquota.forest import walk
from elasticquota.forest.structure import Forest, Tree
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.external_usage import ExternalUsage
from elasticquota.ledger.pods.usage import Account
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.runtime import Runtimes


class TreePodCounts(NamedTuple):
    """Numbers of pods."""

    admitted: int = 0
    gated: int = 0


class TreeBooks:
    """The sums of one tree; mutable, ``settle`` before reading runtimes.

    Mappings are by quota name and include all quotas below; amounts are accounting units.
    """

    def __init__(self, tree: Tree, forest: Forest, accounts: Mapping[str, Account]) -> None:
        self.tree = tree
        self.total: Resources = EMPTY
        """What the tree's nodes offer, after the profile's ratio."""
        self.available: Resources = EMPTY
        """Total minus what external pods hold on its nodes."""
        self.within_reach: Resources = EMPTY
        """Total minus what external pods hold that may not be evicted."""
        self.external_pods = ExternalUsage()
        self.timed_out: Mapping[str, Resources] = {}
        """What the admitted pods hold that no node took in time.

        It is a part of admitted, and takes no room of other pods.
        """
        self.runtimes = Runtimes(tree, forest)
        # The sums are set by ``_count``.
        self.used: dict[str, dict[str, int]]
        self.admitted: dict[str, dict[str, int]]
        self.non_preemptible: dict[str, dict[str, int]]
        """The part of admitted that may not be reclaimed."""
        self.non_preemptible_request: dict[str, dict[str, int]]
        """The same plus the non-preemptible pods that wait."""
        self.pods: dict[str, TreePodCounts]
        self._own: dict[str, _Own]
        self._changed: set[str] = set()
        self._forest = forest
        self._count(accounts)

    def arrange(self, tree: Tree, forest: Forest, accounts: Mapping[str, Account]) -> None:
        """Follow any change of quotas; a quota that is missing in ``accounts`` has no pods."""
        self.tree, self._forest = tree, forest
        self.runtimes.arrange(tree, forest)
        self._count(accounts)

    def follow(self, tree: Tree, forest: Forest, changed: AbstractSet[str]) -> None:
        """Follow edits of the quotas in ``changed`` only.

        At most leaves have come or gone, and the root is unchanged.
        """
        gone = self.tree.children.keys() - tree.children.keys()
        for name in gone:  # All before the first is dropped: a parent may go with its child.
            self.update(name, usage.IDLE)
        for name in gone:
            self._own.pop(name, None)
            del self.used[name], self.admitted[name], self.pods[name]
            del self.non_preemptible[name], self.non_preemptible_request[name]
        here = changed & tree.children.keys()
        for name in here - self.pods.keys():
            self.used[name], self.admitted[name], self.pods[name] = {}, {}, TreePodCounts()
            self.non_preemptible[name], self.non_preemptible_request[name] = {}, {}
        before, self.tree, self._forest = self.tree, tree, forest
        if tree is not before:
            self.runtimes.arrange(tree, forest)
        elif here:
            self.runtimes.update_claims(here, tree, forest)
        for name in here:
            self._changed.update(forest.path(name))

    def update(self, name: str, account: Account) -> None:
        """Set what the own pods of a quota of the tree hold and ask for."""
        self._changed.update(self._forest.path(name))
        self.runtimes.set_request(name, self._request(name, account))
        before, now = self._own.get(name, _Own()), self._counted(name, account)
        self.runtimes.set_usage(name, now.used)
        if now == before:
            return
        self._own[name] = now
        for quota in self._forest.path(name):
            _change(self.used[quota], before.used, now.used)
            _change(self.admitted[quota], before.admitted, now.admitted)
            _change(self.non_preemptible[quota], before.non_preemptible, now.non_preemptible)
            _change(
                self.non_preemptible_request[quota],
                before.non_preemptible_request,
                now.non_preemptible_request,
            )
            admitted, gated = self.pods[quota]
            self.pods[quota] = TreePodCounts(
                admitted + now.running - before.running, gated + now.gated - before.gated
            )

    def set_capacity(self, total: Resources, external_pods: ExternalUsage) -> None:
        """Set what the nodes offer, and the external pods that hold a part of it."""
        left = resources.subtract(total, external_pods.held)
        available = {key: max(0, left[key]) for key in total}
        within_reach = available
        if external_pods.reclaimable:
            left = resources.add(left, external_pods.reclaimable)
            within_reach = {key: max(0, left[key]) for key in total}
        self.total, self.external_pods = total, external_pods
        if (available, within_reach) != (self.available, self.within_reach):
            self.available, self.within_reach = available, within_reach
            self.runtimes.set_capacity(available, within_reach)

    def set_timed_out(self, own: Mapping[str, Resources]) -> None:
        """Set what the own pods of each quota hold that no node took in time."""
        if not (own or self.timed_out):
            return
        found: dict[str, dict[str, int]] = {}
        for name, amounts in own.items():
            for quota in self._forest.path(name):
                totals.add(found.setdefault(quota, {}), amounts)
        self._changed.update(
            name
            for name in found.keys() | self.timed_out.keys()
            if found.get(name) != self.timed_out.get(name)
        )
        self.timed_out = found

    def counted(self, name: str, held: Resources) -> Resources:
        """Return ``held``, which is admitted in a quota, without what no node took in time."""
        late = self.timed_out.get(name)
        return resources.subtract(held, late) if late else held

    def at_nodes(self) -> tuple[Resources, Resources]:
        """Return what the nodes offer, and what is taken of it.

        Evictable external pods are part of both, because evicting one makes room. Without them, the
        offer is the root's runtime, plus the resources of the nodes that no quota names.
        """
        offered = {**self.available, **self.runtimes.runtime(self.tree.root)}
        root = self.tree.root
        admitted: Resources = self.counted(root, self.admitted[root])
        if not self.external_pods.reclaimable:
            return offered, admitted
        taken = resources.add(admitted, self.external_pods.reclaimable)
        return {**offered, **self.within_reach}, taken

    def drain_changed(self) -> set[str]:
        """Return the quotas of which a figure may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed | self.runtimes.drain_changed()

    def settle(self) -> None:
        """Bring the runtimes up to date."""
        self.runtimes.settle()

    def _count(self, accounts: Mapping[str, Account]) -> None:
        own = {name: accounts[name] for name in self.tree.order if name in accounts}
        self.runtimes.set_requests(
            {name: self._request(name, found) for name, found in own.items()}
        )
        self._own = {name: self._counted(name, found) for name, found in own.items()}
        self.runtimes.set_usages({name: found.used for name, found in self._own.items()})
        self._roll_up()

    def _request(self, name: str, account: Account) -> Resources:
        return account.request(accepted=self._forest.accepted(name))

    def _counted(self, name: str, account: Account) -> "_Own":
        """Copy the sums, because the account goes on changing."""
        return _Own(
            dict(account.used),
            dict(account.admitted),
            dict(account.non_preemptible),
            account.non_preemptible_request(accepted=self._forest.accepted(name)),
            len(account.running) - len(account.jobs),
            account.gated,
        )

    def _roll_up(self) -> None:
        own = self._own
        self.used = walk.roll_up(self.tree, {name: account.used for name, account in own.items()})
        self.admitted = walk.roll_up(
            self.tree, {name: account.admitted for name, account in own.items()}
        )
        self.non_preemptible = walk.roll_up(
            self.tree, {name: account.non_preemptible for name, account in own.items()}
        )
        self.non_preemptible_request = walk.roll_up(
            self.tree, {name: account.non_preemptible_request for name, account in own.items()}
        )
        counts = walk.roll_up(
            self.tree,
            {name: {"admitted": o.running, "gated": o.gated} for name, o in own.items()},
        )
        self.pods = {name: TreePodCounts(**by_state) for name, by_state in counts.items()}


class _Own(NamedTuple):
    """What a quota's own pods hold, as it was added to the sums."""

    used: Resources = EMPTY
    admitted: Resources = EMPTY
    non_preemptible: Resources = EMPTY
    non_preemptible_request: Resources = EMPTY
    running: int = 0
    gated: int = 0


def _change(total: dict[str, int], before: Resources, now: Resources) -> None:
    totals.subtract(total, before)
    totals.add(total, now)
