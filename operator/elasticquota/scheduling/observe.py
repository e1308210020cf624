"""Observe mode: a tree in this mode holds and evicts no pod; it reports what it would do.

Decisions are made as in enforce mode, on pods that run as if there were no quotas: a pod without a
node counts as gated, one with a node as admitted (``ledger.pod_accounting``). From that follow

* *would wait*: pods that would not be admitted; and running pods beyond what more important and
  older ones leave of the runtime. While other quotas claim their share, max counts instead of
  runtime: the runtime was larger when those pods came.
* *would evict*: pods that would be evicted if the tree enforced from now on. All are named at once,
  without the rate of reclaim.
"""

from collections.abc import Iterator, Mapping

from elasticquota import names, resources
from elasticquota.ledger.pods import usage
from elasticquota.model.clocks import Clocks
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.snapshot import reasons
from elasticquota.scheduling.snapshot.reasons import Reason, Waiting


def clocks(last: Clocks, tree_id: str, *, observes: bool) -> Clocks:
    """The clocks of the last cycle that apply to the tree; a change of mode resets them.

    What lasted while no pod could be evicted is no reason to evict at once.
    """
    return last if (tree_id in last.observing) is observes else Clocks()


def would_wait(
    targets: PreemptionTargets, admission: Admission, inadmissible: InadmissibleQueues
) -> Mapping[str, tuple[Waiting, ...]]:
    """Pods of the tree that enforcing would hold, or evict, by queue, as ``Admission.waits``."""
    found = admission.waits()
    claims = _claims(admission, targets) if inadmissible.over else set()
    for name in inadmissible.over:
        if name not in names.RESERVED_QUOTAS and targets.cluster.forest.accepted(name):
            by_max = bool(claims - {name})
            if name in found or inadmissible.by_max.get(name) is not by_max:
                waits = found[name] if name in found else inadmissible.queues[name].waits
                found[name] = (*waits, *_beyond(targets, name, by_max=by_max))
                inadmissible.by_max[name] = by_max
    return found


def _claims(admission: Admission, targets: PreemptionTargets) -> set[str]:
    """Quotas with a pod that waits within its runtime: other quotas use too much."""
    snapshot = targets.snapshot
    return {
        name
        for name, pod in admission.first_blocked
        if pod.uid in targets.nominated or not snapshot.lack(snapshot.places(name)[0], pod.request)
    }


def _beyond(targets: PreemptionTargets, name: str, *, by_max: bool) -> Iterator[Waiting]:
    """Running pods for which earlier ones leave too little of max, or of the runtime."""
    forest, account = targets.cluster.forest, targets.cluster.account(name)
    most = forest.quotas[name].max
    limit = most if by_max else targets.tree.runtimes.own_runtime(name)
    left = dict(limit)
    for pod in sorted(account.running, key=usage.queue_order):
        if pod.key in account.leaving:
            continue
        asked = resources.masked(pod.request, limit.keys())
        if not (keys := resources.exceeding(asked, left)):
            left = {key: amount - asked.get(key, 0) for key, amount in left.items()}
            continue
        why: Reason = reasons.BeyondMax(pod, keys, limit, left)
        if not by_max:
            own = reasons.Bounds(forest.effective_min(name), most)
            short = reasons.Shortage("own", name, keys, limit, left)
            why = reasons.LacksRoom(pod, short, own)
        yield Waiting(pod, name, why)
