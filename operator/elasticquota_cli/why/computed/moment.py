"""Decides on the inputs: the snapshot, the decisions now, and the evictions to come.

Evictions wait for the clocks of reclaim, which only the controller knows. So the code decides
twice, now and after the longest of these times, with all objects unchanged. What is evicted then is
what the controller does if nothing changes meanwhile. Evictions are not spread over time here.
"""

from collections.abc import Iterator, Mapping

from elasticquota import resources
from elasticquota.decisions import decide
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import pools
from elasticquota.model.decision import Eviction, Wait, WorkloadDecisions
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner as Controller
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import Struct, field, replace
from elasticquota_cli.simulate.submitted import SubmittedOwner
from elasticquota_cli.why.parts.past_pod import Past


class Inputs(Struct, frozen=True):
    """The objects and the policy that decisions are made from."""

    ledger: Ledger
    policy: Policy
    past: Mapping[Key, Past]
    """Pods that no longer count, by key."""
    notes: tuple[str, ...] = ()
    """What was not understood, one sentence each."""
    owners: Mapping[Key, SubmittedOwner] = field(default_factory=dict)
    """The workloads of the pods that have one."""
    controllers: Mapping[Key, Controller] = field(default_factory=dict)
    """What the references of pods of a live cluster name."""


class Moment(Struct, frozen=True):
    """The decisions on one state of the cluster."""

    ledger: Ledger
    policy: Policy
    cluster: ClusterSnapshot
    now: WorkloadDecisions
    coming: tuple[Eviction, ...]
    """Evictions that follow if nothing changes."""
    would_go: tuple[Eviction, ...]
    """Evictions that would follow in trees in observe mode if these enforced."""

    def sized(self, found: Counted) -> Counted:
        """The pod, or job, with the request that counts, also in the pool in which it counts."""
        counted = self.cluster.index.counted(found.key)
        if counted is not None and pools.named(counted.request):
            return replace(found, request=counted.request)
        return self.policy.accounting.sized(found) if isinstance(found, Pod) else found

    def wait_of(self, pod: Counted) -> Wait | None:
        """Why the pod waits; None: it does not."""
        return next((wait for wait in self.now.waits if wait.uid == pod.uid), None)

    def releases(self, pod: Counted) -> bool:
        """Whether this cycle admits the pod."""
        return any(release.uid == pod.uid for release in self.now.releases)

    def being_released(self, quota: str, but: Counted, *, below: bool = True) -> dict[str, int]:
        """What this cycle admits in a quota, and ``below`` it too, without the pod ``but``."""
        path = self.cluster.forest.path
        return resources.add(
            *(
                self.sized(released).request
                for release in self.now.releases
                if release.uid != but.uid
                and (quota in path(release.quota) if below else release.quota == quota)
                and (released := self.ledger.counted(release.pod))
            )
        )

    def given_to(self, quota: str) -> Iterator[Eviction]:
        """Evictions from other quotas that make room for this one."""
        return (found for found in self.coming if found.owner == quota != found.quota)


def of(inputs: Inputs) -> Moment:
    """Decide on ``inputs`` as the controller would."""
    policy = inputs.policy.at_once()
    now = decide.decide(inputs.ledger, 0, policy)
    inputs.ledger.remember(now.clocks)
    graces = (quota.reclaim_grace or 0 for quota in inputs.ledger.quotas.values())
    patience = max(policy.grace, *graces, 0) + policy.min_runtime
    later = decide.decide(inputs.ledger, max(patience, policy.delay), policy).of_workloads
    cluster = inputs.ledger.snapshot
    return Moment(
        inputs.ledger, policy, cluster, now.of_workloads, later.evictions, later.would_evict
    )
