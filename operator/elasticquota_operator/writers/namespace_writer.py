"""Keep the label by which the API server's policies know a namespace's quota.

The label follows the quotas by about a second. A pod that is created right after its namespace was
bound may pass without a gate; it is counted and reclaimed like any pod that passed while nothing of
ours ran. A user who may edit namespaces may write the label, and it is corrected at once.
"""

from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, NamespaceLabel
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import NAMESPACES
from elasticquota_kube.client.rest import errors
from elasticquota_operator.workqueue.workers import Workers


INTERVAL = 1.0
"""Seconds between two writes to one namespace."""


class NamespaceWriter:
    """``apply()`` in each cycle; ``run()`` as a task."""

    def __init__(self, api: Api, ledger: Ledger) -> None:
        self._api = api
        self._ledger = ledger
        self._writes: Workers[str, NamespaceLabel] = Workers(
            "namespaces", self._write, interval=INTERVAL
        )

    def apply(self, decisions: Decisions) -> None:
        self._writes.replace({mark.namespace: mark for mark in decisions.namespace_labels})

    async def run(self) -> None:
        """Write until cancelled."""
        await self._writes.run()

    async def _write(self, mark: NamespaceLabel) -> None:
        known = self._ledger.namespaces.get(mark.namespace)
        if known is None or known.quota == mark.quota:
            return
        change = {"metadata": {"labels": {names.NAMESPACE_QUOTA: mark.quota}}}
        with errors.ignore_not_found():
            await self._api.patch(NAMESPACES, None, mark.namespace, change)
