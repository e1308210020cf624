"""A pod: the dozen facts that quotas care about. Finished pods are dropped before they get here."""

from dataclasses import field

from elasticquota import names
from elasticquota.model import constraints, holder, values
from elasticquota.model.constraints import Constraints
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.reservation import Reservation
from elasticquota.model.selector import Requirement
from elasticquota.resources import EMPTY, Resources


Size = frozenset[tuple[str, int]]
"""What a pod asks for, to tell who asks for the same."""


@values.many(frozen=True, slots=True)
class Pod:
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
    may_preempt: bool = True
    """False: waits instead of taking the place of others (preemptionPolicy: Never)."""
    node_name: str = ""
    started: str = ""
    """status.startTime, empty until the node took it over."""
    unplaced_since: int | None = None
    """Of a pod without our gate and without a node: since when, epoch milliseconds; None: it has
    a node or our gate, or nobody wrote it down."""
    deleting: bool = False
    gone_after: int | None = None
    """When its grace is over, epoch milliseconds (K 2.2); None: not terminating, or unknown."""
    ends_at: int | None = None
    """When its grace ends as it was asked for, epoch milliseconds; None: like ``gone_after``."""
    gates: tuple[str, ...] = ()
    generation: int = 0
    """Of a pod at our gate: the number of its spec; 0: unknown, as before Kubernetes 1.33."""
    group: Group | None = None
    """What it is let in with; None: it is let in alone."""
    jobs: tuple[str, ...] = ()
    """What it bears by which jobs know their pods, ``label=value``, the outermost job first; of a
    stand-in, what its pods bear."""
    reserves: Reservation | None = None
    """Of a stand-in: for which job it stands. No such pod is in the cluster."""
    demands: frozenset[Requirement] = frozenset()
    """Of a waiting pod: what its node affinity demands of nodes, as far as it is kept
    (``defaulting.pod_affinity``)."""
    constraints: Constraints = constraints.ANYWHERE
    """Of a pod without a node: which nodes it may run on."""
    refused: bool = False
    """Without our gate: the scheduler said that no node takes it."""
    holder: Holder = holder.NOBODY
    mirror: bool = False
    daemon: bool = False
    """Owned by a DaemonSet."""
    waiting_message: str = ""
    """Message of the PodScheduled condition, as last seen."""
    faults: tuple[str, ...] = ()
    """What could not be understood; such a pod counts 0 for the unreadable part and is reported."""
    warnings: tuple[str, ...] = ()
    """Marks that steer enforcement and say nothing; they count as if they were not there."""

    @property
    def size(self) -> Size:
        return frozenset(self.request.items())

    @property
    def gated(self) -> bool:
        """Held by our gate."""
        return names.GATE in self.gates

    @property
    def bound(self) -> bool:
        return self.node_name != ""
