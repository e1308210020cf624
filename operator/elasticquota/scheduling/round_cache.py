"""The results of the last cycle, so that an event costs what it changes and not what exists.

``decide`` returns the same with and without it: results that cannot have changed are taken from
here. It belongs to one ledger and one caller, who gives the ledger the clocks of every cycle.
"""

from collections.abc import Set as AbstractSet

from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.scheduling.cycle import Moment
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.status import quota_status


class RoundCache:
    """Mutable; a new one computes what is missing. Call ``follow`` before anything else."""

    def __init__(self) -> None:
        self._news: AbstractSet[str] | None = None
        self._statuses: dict[Key, QuotaStatus] = {}
        self._inadmissible: dict[str, InadmissibleQueues] = {}
        self._books: Books | None = None
        self._policy: Policy | None = None
        self._terminating: AbstractSet[str] = frozenset()

    def follow(self, books: Books, news: AbstractSet[str] | None, moment: Moment) -> None:
        """Drop the results that may have changed; ``news`` are the changed quotas, None: all."""
        told = self._news = news if books is self._books else None
        self._books = None  # until ``statuses``: a cycle that failed leaves nothing behind
        if moment.policy != self._policy or moment.terminating != self._terminating:
            told = None
        self._policy, self._terminating = moment.policy, moment.terminating
        before = self._inadmissible
        self._inadmissible = {
            tree_id: before.get(tree_id) or InadmissibleQueues() for tree_id in books.trees
        }
        for tree_id, inadmissible in self._inadmissible.items():
            known = told if tree_id in before else None
            inadmissible.follow(books, books.trees[tree_id], known, moment.overdue)

    def inadmissible(self, tree_id: str) -> InadmissibleQueues:
        """The inadmissible queues of a tree."""
        return self._inadmissible[tree_id]

    def statuses(self, ledger: Ledger, books: Books) -> tuple[QuotaStatus, ...]:
        """One status per stored quota, recomputed only where a figure may have changed."""
        if self._news is None:
            self._statuses = {status.key: status for status in quota_status.statuses(ledger, books)}
        else:
            noted = len(self._statuses)
            for name in self._news & books.forest.quotas.keys():
                quota = books.forest.quotas[name]
                if quota.key in ledger.quotas:  # not the built-in ones, which are not stored
                    self._statuses[quota.key] = quota_status.status(quota, ledger, books)
            # All stored quotas are noted now. A noted quota beyond them is deleted.
            if not noted == len(self._statuses) == len(ledger.quotas):
                self._statuses = {key: self._statuses[key] for key in sorted(ledger.quotas)}
        self._books = books
        return tuple(self._statuses.values())
