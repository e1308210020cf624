"""A sight is all that findings are made of, at one moment: what somebody may read of a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
from elasticquota_config.model import Configuration
from elasticquota_kube.client.paths import Resource


OPERATOR: Final = "elastic-quota-operator"
"""By this label ``app.kubernetes.io/name`` the objects of the chart are found."""
NAME_LABEL: Final = "app.kubernetes.io/name"
COMPONENT_LABEL: Final = "app.kubernetes.io/component"


class Seen(NamedTuple):
    """A live pod, and the scheduler that it names."""

    pod: Pod
    scheduler: str


@dataclass(frozen=True, slots=True)
class Condition:
    type: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Stated:
    """What the status of a quota or a profile says; empty where it says nothing usable."""

    key: Key
    generation: int
    observed: int
    """The generation that the status is of; 0: none."""
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    tree: str = ""
    parent: str = ""
    min: Resources = field(default_factory=lambda: EMPTY)
    runtime: Resources = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Lease:
    key: Key
    holder: str
    renewed: int | None
    """Epoch milliseconds, by the clock of the holder."""
    duration: int
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Of a process of the chart, ``component``: how many replicas it wants, and has ready."""

    key: Key
    component: str
    wanted: int
    ready: int


class Hook(NamedTuple):
    """One webhook of a configuration."""

    name: str
    lacks: str
    """What the API server needs to call it: ``caBundle``, ``path``; empty when it has both."""
    failure_policy: str


@dataclass(frozen=True, slots=True)
class WebhookEntry:
    """A webhook configuration of the chart."""

    kind: str
    name: str
    hooks: tuple[Hook, ...]


@dataclass(frozen=True)  # not slotted: what is worked out of it is kept with it
class Inventory:
    """What was not read is empty here, and named in ``closed``: ask ``can_say`` first."""

    now: int
    """Epoch milliseconds."""
    chosen: Configuration
    """What the controller goes by; the defaults where nobody knows (``knows_configuration``)."""
    home: str = ""
    """The namespace of the operator; empty where nobody knows."""
    knows_configuration: bool = False
    quotas: tuple[Quota, ...] = ()
    quota_statuses: tuple[Stated, ...] = ()
    profile_statuses: tuple[Stated, ...] = ()
    pods: tuple[Seen, ...] = ()
    resource_quotas: tuple[ResourceQuota, ...] = ()
    leases: tuple[Lease, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    webhook_entries: tuple[WebhookEntry, ...] = ()
    units: tuple[Key, ...] = ()
    queues: tuple[Key, ...] = ()
    """Those that were made for leaves of a tree."""
    closed: Mapping[Resource, str] = field(default_factory=dict)
    """What was not read, and why."""
    partly: frozenset[Resource] = frozenset()
    """What was read in one namespace only."""
    missing: frozenset[Resource] = frozenset()
    """Our kinds that the API server does not know."""
    notes: tuple[str, ...] = ()
    """What could not be understood, one sentence each."""

    @cached_property
    def members(self) -> Membership:
        """Which quota a pod belongs to, as the controller decides it."""
        counting = self.chosen.what_counts(*filter(None, (self.home,)))
        return counting.membership(acceptance.build(self.quotas, counting.terms))

    def can_say(self, *needs: Resource, whole: tuple[Resource, ...] = ()) -> bool:
        """Whether ``needs`` were read, and ``whole`` in all namespaces."""
        known = (*needs, *whole)
        return not (self.closed.keys() & set(known)) and not (self.partly & set(whole))
