"""External pods are pods on a tree's nodes that belong to no quota of the tree.

The tree loses what they hold (docs/decisions/0011-whose-pod-counts-where.md). Most of them may
be evicted when a guarantee of the tree needs their room, because no tree promised them these nodes.
Three kinds stay: pods of the system and of DaemonSets, which belong to the node, and pods whose own
tree has the node too.
"""

from typing import Final

from elasticquota import names, totals
from elasticquota.ledger.pods.usage import CountedAs
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class ExternalUsage:
    """The external pods of one tree; amounts in accounting units.

    What a snapshot has does not change: ``pod_accounting`` changes a copy.
    """

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        """What all external pods hold."""
        self.evictable: dict[Key, tuple[Pod, str]] = {}
        """The pods that may be evicted, with their quotas."""
        self.reclaimable: dict[str, int] = {}
        """The part of ``held`` of the evictable pods."""
        self.returning: dict[str, int] = {}
        """The part of ``reclaimable`` of pods that are terminating or being evicted."""

    def copy(self) -> "ExternalUsage":
        """Return an equal value that can be changed."""
        found = ExternalUsage()
        found.held, found.evictable = self.held.copy(), self.evictable.copy()
        found.reclaimable, found.returning = self.reclaimable.copy(), self.returning.copy()
        return found

    def add(self, pod: Pod, counted_as: CountedAs) -> None:
        """Count ``pod``."""
        totals.add(self.held, pod.request)
        if _evictable(pod, counted_as):
            self.evictable[pod.key] = (pod, counted_as.quota)
            totals.add(self.reclaimable, pod.request)
            if counted_as.leaving:
                totals.add(self.returning, pod.request)

    def remove(self, pod: Pod, counted_as: CountedAs) -> None:
        """Stop counting ``pod``; pass both arguments as they were in ``add``."""
        totals.subtract(self.held, pod.request)
        if self.evictable.pop(pod.key, None) is not None:
            totals.subtract(self.reclaimable, pod.request)
            if counted_as.leaving:
                totals.subtract(self.returning, pod.request)


NO_EXTERNAL_PODS: Final = ExternalUsage()


def _evictable(pod: Pod, counted_as: CountedAs) -> bool:
    return not (
        counted_as.in_own_tree or pod.mirror or pod.daemon or counted_as.quota == names.SYSTEM_QUOTA
    )
