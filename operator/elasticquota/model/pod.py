"""A pod, with the fields that matter for quotas. Finished pods are dropped before they get here."""

from elasticquota import names
from elasticquota.model import constraints, holder
from elasticquota.model.constraints import Constraints
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


Size = frozenset[tuple[str, int]]
"""What a pod asks for, as a key: pods that ask for the same have equal sizes."""


class Pod(Struct, frozen=True):
    """One live pod (not Succeeded, not Failed)."""

    key: Key
    uid: str
    created: str
    """creationTimestamp, RFC 3339 in UTC: sorts as text."""
    quota_label: str = ""
    request: Resources = field(default_factory=dict)
    """Effective request by the upstream PodRequests rule, accounting units, with ``pods: 1``."""
    overhead: Resources = field(default_factory=lambda: EMPTY)
    """The part of ``request`` that its runtime class adds."""
    priority: int = 0
    preemptible: bool = True
    evict_last: bool = False
    """It is evicted only after all pods that are as far in their life and preemptible as it is."""
    may_preempt: bool = True
    """False: the pod waits instead of preempting others (preemptionPolicy: Never)."""
    scheduler: str = names.STOCK_SCHEDULER
    """spec.schedulerName."""
    node_name: str = ""
    started: str = ""
    """status.startTime; empty until the node has accepted the pod."""
    unplaced_since: int | None = None
    """Since when the pod has neither our gate nor a node, epoch milliseconds; None: it has one of
    them, or the time is not known."""
    deleting: bool = False
    gone_after: int | None = None
    """When its grace is over, epoch milliseconds (K 2.2); None: not terminating, or unknown."""
    ends_at: int | None = None
    """When the grace that was asked for ends, epoch milliseconds; None: like ``gone_after``."""
    gates: tuple[str, ...] = ()
    generation: int = 0
    """metadata.generation of a pod at our gate; 0: unknown, as before Kubernetes 1.33."""
    group: Group | None = None
    """The group that it is admitted with; None: it is admitted alone."""
    jobs: tuple[str, ...] = ()
    """Labels that mark the pods of a job, ``label=value``, the outermost job first."""
    constraints: Constraints = constraints.ANYWHERE
    """Of a pod without a node: which nodes it may run on."""
    refused: bool = False
    """Of a pod without our gate: the scheduler found no node for it."""
    holder: Holder = holder.NO_HOLDER
    mirror: bool = False
    daemon: bool = False
    """Owned by a DaemonSet."""
    waiting_message: str = ""
    """Message of the PodScheduled condition, as last seen."""
    faults: tuple[Fault, ...] = ()
    """What could not be read; such a part of the request counts 0, and the pod is reported."""
    warnings: tuple[str, ...] = ()
    """Labels or annotations of ours with an unknown value; they count as if they were missing."""

    @property
    def size(self) -> Size:
        """The request as a hashable key."""
        return frozenset(self.request.items())

    @property
    def gated(self) -> bool:
        """Held by our gate."""
        return names.GATE in self.gates

    @property
    def pods(self) -> "tuple[Pod]":
        """The pod itself, which is all of the workload."""
        return (self,)

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"pod {self.key}"

    @property
    def bound(self) -> bool:
        """The pod has a node."""
        return self.node_name != ""
