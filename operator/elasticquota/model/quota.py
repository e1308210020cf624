"""A quota: what a team is guaranteed (min), may reach (max), and where it stands in its tree.

Amounts are accounting units: millicores for cpu, whole units (bytes, devices) for everything else.
A key absent from ``max`` is unlimited, absent from ``min`` is 0 (semantics 1).
"""

from dataclasses import field
from typing import Final

from elasticquota import names
from elasticquota.model import limit, values
from elasticquota.model.key import Key
from elasticquota.model.limit import Limits
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import Resources


_UNLIMITED: Final = 2**60


@values.many(frozen=True, slots=True)
class Quota:
    """One ElasticQuota as read; nothing is resolved or judged yet."""

    key: Key
    uid: str
    created: str
    """creationTimestamp, RFC 3339 in UTC: sorts as text. Verdicts go by it, then by ``uid``."""
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
    """Namespaces bound by annotation: their unlabelled pods belong here."""
    profile: str = ""
    total: Resources | None = None
    """Published total of a root quota; counts only for a tree that has no profile."""
    shares_default_tree: bool = False
    """Of a root quota: its total is not taken off the default tree's."""
    guarantee_usage: bool | None = None
    """Of a root quota: in its tree, what runs is guaranteed like min and nothing is lent."""
    observes: bool | None = None
    """Of a root quota: its tree only says what it would do (``Forest.observes``); None: as is
    usual."""
    strict_queue: bool = False
    """No waiting pod passes another that does not fit."""
    reclaim_grace: int | None = None
    """How long its guaranteed pods wait before others give back, milliseconds; None: as long as
    the administrator chose for all."""
    nodes: Selector = EVERYTHING
    """On which nodes of its tree its pods run."""
    limits: Limits = limit.NONE
    """Of users, groups and applications."""
    admission: Resources = field(default_factory=dict)
    """What all its pods together may have been admitted with; a key that is missing is unlimited.
    Unlike max it is no reason to take anything back."""
    strict_keys: tuple[str, ...] = ()
    """Resources whose max must not be set below what is used."""
    allowed_namespaces: tuple[str, ...] | None = None
    """Whose pods may name the quota, besides those that it binds; None: nothing is said."""
    child_namespaces: tuple[str, ...] | None = None
    """Whose quotas may be its children, besides those of its own; None: nothing is said."""
    forced: bool = False
    """Its edits pass sums of min that do not fit, with a warning."""
    kept_for: str = ""
    """The dialect whose objects the controller keeps it in step with; empty: people keep it."""
    generation: int = 0
    warnings: tuple[str, ...] = field(default=())
    """Choices that are none of those there are, one sentence each with what they count as."""
    faults: tuple[str, ...] = field(default=())
    """What could not be understood, one sentence each; not empty means InvalidSpec."""

    def takes_from(self, namespace: str) -> bool:
        """Whether pods of the namespace may be here, by what the quota says; reserved take all."""
        allowed = self.allowed_namespaces
        return (
            allowed is None
            or self.name in names.RESERVED_QUOTAS
            or names.EVERY_NAMESPACE in allowed
            or namespace in allowed
            or self.binds(namespace)
        )

    def takes_child(self, child: "Quota") -> bool:
        """Whether ``child`` may hang below, by what the quota says; reserved and roots may."""
        allowed = self.child_namespaces
        return (
            allowed is None
            or names.EVERY_NAMESPACE in allowed
            or child.key.namespace in (*allowed, self.key.namespace)
            or child.name in names.RESERVED_QUOTAS
            or (child.is_root and child.tree_id != names.DEFAULT_TREE)
        )

    def binds(self, namespace: str) -> bool:
        """Whether pods of the namespace belong here without naming it."""
        return namespace in self.namespaces or self.key == Key(namespace, namespace)

    @property
    def is_limited(self) -> bool:
        """Whether it has any limit besides max."""
        return bool(self.limits or self.admission)

    @property
    def binds_any(self) -> bool:
        """Whether some pods belong here without naming it."""
        return bool(self.namespaces) or self.key.namespace == self.key.name

    @property
    def name(self) -> str:
        return self.key.name

    @property
    def limits_something(self) -> bool:
        """Whether its max is a limit: Koordinator writes MaxInt64/5 where it means none."""
        return any(most < _UNLIMITED for most in self.max.values())
