"""Notes of the last round, so that an event costs what it changes and not what there is.

With them ``decide`` says the same as without: what cannot have changed since is taken from here.
They belong to one ledger and one caller.
"""

from elasticquota.enforcement import report
from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key


class Notes:
    """Mutable; what a new one lacks is made out anew."""

    def __init__(self) -> None:
        self._books: Books | None = None
        self._statuses: dict[Key, QuotaStatus] = {}

    def statuses(self, ledger: Ledger, books: Books) -> tuple[QuotaStatus, ...]:
        """One status per stored quota, made anew only where a figure may have changed."""
        news = books.news()
        if news is None or books is not self._books:
            self._books = books
            self._statuses = {status.key: status for status in report.statuses(ledger, books)}
        else:
            for name in news & books.forest.quotas.keys():
                quota = books.forest.quotas[name]
                if quota.key in self._statuses:  # not the built-in ones, which nobody stored
                    self._statuses[quota.key] = report.status(quota, ledger, books)
        return tuple(self._statuses.values())
