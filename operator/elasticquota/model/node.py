"""A node: its labels and taints, what it offers, and whether pods can be placed on it now."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from elasticquota import resources
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


CONTROL_PLANE: Final = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
)
"""Labels and taints of the nodes that run the cluster itself."""

_REMOVAL: Final = frozenset(
    {"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption"}
)
"""Taints of nodes that an autoscaler is removing. ``DeletionCandidateOfClusterAutoscaler`` is not
one of them: such a node is used again when a pod needs it."""


class Taint(NamedTuple):
    """A taint of a node."""

    key: str
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """As ``kubectl`` writes it."""
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


class Node(Struct, frozen=True):
    """One node as read; ``allocatable`` in accounting units."""

    name: str
    created: str
    labels: Mapping[str, str]
    allocatable: Resources
    unschedulable: bool = False
    ready: bool = True
    joining: bool = False
    """Has not been ready yet, or is being initialized: its room is still to come."""
    taints: tuple[Taint, ...] = ()
    shared: Resources = field(default_factory=lambda: EMPTY)
    """The part of ``allocatable`` that other nodes can use, too, and that counts there."""

    @property
    def offered(self) -> Resources:
        """What it adds to the total of its tree."""
        if not self.shared:
            return self.allocatable
        return resources.subtract(self.allocatable, self.shared)

    @property
    def schedulable(self) -> bool:
        """Takes new pods; other nodes stay in the tree total and are listed apart (K 3)."""
        return self.ready and not self.unschedulable and not self.being_removed

    @property
    def being_removed(self) -> bool:
        """Whether an autoscaler has marked it for removal: it takes no pods and soon is gone."""
        return any(
            taint.key in _REMOVAL and taint.effect in ("NoSchedule", "NoExecute")
            for taint in self.taints
        )

    @property
    def reserved(self) -> bool:
        """Whether it has the taint of control-plane nodes, which run the cluster itself."""
        return any(
            taint.key in CONTROL_PLANE and taint.effect in ("NoSchedule", "NoExecute")
            for taint in self.taints
        )
