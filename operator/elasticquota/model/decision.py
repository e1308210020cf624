"""What one round of ``decide`` wants done. Values only: the shells carry them out or drop them.

Every decision is recomputed from live state in the next round, so losing one to a crash or a
refused write loses nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from elasticquota import names
from elasticquota.model import values
from elasticquota.model.key import Key
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import Resources


WaitReason = Literal[
    "QuotaExhausted",
    "AncestorExhausted",
    "ExceedsMax",
    "LimitReached",
    "NoNodeFits",
    "NoNodeFitsNow",
    "QuotaNotAccepted",
    "WaitingForReclaim",
    "WaitingInLine",
    "WaitingForHeadroom",
    "WaitingForGroup",
    "WaitingForOtherGates",
]


@dataclass(frozen=True, slots=True)
class RootQuota:
    """A root quota as its profile wants it; the writer creates it or patches what differs."""

    key: Key
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    min: Resources
    max: Resources
    not_annotated: tuple[str, ...] = ()
    """Annotations that must not be there."""


@values.many(frozen=True, slots=True)
class Condition:
    """A metav1.Condition without its times, which the writer keeps."""

    type: str
    status: bool
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class ProfileStatus:
    key: Key
    tree_id: str
    nodes: int
    generation: int
    conditions: tuple[Condition, ...]


@values.many(frozen=True, slots=True)
class QuotaStatus:
    """The published figures of one quota; amounts in accounting units."""

    key: Key
    generation: int
    tree: str
    """Name of the tree's root quota: what people recognise, unlike the tree id."""
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
    """The part of a profile's root that sits on nodes which take no new pods."""
    child_request: Resources = field(default_factory=dict)
    """What its own pods and its children ask for: request before lending raises it to min."""
    allocated: Resources = field(default_factory=dict)
    """What its pods use and its children are guaranteed; empty unless the tree guarantees use."""
    guaranteed: Resources = field(default_factory=dict)
    """The larger of min and allocated; empty unless the tree guarantees use, and of a root."""
    non_preemptible_request: Resources = field(default_factory=dict)
    non_preemptible_used: Resources = field(default_factory=dict)
    """The part of admitted that may not be taken back."""


@dataclass(frozen=True, slots=True)
class Release:
    """Take our gate off this pod."""

    pod: Key
    uid: str
    quota: str
    gate_index: int
    message: str
    nodes: Selector = EVERYTHING
    """The nodes of the pod's tree at this moment: its node affinity must imply them."""


@values.many(frozen=True, slots=True)
class Wait:
    """Tell this pod why it waits."""

    pod: Key
    uid: str
    quota: str
    reason: WaitReason
    message: str
    place: int = 0
    """Place in the quota's line, from 1; 0 for pods that stand in no line."""


@dataclass(frozen=True, slots=True)
class Unscheduled:
    """Say once that no node has taken this admitted pod for too long."""

    pod: Key
    uid: str
    quota: str
    message: str


@dataclass(frozen=True, slots=True)
class Eviction:
    """Evict this pod, which sits on what somebody else is entitled to."""

    pod: Key
    uid: str
    quota: str
    request: Resources
    message: str
    owner: str = ""
    """The quota that needs its room, its own when it is preempted; empty: for a limit."""
    grace: int | None = None
    """Seconds that it may take to end; None: as long as it says itself."""


@dataclass(frozen=True, slots=True)
class NamespaceLabel:
    """Write on this namespace which quota its pods belong to; None: take the label off."""

    namespace: str
    quota: str | None


@dataclass(frozen=True, slots=True)
class TreeHistory:
    """How a tree looked lately, for the brake; times of the caller's clock."""

    total: Resources
    """The most that its nodes offered since ``seen``."""
    seen: int
    shrank: int | None = None
    """When the total was seen to shrink by much, not long ago."""
    many_since: int | None = None
    """Since when evictions would add up to a large part of its pods."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """By uid how many pods each eviction was that came without a pause until ``asked_at``."""
    asked_at: int = 0


@dataclass(frozen=True, slots=True)
class Gift:
    """What a pod that was evicted gives back, until it is gone."""

    pod: Key
    quota: str
    owner: str
    """The quota that needs it; empty: for a limit."""
    given: Resources


@dataclass(frozen=True, slots=True)
class Cooldown:
    """What was taken back for an owner by a moment of the caller's clock."""

    amounts: Resources
    since: int


@dataclass(frozen=True, slots=True)
class Help:
    """What was done for an admitted pod that the scheduler refuses."""

    nodes: tuple[str, ...] = ()
    """Those that were cleared for it, in order."""
    at: int = 0
    """When the last one was, by the caller's clock."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Since when something has held (milliseconds of the caller's clock), for the next round."""

    over_since: Mapping[str, int] = field(default_factory=dict)
    """quota name -> over its runtime since."""
    owner_waits_since: Mapping[str, int] = field(default_factory=dict)
    """quota name -> a pod within its min has been waiting since."""
    head_since: Mapping[str, int] = field(default_factory=dict)
    """pod uid -> at the head of its line since."""
    histories: Mapping[str, TreeHistory] = field(default_factory=dict)
    """Tree id -> how it looked."""
    gifts: Mapping[str, Gift] = field(default_factory=dict)
    """Pod uid -> what it gives back."""
    owed_since: Mapping[str, int] = field(default_factory=dict)
    """Uid of a pod within its quota's min -> waiting in vain since."""
    cooldowns: Mapping[str, Cooldown] = field(default_factory=dict)
    """Quota name -> what is kept free of borrowers for it."""
    helped: Mapping[str, Help] = field(default_factory=dict)
    """Uid of an admitted pod that the scheduler refuses -> what was done for it."""
    observing: Mapping[str, int] = field(default_factory=dict)
    """Tree id -> only observing since; the clocks of such trees run for nobody."""
    booked: Mapping[str, str] = field(default_factory=dict)
    """Uid of a pod that was released and that no node has taken yet -> the node that it was for."""


@dataclass(frozen=True, slots=True)
class Decisions:
    roots: tuple[RootQuota, ...] = ()
    orphan_roots: tuple[Key, ...] = ()
    """Root quotas without profile and without children: to be deleted."""
    profiles: tuple[ProfileStatus, ...] = ()
    statuses: tuple[QuotaStatus, ...] = ()
    releases: tuple[Release, ...] = ()
    waits: tuple[Wait, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    would_wait: tuple[Wait, ...] = ()
    """Of trees that only observe: pods that enforcing would hold. Nobody carries this out."""
    would_evict: tuple[Eviction, ...] = ()
    """Of trees that only observe: pods that enforcing would take back."""
    held: Mapping[str, int] = field(default_factory=dict)
    """Root quota -> evictions that the brake holds back."""
    unscheduled: tuple[Unscheduled, ...] = ()
    namespace_labels: tuple[NamespaceLabel, ...] = ()
    """Of the namespaces whose label is not what it should be."""
    clocks: Clocks = field(default_factory=Clocks)
    wake_at: int | None = None
    """When (same clock) a decision will change with no event at all, or None."""
