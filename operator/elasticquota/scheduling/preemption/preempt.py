"""Preempt: a more important pod takes the place of less important pods of its quota (K 5.2).

It is the right of a waiting pod whose quota has no room left in its runtime, or for which neither
reclaim nor idle resources give room. Victims are preemptible pods of exactly this quota with a
lower priority. No pod goes unless the waiting pod then has its place; nothing need be below a
runtime that was not before, as one takes the place of the other. A pod with ``preemptionPolicy:
Never`` preempts no pod, and no pod in the default quota is preempted (K's
disableDefaultQuotaPreemption). As in kube-scheduler, preemption waits for no grace. A pod that no
node takes for longer than ``unschedulableTimeout`` takes no room but that of a max. There it makes
way for every more important pod of its quota, and for no other: the two would change places.

While a clock of reclaim still runs for a pod, only pods that its own quota lacks runtime for are
preempted.
"""

from collections.abc import Sequence

from elasticquota import names
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.workload import Workload
from elasticquota.scheduling.preemption.reclaim import Reclaim
from elasticquota.scheduling.preemption.targets import PreemptionTargets


def preempt(
    targets: PreemptionTargets, reclaim: Reclaim, blocked: Sequence[tuple[str, Workload]]
) -> None:
    """Nominate the waiting pods, given in queue order, that the priority of their quota helps."""
    failed: set[object] = set()
    for name, pod in blocked:
        if targets.full:
            return
        if pod.uid in targets.nominated or not can_preempt(targets.cluster, name, pod):
            continue
        variants = targets.cluster.index.variants(name, pod)
        fits = (each for each in variants if targets.snapshot.will_fit(name, each))
        if len(targets) and (fitting := next(fits, None)) is not None:
            # Room that a large victim leaves over goes to the next waiting pods.
            targets.nominate(name, fitting, targets.snapshot.nodes.later(name, fitting.pods) or ())
            continue
        own = targets.snapshot.places(name)[0]
        if pod.uid in reclaim.runs_for:
            variants = [each for each in variants if targets.snapshot.lack(own, each.request)]
        kind = (name, pod.size, pod.constraints, pod.priority, pod.may_preempt)
        if kind not in failed and not reclaim.preempt(name, variants):
            failed.add(kind)


def can_preempt(cluster: ClusterSnapshot, name: str, workload: Workload) -> bool:
    """Whether the quota has less important pods that may go for ``workload``."""
    if name in names.RESERVED_QUOTAS:
        return False
    account = cluster.account(name)
    least = account.least_priority
    may_go_first = workload.may_preempt or bool(account.stuck)
    return may_go_first and least is not None and least < workload.priority
