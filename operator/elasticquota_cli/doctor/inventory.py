"""An inventory is the input of all rules: what the user may read of a cluster at one moment."""

from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.unread import Unread
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import profile_nodes
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.structs import Struct, field
from elasticquota.wire.admission.admission_policies import BindingManifest
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
from elasticquota_cli.live import listing
from elasticquota_cli.live.installed import Deployment, HookConfiguration, Lease
from elasticquota_cli.live.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")


class StatusCondition(Struct, frozen=True):
    """A condition in a status."""

    type: str
    status: str
    reason: str
    message: str


class Stated(Struct, frozen=True):
    """The status of a quota or a profile; fields without a usable value are empty."""

    key: Key
    generation: int
    observed: int
    """The generation that the status is for; 0: none."""
    conditions: Mapping[str, StatusCondition] = field(default_factory=dict)
    tree: str = ""
    parent: str = ""
    min: Resources = field(default_factory=lambda: EMPTY)
    runtime: Resources = field(default_factory=lambda: EMPTY)
    used: Resources = field(default_factory=lambda: EMPTY)


class InForce(Struct, frozen=True):
    """The configuration of the controller, and its namespace."""

    chosen: Configuration
    """The defaults if it is not ``known``."""
    home: str = ""
    """The namespace of the operator; empty if it is not known."""
    known: bool = False
    map: str = ""
    """The ConfigMap that could not be understood, and why."""
    fault: str = ""


class Found(Struct):
    """What was read of each kind, and what could not be read."""

    objects: dict[Resource, Raws] = field(default_factory=dict)
    closed: dict[Resource, str] = field(default_factory=dict)
    """Resources that were not read, and why."""
    partly: set[Resource] = field(default_factory=set)
    """Resources that were read in one namespace only."""
    missing: set[Resource] = field(default_factory=set)
    """Our kinds that the API server does not know."""
    lacking: dict[Resource, tuple[str, ...]] = field(default_factory=dict)
    """The fields that the definitions of our kinds do not have, where it is not all of ours."""
    not_served: set[Resource] = field(default_factory=set)
    """Kinds of other systems that the API server does not know."""
    unread: list[Unread] = field(default_factory=list)
    """Kinds of other systems that are served in no version that the controller reads."""
    has_autoscaler_status: bool | None = None
    """Whether Cluster Autoscaler has its ConfigMap; None: it was not read."""
    notes: list[str] = field(default_factory=list)
    """What was not understood, one sentence each."""

    @property
    def nothing(self) -> bool:
        """Whether something was to be read, and no kind was."""
        return bool(self.closed) and not self.objects.keys() - self.not_served

    def all(self, resource: Resource, kind: type[T]) -> list[T]:
        """Decode all objects of a kind; a note names those that are not understood."""
        raws = self.objects.get(resource, ())
        return listing.understood(raws, kind, resource.plural, self.notes)


class Inventory(Struct, frozen=True, dict=True):  # a dict for the cached properties
    """The state of a cluster; what was not read is empty, see ``can_say``."""

    now: int
    """Epoch milliseconds."""
    at: InForce
    found: Found
    quotas: tuple[Quota, ...] = ()
    profiles: tuple[Profile, ...] = ()
    nodes: tuple[Node, ...] = ()
    """Empty if there are no profiles."""
    keys_of_nodes: frozenset[str] = frozenset()
    """Keys of their labels and annotations."""
    quota_statuses: tuple[Stated, ...] = ()
    profile_statuses: tuple[Stated, ...] = ()
    pods: tuple[Pod, ...] = ()
    resource_quotas: tuple[ResourceQuota, ...] = ()
    leases: tuple[Lease, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    hooks: Mapping[str, tuple[HookConfiguration, ...]] = field(default_factory=dict)
    """The webhook configurations of the chart, by kind."""
    policies: frozenset[tuple[str, str]] = frozenset()
    """Kinds and names of the admission policies, ours and others."""
    bindings: Mapping[tuple[str, str], BindingManifest] = field(default_factory=dict)
    """Their bindings by kind and name."""
    units: tuple[Key, ...] = ()
    queues: tuple[Key, ...] = ()
    """Those that were made for leaves of a tree."""

    @cached_property
    def members(self) -> Membership:
        """The quota of each pod, decided as in the controller."""
        counting = self.at.chosen.what_counts(*filter(None, (self.at.home,)))
        return counting.membership(acceptance.build(self.quotas, counting.terms))

    @cached_property
    def capacities(self) -> Mapping[Key, TreeCapacity]:
        """What each profile has of the nodes."""
        return profile_nodes.of_profiles(self.profiles, self.nodes)

    def children(self, root: str) -> list[Stated]:
        """The quotas directly below a root quota, by their statuses."""
        return [each for each in self.quota_statuses if each.tree == root == each.parent]

    def can_say(self, *needs: Resource, whole: tuple[Resource, ...] = ()) -> bool:
        """Whether ``needs`` were read, and ``whole`` in all namespaces."""
        known = (*needs, *whole)
        return not (self.found.closed.keys() & set(known)) and not (self.found.partly & set(whole))
