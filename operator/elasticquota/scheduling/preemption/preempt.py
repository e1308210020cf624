"""Preempt: a more important pod takes the place of less important pods of its quota (K 5.2).

Preemption is for a waiting pod whose quota has no room left in its runtime, or for which reclaim
finds no room. Victims are preemptible pods of exactly this quota with a lower priority. The least
important go first, and no more than needed. No pod goes unless the waiting pod then fits on the
whole path to the root. A pod with ``preemptionPolicy: Never`` preempts no pod, and no pod in the
default quota is preempted (K's disableDefaultQuotaPreemption). As in kube-scheduler, preemption
waits for no grace. Pods that no node takes for longer than ``unschedulableTimeout`` make way for
every other pod of their quota.

Preemption does not happen

* while reclaim may still find room in other quotas;
* where a pod that is within its runtime and waits for reclaim would take the room: it goes first;
* in a quota that exceeds its runtime by more than the pod requests: the quota would have to return
  all of that excess for a single pod.
"""

from collections.abc import Sequence

from elasticquota import names, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods import usage
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.targets import Cause, PreemptionTargets
from elasticquota.scheduling.queue import order
from elasticquota.scheduling.status import eviction_messages


def preempt(
    targets: PreemptionTargets, blocked: Sequence[tuple[str, Workload]], *, last: bool
) -> None:
    """Add to ``targets`` the victims of the waiting pods, which are given in queue order.

    ``last``: reclaim can find no more room: none of its clocks is still running.
    """
    within_runtime: list[tuple[str, Workload]] | None = None
    for name, pod in blocked:
        if pod.uid in targets.nominated:
            continue
        if len(targets) and targets.snapshot.will_fit(name, pod):
            # Room that a large victim leaves over goes to the next waiting pods.
            targets.keep(name, pod, len(targets))
            continue
        if not targets.full and can_preempt(targets.cluster, name, pod):
            within_runtime = (
                _within_runtime(targets, blocked) if within_runtime is None else within_runtime
            )
            _replace(targets, name, pod, within_runtime, last=last)


def can_preempt(cluster: ClusterSnapshot, name: str, pod: Workload) -> bool:
    """Whether the quota has pods that are less important than ``pod``, or that no node takes."""
    if name in names.RESERVED_QUOTAS:
        return False
    account = cluster.account(name)
    if account.stuck and not cluster.is_elastic(cluster.forest.tree_of.get(name, "-")):
        return True
    least = account.least_priority
    return pod.may_preempt and least is not None and least < pod.priority


def _within_runtime(
    targets: PreemptionTargets, blocked: Sequence[tuple[str, Workload]]
) -> list[tuple[str, Workload]]:
    """Waiting pods within the runtime of their quota, the first of each size."""
    waiting = (each for each in blocked if each[1].uid not in targets.nominated)
    return [
        (name, pod)
        for name, pod in order.firsts(waiting, targets.snapshot.user_limits)
        if not targets.snapshot.lack(targets.snapshot.places(name)[0], pod.request)
    ]


def _replace(
    targets: PreemptionTargets,
    name: str,
    pod: Workload,
    within_runtime: Sequence[tuple[str, Workload]],
    *,
    last: bool,
) -> None:
    own, *above = targets.snapshot.places(name)
    need = targets.snapshot.lack(own, pod.request)
    if any(most > 2 * pod.request[key] for key, most in need.items()) or not (need or last):
        return
    for place in above:
        missing = targets.snapshot.lack(place, pod.request)
        mine = missing.keys() if last else missing.keys() - targets.snapshot.limit(own).keys()
        need = resources.maximum(need, resources.masked(missing, mine))
    mark = len(targets)
    _make_way(targets, name, pod, need)
    if any(
        _is_before(other, (name, pod)) and targets.snapshot.will_fit(*other)
        for other in within_runtime
    ):
        targets.undo(mark)
    else:
        targets.keep(name, pod, mark)


def _make_way(targets: PreemptionTargets, name: str, pod: Workload, need: Resources) -> None:
    """Add victims. Pods that no node takes go first, whatever their priority: they do not run."""
    stuck = targets.cluster.account(name).stuck
    may_go = [
        victim
        for victim in targets.movable(name)
        if victim.key in stuck
        or (pod.may_preempt and victim.preemptible and victim.priority < pod.priority)
    ]
    may_go.sort(key=lambda victim: victim.key not in stuck)
    chosen = targets.choose(may_go, need, EMPTY, (name, pod))
    for victim in chosen:
        if victim.key in stuck:
            message = eviction_messages.no_node(name, pod)
            targets.evict(name, [victim], message, Cause(name, pod, "no node"))
        else:
            _preempt(targets, name, pod, victim)
    if chosen or need or targets.snapshot.will_fit(name, pod) or not pod.may_preempt:
        return
    for one in pod.pods:
        nodes = targets.snapshot.nodes.candidates(name, one)
        rule = node_victims.less_important(name, pod.priority)
        clearing = node_victims.search(targets, one, nodes, rule)
        if clearing is not None:
            for _, victim in clearing.leave:
                _preempt(targets, name, pod, victim)


def _preempt(targets: PreemptionTargets, name: str, pod: Workload, victim: Workload) -> None:
    message = eviction_messages.preempted(name, pod)
    targets.evict(name, [victim], message, Cause(name, pod, "priority"))


def _is_before(other: tuple[str, Workload], waiting: tuple[str, Workload]) -> bool:
    """Whether ``other`` may go first: of another quota, or ahead in the same queue."""
    (its_quota, its_pod), (name, pod) = other, waiting
    return its_quota != name or usage.queue_order(its_pod) < usage.queue_order(pod)
