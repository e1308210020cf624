"""The books of one tree at one moment: what its quotas hold and ask for, and what they may use.

A value: an event makes new books (``tree_accounting``), which share with these what it left alone.
"""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota import resources
from elasticquota.forest.structure import Tree
from elasticquota.ledger.pods.external_usage import ExternalUsage
from elasticquota.resources import Resources
from elasticquota.sharing.figures import RuntimeFigures
from elasticquota.structs import Struct


class TreePodCounts(NamedTuple):
    """Numbers of pods."""

    admitted: int = 0
    gated: int = 0


class TreeBooks(Struct, frozen=True):
    """Mappings are by quota name and include all quotas below; amounts are accounting units."""

    tree: Tree
    total: Resources
    """What the tree's nodes offer, after the profile's ratio."""
    available: Resources
    """Total minus what external pods hold on its nodes."""
    within_reach: Resources
    """Total minus what external pods hold that may not be evicted."""
    external_pods: ExternalUsage
    timed_out: Mapping[str, Resources]
    """What the admitted pods hold that no node took in time.

    It is a part of admitted, and takes no room of other pods.
    """
    runtimes: RuntimeFigures
    used: Mapping[str, Resources]
    admitted: Mapping[str, Resources]
    non_preemptible: Mapping[str, Resources]
    """The part of admitted that may not be reclaimed."""
    non_preemptible_request: Mapping[str, Resources]
    """The same plus the non-preemptible pods that wait."""
    pods: Mapping[str, TreePodCounts]

    def counted(self, name: str, held: Resources) -> Resources:
        """Return ``held``, which is admitted in a quota, without what no node took in time."""
        late = self.timed_out.get(name)
        return resources.subtract(held, late) if late else held

    def at_nodes(self) -> tuple[Resources, Resources]:
        """Return what the nodes offer, and what is taken of it.

        Evictable external pods are part of both, because evicting one makes room. Without them, the
        offer is the root's runtime, plus the resources of the nodes that no quota names.
        """
        offered = {**self.available, **self.runtimes.runtime(self.tree.root)}
        root = self.tree.root
        admitted: Resources = self.counted(root, self.admitted[root])
        if not self.external_pods.reclaimable:
            return offered, admitted
        taken = resources.add(admitted, self.external_pods.reclaimable)
        return {**offered, **self.within_reach}, taken
