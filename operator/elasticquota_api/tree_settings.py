"""Settings of a whole tree: of its profile, and of a root quota that has no profile."""

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StrictBool

from elasticquota.model.capacity_mode import Mode
from elasticquota.names import POOL_DOMAIN
from elasticquota.wire.quota import pools
from elasticquota_api.amounts import NAME, PlainBounds, named
from elasticquota_api.durations import Text, within
from elasticquota_api.markers import ATOMIC_LIST, SET, Form, ValidationRule
from elasticquota_api.min_and_max import NO_QUANTITY
from elasticquota_api.model import Model


_DOMAIN: Final = (
    "[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_OFFERED: Final = (
    "key.matches('^(cpu|memory|pods|ephemeral-storage|(hugepages|attachable-volumes)-[-A-Za-z0-9_.]"
    f"{{1,40}}|{_DOMAIN})$')"
)

Offered = Annotated[
    PlainBounds,
    Field(min_length=1),
    ValidationRule(
        f"self.all(key, {_OFFERED})",
        "names a resource that no node offers; nodes offer cpu, memory, pods, ephemeral-storage, "
        "huge pages, and devices with a domain in their name such as nvidia.com/gpu [EP1201]",
        f"self.filter(key, !{_OFFERED})[0] + ': no node offers it; nodes offer cpu, memory, pods, "
        "ephemeral-storage, huge pages, and devices with a domain in their name such as "
        "nvidia.com/gpu [EP1201]'",
    ),
]
"""Amounts that nodes offer, by resource."""


class Capacity(Model):
    """Where the total of the tree comes from."""

    rules: ClassVar = (
        ValidationRule(
            "self.mode != 'Elastic' || has(self.max) && 'cpu' in self.max && 'memory' in self.max",
            "must name cpu and memory in mode Elastic, because nodes to come offer only what it "
            "names [EP1201]",
            reason="FieldValueInvalid",
            field_path=".max",
        ),
        ValidationRule(
            "self.mode != 'Declared' || has(self.total)",
            "must say in mode Declared what the tree offers, such as {cpu: 20, memory: 80Gi} "
            "[EP1201]",
            reason="FieldValueRequired",
            field_path=".total",
        ),
        ValidationRule(
            "self.mode == 'Elastic' "
            "|| !has(self.max) && !has(self.largestNode) && !has(self.scaleUpTimeout)",
            "max, largestNode and scaleUpTimeout belong to mode Elastic; leave them out [EP1201]",
        ),
        ValidationRule(
            "self.mode == 'Declared' || !has(self.total)",
            "belongs to mode Declared; leave it out [EP1201]",
            reason="FieldValueForbidden",
            field_path=".total",
        ),
        # The last one: the chart leaves it out where the API server counts its cost too high.
        ValidationRule(
            "!has(self.largestNode) || !has(self.max) || self.largestNode.all(key, "
            "!(key in self.max) || [self.largestNode[key], self.max[key]]"
            f".exists(bound, {NO_QUANTITY}) || quantity(string(self.largestNode[key]))"
            ".compareTo(quantity(string(self.max[key]))) <= 0)",
            "must be less than or equal to max, the most of all nodes together, resource by "
            "resource [EP1201]",
            reason="FieldValueInvalid",
            field_path=".largestNode",
        ),
    )

    mode: Mode
    """`Nodes`: what the nodes offer, as without this field. `Elastic`: what the nodes may become,
    which is `max`; an autoscaler adds them when an admitted pod needs one. `Declared`: `total`,
    whatever the nodes are."""
    max: Offered | None = None
    """Of mode `Elastic`: the most that all nodes of the tree together will ever offer."""
    largest_node: Offered | None = None
    """Of mode `Elastic`: what the largest node offers. A pod that asks for more waits with reason
    `NoNodeFits`."""
    total: Offered | None = None
    """Of mode `Declared`: what the tree offers. A resource that it does not name limits no pod."""
    scale_up_timeout: Annotated[Text, within(shortest="10s", code="EP1201")] | None = None
    """Of mode `Elastic`: how long an admitted pod may wait for a node, such as `90s`, from 10 s to
    24 h. Without it 15 minutes."""


LabelValue = Annotated[
    str,
    Form(
        "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
        "must have only letters, digits, '-', '_' and '.', with a letter or a digit at both ends",
    ),
]
"""A value that a label may have."""


PoolName = Annotated[
    str,
    Form(
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "must have only lower case letters, digits and '-', such as a100",
        pools.LONGEST,
        min_length=1,
    ),
]


class Pool(Model):
    """Nodes of one kind."""

    name: PoolName
    """Name of the pool, by which quotas bound it in `spec.pools`."""
    node_labels: Annotated[
        dict[str, LabelValue],
        Field(max_length=pools.MOST_LABELS),
        named("must be the name of a label, such as gpu.model [EP1201]"),
    ]
    """Labels of its nodes, all of which a node must have. An empty map takes all nodes that no pool
    before it has."""


PoolResource = Annotated[
    str,
    Field(min_length=1, max_length=pools.LONGEST, pattern=NAME),
    ValidationRule(
        f"self.matches('{NAME}') && self != 'pods' && !self.contains('{POOL_DOMAIN}/') "
        "&& (self.contains('/') || !self.contains('_'))",
        "cannot be counted by pool; name a resource of nodes such as cpu or nvidia.com/gpu "
        "[EP1201]",
    ),
]


Pools = Annotated[
    list[Pool],
    Field(max_length=pools.MOST),
    ATOMIC_LIST,
    ValidationRule(
        "self.all(pool, self.exists_one(other, other.name == pool.name))",
        "must not name a pool twice; give each pool a name of its own [EP1201]",
    ),
]
PoolResources = Annotated[
    list[PoolResource], Field(min_length=1, max_length=pools.MOST_RESOURCES), SET
]


class TreeSettings(Model):
    """Settings of the whole tree, of a root quota only. The controller writes those of its profile
    here.
    """

    rules: ClassVar = (
        ValidationRule(
            "!has(self.poolResources) || has(self.pools)",
            "has no effect without pools; name them, or leave it out [EP1201]",
            reason="FieldValueForbidden",
            field_path=".poolResources",
        ),
    )

    enforcement: Literal["Enforce", "Observe"] | None = None
    """`Enforce`: the quotas of the tree hold and reclaim pods. `Observe`: they only report what
    they would do. Without it as configured for all trees."""
    guarantee_usage: StrictBool | None = None
    """Guarantee mode: what runs is never reclaimed, and nothing is lent. Without it as configured
    for all trees."""
    capacity: Capacity | None = None
    """Where the total of the tree comes from. Without it from the nodes."""
    pools: Pools | None = None
    """Kinds of node that quotas guarantee and limit apart, in the order of preference. A node is in
    the first pool whose labels it has, or in none. Two pools need a label that tells them apart."""
    pool_resources: PoolResources | None = None
    """Which resources are counted by pool. Without it all devices are."""
