"""The prospect of an admitted pod: whether it may be taken back, and why (``enforcement``)."""

from typing import NamedTuple

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import reclaim
from elasticquota_cli import amount
from elasticquota_cli.explain.moment import Picture


class Prospect(NamedTuple):
    beyond: Resources
    """What the pods of its quota hold beyond their runtime."""
    movable: bool
    """Another quota may get its room."""
    why: str


def of(picture: Picture, quota: str, pod: Pod) -> Prospect:
    """What may become of ``pod``, which is in."""
    forest = picture.books.forest
    if quota not in forest.tree_of:
        return Prospect(EMPTY, movable=False, why=f"{quota} stands in no tree: nothing is due back")
    over = reclaim.over_use(picture.books, picture.books.trees[forest.tree_of[quota]], quota)
    coming = next((found for found in picture.coming if found.uid == pod.uid), None)
    if coming is not None:
        return Prospect(over, movable=True, why=f"it goes if nothing changes: {coming.message}")
    reason = firm(pod)
    if reason:
        return Prospect(over, movable=False, why=reason)
    if forest.observes(quota):
        return Prospect(over, movable=False, why="its tree only observes")
    if over:
        held = f"{quota} holds {amount.listed(over)} beyond its runtime"
        return Prospect(over, movable=True, why=f"{held}; {_why_not_yet(picture, quota)}")
    text = f"{quota} holds no more than its runtime"
    if quota not in names.RESERVED_QUOTAS:
        text += "; a pod of higher priority in the same quota may take its place"
    return Prospect(over, movable=False, why=text)


def _why_not_yet(picture: Picture, quota: str) -> str:
    if picture.policy.paused:
        return "evictions are paused"
    if any(found.quota == quota for found in picture.coming):
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
