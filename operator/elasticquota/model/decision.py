"""The decision of one cycle: everything that it wants written. Values only.

The controller carries decisions out or drops them. The next cycle computes every decision again
from live state, so nothing is lost if a crash or a refused write loses one.
"""

from collections.abc import Hashable, Mapping
from typing import Any, Final

from elasticquota import names, resources
from elasticquota.model import reason_code
from elasticquota.model.capacity_mode import Mode
from elasticquota.model.clocks import Clocks
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import NO_HISTORY, ReclaimHistory, Right
from elasticquota.model.resource_hours import ResourceHours
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.model.wait_estimate import Turnover, WaitEstimate
from elasticquota.model.wait_reason import WaitReason
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field, field_names


class RootQuota(Struct, frozen=True):
    """A root quota as its profile defines it; the writer creates it or patches what differs."""

    key: Key
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    min: Resources
    max: Resources
    tree: Mapping[str, Any] = field(default_factory=dict)
    """The field ``tree`` of its spec, as JSON values; empty: it must not be there."""
    not_annotated: tuple[str, ...] = ()
    """Annotations that must not be there."""


class BuiltInQuota(Struct, frozen=True):
    """The object of a built-in quota: created if it is missing, else only annotated."""

    key: Key
    labels: Mapping[str, str]
    """Of a new object; those of a stored one are not touched."""
    annotations: Mapping[str, str]


class Condition(Struct, frozen=True):
    """A metav1.Condition without its times, which the writer keeps."""

    type: str
    status: bool
    reason: str
    message: str


class ProfileStatus(Struct, frozen=True):
    """The published status of one profile."""

    key: Key
    tree_id: str
    nodes: int
    generation: int
    conditions: tuple[Condition, ...]
    mode: Mode = "Nodes"
    """The capacity mode in force."""
    total: Resources = field(default_factory=dict)
    """What the tree shares; accounting units."""
    present: Resources = field(default_factory=dict)
    """What its nodes offer now, of the resources of ``total``."""


class QuotaStatus(Struct, frozen=True):
    """The published figures of one quota; amounts in accounting units."""

    key: Key
    generation: int
    tree: str
    """Name of the tree's root quota, which people recognize better than the tree id."""
    parent: str
    used: Resources
    request: Resources
    runtime: Resources
    admitted: Resources
    min: Resources
    """Effective min: 0 while the quota is not accepted."""
    max: Resources
    weight: Resources
    pods_admitted: int
    pods_gated: int
    conditions: tuple[Condition, ...]
    tree_id: str = names.DEFAULT_TREE
    is_parent: bool = False
    unschedulable: Resources = field(default_factory=dict)
    """Of a profile's root: the part on nodes that take no new pods."""
    child_request: Resources = field(default_factory=dict)
    """What its own pods and its children ask for, before it is raised to min where lending is off.
    """
    allocated: Resources = field(default_factory=dict)
    """What its own pods use plus what its children are guaranteed; empty but in guarantee mode."""
    guaranteed: Resources = field(default_factory=dict)
    """The larger of min and allocated; empty but in guarantee mode, and for a root."""
    non_preemptible_request: Resources = field(default_factory=dict)
    non_preemptible_used: Resources = field(default_factory=dict)
    """The part of admitted that may not be reclaimed."""
    wait_estimate: WaitEstimate | None = None
    """When its waiting workloads may start; None: none waits."""
    turnover: Turnover | None = None
    """How its room came free; None: no pod of its own ended yet."""
    history: ReclaimHistory = NO_HISTORY
    resource_hours: ResourceHours | None = None
    """What it borrowed and lent for how long; None: it never did."""

    @property
    def usable(self) -> Resources:
        """What the quota may use: its runtime, and its min where it asks for less than that."""
        asks_less = {
            key: amount for key, amount in self.min.items() if self.request.get(key, 0) < amount
        }
        return resources.maximum(self.runtime, asks_less)

    @property
    def above_min(self) -> Resources:
        """What is used above min, for the resources that the quota names."""
        above = resources.subtract(self.used, self.min)
        return resources.positive(resources.masked(above, self.min.keys() | self.max.keys()))


