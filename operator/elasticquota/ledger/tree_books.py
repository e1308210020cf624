"""The books of one tree: what its quotas hold and ask for, rolled up to the root, and may use.

Used, admitted and its part that is not preemptible roll up unlimited, as pods do when they are
counted; requests are cut by max on their way (``sharing.flow``).
"""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota import resources
from elasticquota.forest import walk
from elasticquota.forest.structure import Forest, Tree
from elasticquota.ledger.account import Account
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.runtime import Runtimes


class Counts(NamedTuple):
    """Numbers of pods."""

    admitted: int = 0
    gated: int = 0


_IDLE = Account()


class TreeBooks:
    """Mutable; mappings are by quota name, with what all quotas below hold."""

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self.tree = tree
        self.total: Resources = EMPTY
        """What the tree's nodes offer, after the profile's ratio."""
        self.available: Resources = EMPTY
        """Total minus what pods outside the tree hold on its nodes."""
        self.runtimes = Runtimes(tree, forest)
        self.used: dict[str, dict[str, int]] = {}
        self.admitted: dict[str, dict[str, int]] = {}
        self.non_preemptible: dict[str, dict[str, int]] = {}
        """The part of admitted that may not be taken back."""
        self.non_preemptible_request: dict[str, dict[str, int]] = {}
        """The same with what waits for admission."""
        self.pods: dict[str, Counts] = {}
        self._own: dict[str, _Own] = {}
        self._forest = forest
        self._roll_up()

    def arrange(self, tree: Tree, forest: Forest) -> None:
        """Quotas came, went, moved or changed; every account is to be told anew."""
        self.tree = tree
        self._forest = forest
        self.runtimes.arrange(tree, forest)
        self._own = {name: own for name, own in self._own.items() if name in tree.children}
        self._roll_up()

    def tell(self, name: str, account: Account) -> None:
        """What the pods of a quota of the tree hold and ask for now."""
        self.runtimes.ask(name, self._request(name, account))
        self._count(name, account)

    def tell_all(self, accounts: Mapping[str, Account]) -> None:
        """The same of every quota of the tree; who is missing has no pods."""
        own = {name: accounts[name] for name in self.tree.order if name in accounts}
        self.runtimes.ask_all({name: self._request(name, found) for name, found in own.items()})
        for name in own.keys() | self._own.keys():
            self._count(name, own.get(name, _IDLE))

    def _request(self, name: str, account: Account) -> Resources:
        return account.request(accepted=self._forest.accepted(name))

    def _count(self, name: str, account: Account) -> None:
        """Roll up what changed since it was counted last."""
        self.runtimes.hold(name, account.used)
        before = self._own.get(name, _Own())
        now = _Own(
            dict(account.used),
            dict(account.admitted),
            dict(account.non_preemptible),
            account.non_preemptible_request(accepted=self._forest.accepted(name)),
            len(account.running),
            account.gated,
        )
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
            self.pods[quota] = Counts(
                admitted + now.running - before.running, gated + now.gated - before.gated
            )

    def stand_on(self, total: Resources, strangers: Resources) -> None:
        """The nodes offer ``total``, and pods outside the tree hold ``strangers`` of it."""
        left = resources.subtract(total, strangers)
        available = {key: max(0, left[key]) for key in total}
        self.total = total
        if available != self.available:
            self.available = available
            self.runtimes.offer(available)

    def settle(self) -> None:
        """Make the runtimes those of now."""
        self.runtimes.settle()

    def _roll_up(self) -> None:
        own = self._own
        self.used = walk.roll_up(self.tree, {name: found.used for name, found in own.items()})
        self.admitted = walk.roll_up(
            self.tree, {name: found.admitted for name, found in own.items()}
        )
        self.non_preemptible = walk.roll_up(
            self.tree, {name: found.non_preemptible for name, found in own.items()}
        )
        self.non_preemptible_request = walk.roll_up(
            self.tree, {name: found.non_preemptible_request for name, found in own.items()}
        )
        counts = walk.roll_up(
            self.tree,
            {name: {"admitted": o.running, "gated": o.gated} for name, o in own.items()},
        )
        self.pods = {name: Counts(**found) for name, found in counts.items()}


class _Own(NamedTuple):
    """What a quota's own pods hold, as it was rolled up."""

    used: Resources = EMPTY
    admitted: Resources = EMPTY
    non_preemptible: Resources = EMPTY
    non_preemptible_request: Resources = EMPTY
    running: int = 0
    gated: int = 0


def _change(total: dict[str, int], before: Resources, now: Resources) -> None:
    """What comes to nothing leaves no key, so that sums do not tell their past."""
    for key in before.keys() | now.keys():
        amount = total.get(key, 0) + now.get(key, 0) - before.get(key, 0)
        if amount:
            total[key] = amount
        else:
            total.pop(key, None)
