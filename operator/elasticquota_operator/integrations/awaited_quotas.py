"""Pods that ask for a queue of YuniKorn wait until its quota is made."""

from collections.abc import Sequence

from elasticquota.integrations.yunikorn import queues
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Release
from elasticquota.structs import replace
from elasticquota_operator.integrations.quota_sync import QuotaSync
from elasticquota_operator.integrations.yunikorn_source import YuniKornSource


class AwaitedQuotas:
    """``hold()`` before the writers of each cycle, and ``apply()`` after ``sync``."""

    def __init__(self, ledger: Ledger, sync: QuotaSync, sources: Sequence[YuniKornSource]) -> None:
        self._ledger = ledger
        self._sync = sync
        self._sources = sources

    def hold(self, decisions: Decisions) -> Decisions:
        """Without the releases of pods whose own quota is about to be made."""
        admitted = tuple(each for each in decisions.releases if not self._is_early(each))
        if len(admitted) == len(decisions.releases):
            return decisions
        return replace(decisions, releases=admitted)

    def apply(self, _decisions: Decisions) -> None:
        """Write events about what was made, and what could not be."""
        for source in self._sources:
            source.report(self._sync.taken(queues.NAME))

    def _is_early(self, release: Release) -> bool:
        pod = self._ledger.pods.get(release.pod)
        if pod is None or pod.quota_label in ("", release.quota):
            return False
        label = pod.quota_label
        return label not in self._sync.taken(queues.NAME) and any(
            source.is_coming(label) for source in self._sources
        )
