"""A quota: what a team is guaranteed (min), its limit (max), and its place in its tree.

Amounts are accounting units: millicores for cpu, whole units (bytes, devices) for everything else.
A key absent from ``max`` is unlimited, absent from ``min`` is 0 (semantics 1).
"""

from typing import Final, Literal

from elasticquota import names
from elasticquota.model import limit
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.limit import QuotaLimits
from elasticquota.model.pools import Pools
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


_UNLIMITED: Final = 2**60
NOT_EVER: Final = -1
"""A delay that never ends."""


Place = Literal["labels", "annotations"]


class KeyDifference(Struct, frozen=True):
    """A field of the spec and the key that must say the same, and does not."""

    field: str
    key: str
    says: str
    """What the key must be."""
    written: str
    """What it is; empty: absent."""
    place: Place = "labels"


class Quota(Struct, frozen=True):
    """One ElasticQuota as read; nothing is resolved or judged yet."""

    key: Key
    uid: str
    created: str
    """creationTimestamp, RFC 3339 in UTC, which sorts as text. Quotas are judged in its order, then
    in that of ``uid``."""
    parent: str = names.ROOT_QUOTA
    is_parent: bool = False
    is_root: bool = False
    tree_id: str = names.DEFAULT_TREE
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    shared_weight: Resources | None = None
    """None: the default weight, which is max."""
    allow_lent: bool = True
    namespaces: tuple[str, ...] = ()
    """Namespaces bound by annotation: their pods without a label belong here."""
    profile: str = ""
    total: Resources | None = None
    """Published total of a root quota; counts only for a tree that has no profile."""
    capacity: CapacityMode | None = None
    """Of a root quota: the capacity mode in force, as the controller published it; None: ``Nodes``,
    or unreadable."""
    shares_default_tree: bool = False
    """Of a root quota: its total is not subtracted from that of the default tree."""
    guarantee_usage: bool | None = None
    """Of a root quota: guarantee mode of its tree (semantics 4); None: not set."""
    observes: bool | None = None
    """Of a root quota: observe mode of its tree (``Forest.observes``); None: not set."""
    paused: bool = False
    """No waiting pod of the quota, or of a quota below it, is admitted."""
    pools: Pools | None = None
    """Of a root quota: the pools of its tree as last written by the controller; they count only
    while those of the profile cannot be read."""
    strict_queue: bool = False
    """No waiting pod is admitted before an earlier one that does not fit."""
    reclaim_grace: int | None = None
    """Milliseconds that its guaranteed pods wait before pods of other quotas are reclaimed; None:
    the administrator's default."""
    preemption: str = ""
    """``Fence``: its pods and those below it make only pods in or below it leave. ``Disabled``: no
    pod in or below it is evicted for others. ``Default``: neither. Empty: as the quota above."""
    over_max_delay: int | None = None
    """Milliseconds after which what it uses beyond a lowered max is reclaimed; NOT_EVER: never.
    None: the administrator's delay."""
    application_order: str = ""
    """``Fifo`` or ``Fair``: its waiting pods are ordered by applications. Empty: one by one."""
    orders_by_priority: bool = True
    """False: priority does not count in the order of its waiting pods."""
    nodes: Selector = EVERYTHING
    """On which nodes of its tree its pods run."""
    limits: QuotaLimits = limit.NONE
    """Limits of users, groups and applications."""
    admission: Resources = field(default_factory=dict)
    """The most that all its pods together may be admitted with; a missing key is unlimited. Unlike
    max it never causes an eviction."""
    strict_keys: tuple[str, ...] = ()
    """Resources whose max must not be set below what is used."""
    allowed_namespaces: tuple[str, ...] | None = None
    """Namespaces whose pods may name the quota, besides those that it binds; None: not set."""
    child_namespaces: tuple[str, ...] | None = None
    """Namespaces whose quotas may be its children, besides its own; None: not set."""
    placed_below: str = ""
    """The parent below which it was permitted although the list there leaves its namespace out."""
    forced: bool = False
    """Sums of min that do not fit refuse none of its edits; they only warn."""
    kept_for: str = ""
    """The external system whose objects the controller keeps it equal to; empty: none."""
    stated: tuple[str, ...] = ()
    """Of the settings that a key of Koordinator can say too, those that are fields here."""
    differences: tuple[KeyDifference, ...] = ()
    """The keys that do not say yet what fields say, which count."""
    generation: int = 0
    warnings: tuple[Fault, ...] = field(default=())
    """Unknown values, with the value that counts instead."""
    faults: tuple[Fault, ...] = field(default=())
    """What could not be read, or min beyond max; not empty means InvalidSpec."""

    @property
    def profile_key(self) -> Key | None:
        """Of the root quota of a profile: that profile; None for other quotas."""
        return Key(self.key.namespace, self.profile) if self.is_root and self.profile else None

    def takes_from(self, namespace: str) -> bool:
        """Whether the quota allows pods of the namespace; a reserved quota allows all."""
        allowed = self.allowed_namespaces
        return (
            allowed is None
            or self.name in names.RESERVED_QUOTAS
            or names.EVERY_NAMESPACE in allowed
            or namespace in allowed
            or self.binds(namespace)
        )

    def takes_child(self, child: "Quota") -> bool:
        """Whether ``child`` counts below the quota: no list leaves it out, or it was permitted."""
        return (
            self.child_namespaces is None
            or self.delegates_to(child)
            or child.placed_below == self.name
        )

    def delegates_to(self, child: "Quota") -> bool:
        """Whether who may write ``child`` may place it below the quota, without a permission.

        A reserved or root quota always may be there. The default root without a list takes all: the
        configuration says so.
        """
        return (
            self.lists(child.key.namespace)
            or (self.child_namespaces is None and self.name == names.ROOT_QUOTA)
            or child.name in names.RESERVED_QUOTAS
            or (child.is_root and child.tree_id != names.DEFAULT_TREE)
        )

    def lists(self, namespace: str) -> bool:
        """Whether who may write quotas in ``namespace`` may place them here: its own is listed."""
        listed = (*(self.child_namespaces or ()), self.key.namespace)
        return namespace in listed or names.EVERY_NAMESPACE in listed

    @property
    def bound(self) -> frozenset[str]:
        """The namespaces whose pods belong here without naming it, unless an older quota has them.

        They are those listed, and its own where the quota has the name of it. System namespaces
        among them are not bound (``Forest.bound``).
        """
        own = (self.name,) if self.key.namespace == self.name else ()
        return frozenset((*self.namespaces, *own))

    def binds(self, namespace: str) -> bool:
        """Whether pods of the namespace belong here without naming it."""
        return namespace in self.namespaces or self.key == Key(namespace, namespace)

    @property
    def is_limited(self) -> bool:
        """Whether it has any limit besides max."""
        return bool(self.limits or self.admission)

    @property
    def has_own_order(self) -> bool:
        """Whether its waiting pods are not in the usual order."""
        return bool(self.application_order) or not self.orders_by_priority

    @property
    def binds_any(self) -> bool:
        """Whether some pods belong here without naming it."""
        return bool(self.namespaces) or self.key.namespace == self.key.name

    @property
    def name(self) -> str:
        """The name without the namespace."""
        return self.key.name

    @property
    def limits_something(self) -> bool:
        """Whether its max is a limit at all: Koordinator writes MaxInt64/5 for unlimited."""
        return any(most < _UNLIMITED for most in self.max.values())


class Figures(Struct, frozen=True):
    """Sums over the quota and all below it; accounting units, a missing key is 0."""

    used: Resources = field(default_factory=dict)
    request: Resources = field(default_factory=dict)
    """What it asks for, before its own max cuts it."""
    runtime: Resources = field(default_factory=dict)
    """A missing key is not shared in the tree, and so unlimited."""
    admitted: Resources = field(default_factory=dict)
    non_preemptible: Resources = field(default_factory=dict)
    """The part of ``admitted`` that may not be reclaimed, if annotations say it."""