class Release(Struct, frozen=True):
    """Ungate this pod: remove our scheduling gate; or start this job."""

    pod: Key
    uid: str
    quota: str
    gate_index: int
    message: str = ""
    """Of the pod's event (``status``)."""
    nodes: Selector = EVERYTHING
    """The current node selector of the pod's quota: the pod's node affinity must imply it."""
    gang: Key | None = None
    """The gang with which the pod is admitted; None: it is admitted alone."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """To write on the pod with the release."""


class Wait(Struct, frozen=True):
    """Write on this pod, or job, why it waits."""

    pod: Key
    uid: str
    quota: str
    reason: WaitReason
    text: str
    """Why, in sentences."""
    place: int = 0
    """Position in the quota's queue, from 1; 0 for pods that are in no queue."""
    facts: tuple[Hashable, ...] = ()
    """What ``text`` says, as values: it is news when they change, whatever its words are."""
    explained: str = ""
    """What to pass to ``explain`` for more, such as ``pod team-a/web-0``."""

    @property
    def stated(self) -> str:
        """``text``, and the reason code at its end."""
        return reason_code.closed_by(self.text, self.reason)

    @property
    def end(self) -> str:
        """What follows ``text`` in the message on the pod: where to read more, and the code."""
        more = f" More: kubectl elastic-quota explain {self.explained}" if self.explained else ""
        return reason_code.closed_by(more, self.reason)

    @property
    def message(self) -> str:
        """The message on the pod: also where to read more."""
        return f"{self.text}{self.end}"


class Unscheduled(Struct, frozen=True):
    """Report once that this admitted pod has had no node for too long."""

    pod: Key
    uid: str
    quota: str
    message: str


class Eviction(Struct, frozen=True):
    """Evict this pod, or suspend this job: another has the right to its room, or a limit is
    exceeded.
    """

    pod: Key
    uid: str
    quota: str
    request: Resources
    message: str = ""
    """Of the pod's event (``status``)."""
    owner: str = ""
    """The quota that needs its room; for a preemption its own quota; empty: for a limit."""
    grace: int | None = None
    """Seconds that the pod may take to end; None: its own grace period."""
    preemptor: str = ""
    """The workload of ``owner`` that needs the room, such as ``pod team-a/x``; empty: for a limit.
    """
    right: Right = "limit"
    external: bool = False
    """The pod is of no quota of the tree, so its creator may fill the room on its node again."""


class NamespaceLabel(Struct, frozen=True):
    """Write on this namespace which quota its pods belong to; None: remove the label."""

    namespace: str
    quota: str | None


class WorkloadDecisions(Struct, frozen=True):
    """What one cycle wants done with some workloads."""

    releases: tuple[Release, ...] = ()
    waits: tuple[Wait, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    would_wait: tuple[Wait, ...] = ()
    would_evict: tuple[Eviction, ...] = ()


class Decisions(Struct, frozen=True):
    """Everything that one cycle wants written, and what it keeps for the next one."""

    roots: tuple[RootQuota, ...] = ()
    built_in: tuple[BuiltInQuota, ...] = ()
    """The objects of the three built-in quotas that the controller keeps."""
    orphan_roots: tuple[Key, ...] = ()
    """Root quotas to delete: they have no profile and no children."""
    unequal: tuple[Key, ...] = ()
    """Quotas with labels of Koordinator that do not say yet what the fields of the spec say."""
    profiles: tuple[ProfileStatus, ...] = ()
    statuses: tuple[QuotaStatus, ...] = ()
    releases: tuple[Release, ...] = ()
    waits: tuple[Wait, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    would_wait: tuple[Wait, ...] = ()
    """Pods of trees in observe mode that would wait if it were off; only reported."""
    would_evict: tuple[Eviction, ...] = ()
    """Pods of trees in observe mode that would be evicted if it were off; only reported."""
    jobs: WorkloadDecisions = field(default_factory=WorkloadDecisions)
    """The same five of queued jobs, which are started and suspended; above are those of pods."""
    held: Mapping[str, int] = field(default_factory=dict)
    """Root quota -> number of evictions that the breaker holds back."""
    unscheduled: tuple[Unscheduled, ...] = ()
    namespace_labels: tuple[NamespaceLabel, ...] = ()
    """For the namespaces whose label is not what it should be."""
    clocks: Clocks = field(default_factory=Clocks)
    wake_at: int | None = None
    """When a decision changes by time alone, in ms of the caller's clock; None: never."""

    @property
    def of_workloads(self) -> WorkloadDecisions:
        """The decisions about pods, then those about jobs."""
        return WorkloadDecisions(
            *((*getattr(self, name), *getattr(self.jobs, name)) for name in OF_WORKLOADS)
        )


OF_WORKLOADS: Final = field_names(WorkloadDecisions)
"""The fields of ``Decisions`` with one entry for each workload."""
