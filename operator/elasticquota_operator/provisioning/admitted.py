"""The groups and jobs of a decision for whose nodes is asked, by the terms of their trees."""

from collections.abc import Iterator

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Release
from elasticquota.model.key import Key
from elasticquota.provisioning.step import ProvisioningTerms
from elasticquota_operator.jobs.queued_job import JobLookup
from elasticquota_operator.provisioning import held
from elasticquota_operator.provisioning.held import HeldWorkload


class AdmittedWorkloads:
    """Reads decisions; ``terms`` are the configured ones, None: nothing is asked for."""

    def __init__(self, ledger: Ledger, jobs: JobLookup, terms: ProvisioningTerms | None) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._terms = terms

    def terms_in(self, quota: str) -> ProvisioningTerms | None:
        """The terms of the tree of a quota; None: nothing is asked for there."""
        forest = self._ledger.snapshot.forest
        path = forest.path(quota)
        root = forest.quotas[path[-1]] if path else None
        profile = root and self._ledger.profiles.get(Key(root.key.namespace, root.profile))
        return self._terms and self._terms.chosen(profile.provisioning if profile else None)

    def workloads(self, decisions: Decisions, now: int) -> Iterator[HeldWorkload]:
        """The admitted groups and jobs, without those of trees in observe mode.

        ``now`` is in epoch milliseconds.
        """
        gangs: dict[Key, list[Release]] = {}
        for release in decisions.releases:
            if release.gang is not None and release.pod in self._ledger.pods:
                gangs.setdefault(release.gang, []).append(release)
        for releases in gangs.values():
            terms = self._asks(releases[0].quota)
            if terms is not None:
                pods = [self._ledger.pods[release.pod] for release in releases]
                nodes = self._ledger.snapshot.nodes(releases[0].quota)
                yield held.gang(releases, pods, nodes, terms, now)
        for release in decisions.jobs.releases:
            queued, terms = self._jobs.queued.get(release.pod), self._asks(release.quota)
            if queued is not None and terms is not None:
                nodes = self._ledger.snapshot.nodes(release.quota)
                yield held.job(release, queued, nodes, terms, now)

    def _asks(self, quota: str) -> ProvisioningTerms | None:
        """The terms by which is asked; None for a tree in observe mode, too."""
        observes = self._ledger.snapshot.forest.observes(quota)
        return None if observes else self.terms_in(quota)
