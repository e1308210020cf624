"""Whether an admitted pod may be reclaimed, and why (``enforcement``)."""

from typing import NamedTuple

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import reclaim
from elasticquota_cli import amount
from elasticquota_cli.explain.moment import Moment


class Reclaimable(NamedTuple):
    """Whether a pod may be reclaimed."""

    beyond: Resources
    """What the pods of its quota hold beyond their runtime."""
    movable: bool
    """Whether another quota may get its resources."""
    why: str


def of(moment: Moment, quota: str, pod: Counted) -> Reclaimable:
    """Whether ``pod``, which is admitted, may be reclaimed."""
    forest = moment.books.forest
    if quota not in forest.tree_of:
        return Reclaimable(
            EMPTY, movable=False, why=f"{quota} is in no tree: nothing is reclaimed from it"
        )
    over = reclaim.over_use(moment.books, moment.books.trees[forest.tree_of[quota]], quota)
    coming = next((found for found in moment.coming if found.uid == pod.uid), None)
    if coming is not None:
        return Reclaimable(
            over, movable=True, why=f"it is evicted if nothing changes: {coming.message}"
        )
    reason = firm(pod)
    if reason:
        return Reclaimable(over, movable=False, why=reason)
    if forest.observes(quota):
        return Reclaimable(over, movable=False, why="its tree only observes")
    if over:
        held = f"{quota} holds {amount.listed(over)} beyond its runtime"
        return Reclaimable(over, movable=True, why=f"{held}; {_why_not_yet(moment, quota)}")
    text = f"{quota} holds no more than its runtime"
    if quota not in names.RESERVED_QUOTAS:
        text += "; a pod of higher priority in the same quota may take its place"
    return Reclaimable(over, movable=False, why=text)


def _why_not_yet(moment: Moment, quota: str) -> str:
    if moment.policy.paused:
        return "evictions are paused"
    if any(found.quota == quota for found in moment.coming):
        return "other pods of it are evicted first, and they are enough"
    return "no pod would gain from it now"


def firm(pod: Counted) -> str:
    """Why this pod is never reclaimed, whatever its quota holds; empty: it may be."""
    if pod.deleting:
        return "it is being deleted, and counts until it is gone"
    if isinstance(pod, Pod) and pod.mirror:
        return "static pods are never evicted"
    if isinstance(pod, Pod) and pod.daemon:
        return "pods of DaemonSets are never evicted"
    if not pod.preemptible:
        return f"its label {names.PREEMPTIBLE} is false"
    return ""
