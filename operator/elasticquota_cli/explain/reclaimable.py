"""The prospect of an admitted pod: whether it may be taken back, and why (``enforcement``)."""

from typing import NamedTuple

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import reclaim
from elasticquota_cli import amount
from elasticquota_cli.explain.moment import Moment


class Reclaimable(NamedTuple):
    beyond: Resources
    """What the pods of its quota hold beyond their runtime."""
    movable: bool
    """Another quota may get its room."""
    why: str


def of(moment: Moment, quota: str, pod: Pod) -> Reclaimable:
    """What may become of ``pod``, which is in."""
    forest = moment.books.forest
    if quota not in forest.tree_of:
        return Reclaimable(
            EMPTY, movable=False, why=f"{quota} stands in no tree: nothing is due back"
        )
    over = reclaim.over_use(moment.books, moment.books.trees[forest.tree_of[quota]], quota)
    coming = next((found for found in moment.coming if found.uid == pod.uid), None)
    if coming is not None:
        return Reclaimable(over, movable=True, why=f"it goes if nothing changes: {coming.message}")
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
        return "others of its pods go first, and they are enough"
    return "nobody gains by it now"


def firm(pod: Pod) -> str:
    """Why nobody takes this pod back, whatever its quota holds; empty: it may be."""
    if pod.deleting:
        return "it is on its way out, and counts until it is gone"
    if pod.mirror:
        return "static pods are never evicted"
    if pod.daemon:
        return "pods of DaemonSets are never evicted"
    if not pod.preemptible:
        return f"its label {names.PREEMPTIBLE} is false"
    return ""
