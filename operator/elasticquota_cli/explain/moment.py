"""The picture of a moment: the balanced books, what is decided now, and who would have to go.

Evictions wait for the clocks of reclaim, which nobody sees from outside. So it is decided twice,
now and as late as the longest of these times, with everything as it stands: what is evicted then is
what the controller does if nothing changes meanwhile. Evictions are not spread over time here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from elasticquota import resources
from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota.model.pod import Pod
from elasticquota.scheduling import decide
from elasticquota.scheduling.policy import Policy
from elasticquota_cli.explain.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Moment:
    ledger: Ledger
    policy: Policy
    books: Books
    now: Decisions
    coming: tuple[Eviction, ...]
    """Who would be evicted if everything stayed as it is."""
    would_go: tuple[Eviction, ...]
    """Who would be, of trees that only observe, if these enforced."""

    def sized(self, pod: Pod) -> Pod:
        """``pod`` with the request that counts."""
        return self.policy.accounting.sized(pod)

    def wait_of(self, pod: Pod) -> Wait | None:
        return next((wait for wait in self.now.waits if wait.uid == pod.uid), None)

    def releases(self, pod: Pod) -> bool:
        """Whether the pod is let in now."""
        return any(release.uid == pod.uid for release in self.now.releases)

    def being_released(self, quota: str, but: Pod) -> dict[str, int]:
        """What those are about to hold that are let in now, in a quota and below, without one."""
        return resources.add(
            *(
                self.sized(self.ledger.pods[release.pod]).request
                for release in self.now.releases
                if release.uid != but.uid and quota in self.books.forest.path(release.quota)
            )
        )

    def given_to(self, quota: str) -> Iterator[Eviction]:
        """Evictions from other quotas that make room for this one."""
        return (found for found in self.coming if found.owner == quota != found.quota)


def of(inputs: Inputs) -> Moment:
    """What the controller would decide over ``inputs``."""
    policy = inputs.policy.at_once()
    now = decide.decide(inputs.ledger, 0, policy)
    inputs.ledger.remember(now.clocks)
    graces = (quota.reclaim_grace or 0 for quota in inputs.ledger.quotas.values())
    patience = max(policy.grace, *graces, 0) + policy.min_runtime
    later = decide.decide(inputs.ledger, max(patience, policy.delay), policy)
    books = inputs.ledger.balance(policy.accounting)
    return Moment(inputs.ledger, policy, books, now, later.evictions, later.would_evict)
