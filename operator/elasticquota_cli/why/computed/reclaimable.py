"""Whether an admitted pod may be reclaimed, and why (``enforcement``)."""

from elasticquota import names, resources
from elasticquota.forest import preemption_policy
from elasticquota.model.workload import Counted
from elasticquota.resources import Resources
from elasticquota.scheduling.queue import inadmissible
from elasticquota_cli.why.computed.moment import Moment
from elasticquota_cli.why.parts import borrowed, protection, report


def of(moment: Moment, quota: str, pod: Counted) -> report.ReclaimAnswer:
    """Whether ``pod``, which is admitted, may be reclaimed."""
    forest = moment.cluster.forest
    if quota not in forest.tree_of:
        return report.ReclaimAnswer(
            False, {}, f"{quota} is in no tree: nothing is reclaimed from it"
        )
    over = inadmissible.over_use(moment.cluster, moment.cluster.trees[forest.tree_of[quota]], quota)
    possible, why = _judged(moment, quota, pod, over)
    return report.ReclaimAnswer(possible, resources.text(over), why)


def _judged(moment: Moment, quota: str, pod: Counted, over: Resources) -> tuple[bool, str]:
    """Whether it may be reclaimed, and why; ``over`` is what its quota holds beyond runtime."""
    coming = next((eviction for eviction in moment.coming if eviction.uid == pod.uid), None)
    if coming is not None:
        return True, f"it is evicted if nothing changes: {coming.message}"
    if reason := protection.firm(pod):
        return False, reason
    if moment.cluster.forest.observes(quota):
        return False, "its tree only observes"
    if preemption_policy.is_disabled(moment.cluster.forest, quota):
        return False, "spec.reclaim.preemption of its quota, or of one above, is Disabled"
    cluster = moment.cluster
    shared = cluster.trees[cluster.forest.tree_of[quota]].runtimes.runtime(quota)
    low, held = cluster.forest.effective_min(quota), cluster.account(quota).held
    beyond = borrowed.beyond_min(held, low, shared.keys() & moment.sized(pod).request.keys())
    text = borrowed.holds(quota, over, beyond)
    if over or beyond:
        return True, f"{text}; {_why_not_yet(moment, quota)}"
    if quota not in names.RESERVED_QUOTAS:
        text += "; a pod of higher priority in the same quota may take its place"
    return False, text


def _why_not_yet(moment: Moment, quota: str) -> str:
    if moment.policy.paused:
        return "evictions are paused"
    if any(found.quota == quota for found in moment.coming):
        return "other pods of it are evicted first, and they are enough"
    return "no pod would gain from it now"
