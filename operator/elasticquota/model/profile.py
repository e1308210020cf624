"""A profile makes one tree of the nodes it selects (K 3), under a root quota that it names."""

from collections.abc import Mapping

from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pools import Pools
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.model.quota import KeyDifference
from elasticquota.model.selector import Selector
from elasticquota.structs import Struct, field


class Ratio(Struct, frozen=True):
    """An exact ratio in (0, 1] as written by the user, for example 0.9 = 9/10."""

    numerator: int
    denominator: int

    def of(self, amount: int) -> int:
        """Return ``amount`` times the ratio, rounded down to whole units."""
        return amount * self.numerator // self.denominator


WHOLE = Ratio(1, 1)


class Profile(Struct, frozen=True):
    """One ElasticQuotaProfile as read."""

    key: Key
    uid: str
    created: str
    quota_name: str
    selector: Selector = field(default_factory=Selector)
    selects_unknown: bool = False
    """The selector could not be read: it matches no node, and the published total stays."""
    quota_labels: Mapping[str, str] = field(default_factory=dict)
    ratio: Ratio = WHOLE
    resource_keys: tuple[str, ...] | None = None
    """Resources in min and max of the root; None: cpu, memory and every extended resource."""
    tree_id: str = ""
    """Preset by label, else empty; the effective id is ``tree_ids.of``."""
    guarantee_usage: bool | None = None
    """The value of ``Quota.guarantee_usage`` for the root quota; None: not set."""
    observes: bool | None = None
    """The value of ``Quota.observes`` for the root quota; None: not set."""
    capacity: CapacityMode = NODES
    """Where the total of the tree comes from."""
    capacity_unknown: bool = False
    """The capacity could not be read: the one that the root quota publishes stays in force."""
    pools: Pools | None = None
    """The kinds of node that its quotas may bound; None: none are named, or not readable."""
    pools_unreadable: bool = False
    """The pools could not be read: those that the root quota states stay in force."""
    provisioning: ProvisioningChoice | None = None
    """How nodes are asked for; None: as configured."""
    differences: tuple[KeyDifference, ...] = ()
    """Fields whose key is absent or says something else; the field counts."""
    generation: int = 0
    faults: tuple[Fault, ...] = ()
