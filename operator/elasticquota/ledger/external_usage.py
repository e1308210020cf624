"""Strangers are pods on a tree's nodes that belong to no quota of the tree.

What they hold is gone for the tree (docs/decisions, strangers shrink a tree). Most of them may be
*evicted* when a guarantee of the tree needs their room: no tree promised them these nodes. Others
stay: the system's and those of DaemonSets, which belong to the node, and pods whose own tree has
the node too.
"""

from elasticquota import names, totals
from elasticquota.ledger.usage import Standing
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class ExternalUsage:
    """Mutable; those of one tree. Amounts in accounting units."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        """What all of them hold."""
        self.evictable: dict[Key, tuple[Pod, str]] = {}
        """Those that may be evicted, with their quotas."""
        self.reclaimable: dict[str, int] = {}
        """The part of held that the evictable ones hold."""
        self.returning: dict[str, int] = {}
        """The part of that which is on its way out."""

    def add(self, pod: Pod, standing: Standing) -> None:
        """Count ``pod``."""
        totals.add(self.held, pod.request)
        if _evictable(pod, standing):
            self.evictable[pod.key] = (pod, standing.quota)
            totals.add(self.reclaimable, pod.request)
            if standing.leaving:
                totals.add(self.returning, pod.request)

    def take(self, pod: Pod, standing: Standing) -> None:
        """Count ``pod`` no longer; both as they were counted."""
        totals.subtract(self.held, pod.request)
        if self.evictable.pop(pod.key, None) is not None:
            totals.subtract(self.reclaimable, pod.request)
            if standing.leaving:
                totals.subtract(self.returning, pod.request)


def _evictable(pod: Pod, standing: Standing) -> bool:
    return not (
        standing.at_home or pod.mirror or pod.daemon or standing.quota == names.SYSTEM_QUOTA
    )
