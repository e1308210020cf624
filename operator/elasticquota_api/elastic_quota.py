"""ElasticQuota (``scheduling.sigs.k8s.io/v1alpha1``)."""

from typing import Annotated, ClassVar, Final

from pydantic import Field, StrictBool, StrictInt

from elasticquota import names
from elasticquota.wire.codec import selectors
from elasticquota.wire.quota import equal_keys, limits, policies, pools, quotas
from elasticquota_api.amounts import PlainBounds, PoolBounds, QuotaBounds, Weights, named
from elasticquota_api.durations import Delay, Duration
from elasticquota_api.elastic_quota_status import QuotaStatus
from elasticquota_api.markers import ATOMIC_LIST, INT64, Form, ValidationRule, list_map
from elasticquota_api.min_and_max import ABOVE, MESSAGE, UNREADABLE
from elasticquota_api.model import AGE, CATEGORY, Column, KubernetesObject, Model, ServedKind
from elasticquota_api.tree_settings import LabelValue, PoolName, TreeSettings


_NAMED: Final = ValidationRule(
    "!has(self.min) || !has(self.max) || size(self.max) == 0 || self.min.all(key, key in self.max)",
    "names a resource that max does not name; add it to max, or leave max out for no limit "
    "[EQ1002]",
    "self.min.filter(key, !(key in self.max))[0] "
    "+ ': is not in max; add it to max, or leave max out for no limit [EQ1002]'",
    reason="FieldValueInvalid",
    field_path=".min",
)
_MIN_WITHIN_MAX: Final = ValidationRule(
    f"!has(self.min) || !has(self.max) || self.min.all(key, !(key in self.max) || {UNREADABLE} "
    "|| quantity(string(self.min[key])).compareTo(quantity(string(self.max[key]))) <= 0)",
    f"{MESSAGE} [EQ1002]",
    f"self.min.filter(key, {ABOVE} ).map(key, key + ': ' + string(self.min[key]) "
    "+ ' must be less than or equal to ' + string(self.max[key]) "
    "+ ', its max; lower min or raise max [EQ1002]')[0]",
    reason="FieldValueInvalid",
    field_path=".min",
)


Namespaces = Annotated[
    list[
        Annotated[
            str,
            Form(
                f"^{quotas.NAMESPACE}$",
                f"must be the name of a namespace, or '{names.EVERY_NAMESPACE}' for all [EQ1001]",
            ),
        ]
    ],
    Field(max_length=quotas.MOST_NAMESPACES),
    ATOMIC_LIST,
]
"""Atomic: of a list that a server-side apply merges, an empty one may vanish, and without a list
others are allowed."""

BoundNamespaces = Annotated[
    list[
        Annotated[
            str, Form(f"^{equal_keys.NAMESPACE}$", "must be the name of a namespace [EQ1004]")
        ]
    ],
    Field(max_length=equal_keys.MOST_NAMESPACES),
    ATOMIC_LIST,
]


class Access(Model):
    """Whose pods and whose quotas the quota takes."""

    pods: Namespaces | None = None
    """Namespaces whose pods may name the quota, besides those that it binds; `"*"` is all. Without
    the list a quota that binds namespaces takes pods of these and of its own, and another quota
    those of every namespace that no quota binds."""
    children: Namespaces | None = None
    """Namespaces whose planners may place quotas below this one without the permission `add-child`;
    `"*"` is all. Its own namespace is always in the list."""


class QueueSettings(Model):
    """In which order the waiting pods of the quota start."""

    policy: policies.QueuePolicy | None = None
    """Whether pods may pass one that does not fit: `BestEffort`, they may, which counts without a
    policy, or `Strict`, they wait behind it."""
    order: policies.QueueOrder | None = None
    """What comes first: `Priority`, the pods of higher priority, and of equal ones the older, which
    counts without an order, or `Age`, the older. With `applications` it is about applications."""
    applications: policies.ApplicationOrder | None = None
    """The order of applications: `Fifo`, the one that was submitted first, or `Fair`, the one that
    uses least. Without it pods are ordered one by one."""


class ReclaimSettings(Model):
    """When room is reclaimed for the quota, and how its own pods are protected. Only administrators
    of quotas write `overMaxDelay` and `preemption`.
    """

    grace: Duration | None = None
    """How long the guaranteed pods of the quota wait before pods of other quotas are evicted, such
    as `30s`. Without it the grace of the configuration counts."""
    over_max_delay: Delay | None = None
    """How long after its max was lowered pods beyond it are evicted, such as `15m`, or `Never`.
    Without it the delay of the configuration counts."""
    preemption: policies.Preemption | None = None
    """`Fence`: pods in or below the quota make only pods in or below it leave. `Disabled`: no
    running pod in or below the quota is evicted for others or for a limit. `Default`: neither.
    Without it the quota is like the nearest one above that has a policy."""


Person = Annotated[
    str, Field(min_length=1, max_length=limits.LONGEST, pattern=r"^( |[^\p{C}\p{Z}])+$")
]
People = Annotated[list[Person], Field(max_length=limits.MOST_NAMES), ATOMIC_LIST]
Applications = Annotated[StrictInt, Field(ge=0), INT64]


class Limit(Model):
    """What each of some users, and each of some groups together, may hold."""

    rules: ClassVar = (
        ValidationRule(
            "has(self.users) && size(self.users) > 0 || has(self.groups) && size(self.groups) > 0",
            "must name users or groups [EQ1001]",
        ),
    )

    users: People | None = None
    """Users, each of whom has the limit alone. `*` is each user that no other limit names."""
    groups: People | None = None
    """Groups, whose members have the limit together. `*` is all users together who have groups,
    none of them named."""
    max: PlainBounds | None = None
    """The most of each resource that they may hold. A resource that is not named is not limited."""
    applications: Applications | None = None
    """How many applications of theirs may run. Without it, or with 0, any number."""


class QuotaLimits(Model):
    """What users and groups may hold in the quota and below, and how many applications may run."""

    applications: Applications | None = None
    """How many applications may run in all. Without it, or with 0, any number."""
    people: Annotated[list[Limit], Field(max_length=limits.MOST), ATOMIC_LIST] | None = None
    """Limits of users and groups."""


class BoundPool(Model):
    """What the quota is guaranteed of one pool, and what it may use of it at most."""

    rules: ClassVar = (_NAMED, _MIN_WITHIN_MAX)

    name: PoolName
    """Name of a pool of the tree, as its profile has it."""
    min: PoolBounds | None = None
    """Guaranteed amount of each resource in the pool, such as `nvidia.com/gpu: 2`."""
    max: PoolBounds | None = None
    """Largest amount of each resource in the pool; one that is not named is not limited there."""


BoundPools = Annotated[list[BoundPool], Field(max_length=pools.MOST), list_map("name")]

LabelValues = Annotated[
    list[LabelValue],
    Field(min_length=1, max_length=selectors.MOST_VALUES),
    ATOMIC_LIST,
]


class QuotaSpec(Model):
    """What the quota is guaranteed and what it may use at most."""

    rules: ClassVar = (_NAMED, _MIN_WITHIN_MAX)

    min: QuotaBounds | None = None
    """Guaranteed amount of each resource, for example `cpu: 40` or `memory: 100Gi`. What the
    quota's pods do not ask for may be lent to other quotas of the tree, and comes back on demand. A
    resource that is not named has no guarantee."""
    max: QuotaBounds | None = None
    """Largest amount of each resource that the quota may use, borrowed resources included. A
    resource that is not named is not limited by this quota; without `max` nothing is. Every
    resource of `min` must be named here once any is."""
    pools: BoundPools | None = None
    """Bounds in single pools of the tree, beside those of `min` and `max` in all nodes. A pool that
    is not named is bounded only by the quotas above."""
    parent: Annotated[LabelValue, Field(min_length=1)] | None = None
    """Name of the parent quota; the label `quota.scheduling.koordinator.sh/parent` follows it.
    Without it the label counts, and without both the root of the default tree is the parent."""
    is_parent: StrictBool | None = None
    """Whether the quota holds other quotas instead of pods; the label
    `quota.scheduling.koordinator.sh/is-parent` follows it. Without it the label counts, and without
    both the quota holds pods."""
    lends: StrictBool | None = None
    """Whether other quotas may use what this one does not use of its min; the label
    `quota.scheduling.koordinator.sh/allow-lent-resource` follows it. Without it the label counts,
    and without both they may."""
    namespaces: BoundNamespaces | None = None
    """Namespaces whose pods belong to the quota if they name no other; the annotation
    `quota.scheduling.koordinator.sh/namespaces` follows it. Without it the annotation counts, and
    without both a quota with the name of its namespace takes the pods of that one."""
    weight: Weights | None = None
    """How large a part of what others leave unused the quota gets, compared with its siblings; the
    annotation `quota.scheduling.koordinator.sh/shared-weight` follows it. Without it the annotation
    counts, and without both, and for a resource that is not named, the weight is `max`."""
    access: Access | None = None
    queue: QueueSettings | None = None
    reclaim: ReclaimSettings | None = None
    limits: QuotaLimits | None = None
    node_selector: (
        Annotated[
            dict[str, LabelValues],
            Field(max_length=selectors.MOST),
            named("must be the name of a label, such as gpu or nvidia.com/gpu.product [EQ1001]"),
        ]
        | None
    ) = None
    """On which nodes of its tree the pods of the quota run: by label, the values that a node may
    have, such as `gpu: [a100, v100]`. A node must have one of each. Without it they run on all."""
    tree: TreeSettings | None = None
    paused: StrictBool | None = None
    """Whether the waiting pods of the quota, and of all quotas below it, are held. What runs stays.
    Without it they are not."""


def _column(name: str, path: str, description: str, *, wide: bool = False) -> Column:
    return Column(name, "string", path, description, wide)


class ElasticQuota(KubernetesObject):
    """ElasticQuota is one node in a tree of quotas. It guarantees its pods `min`, lets them borrow
    up to `max` what other quotas of the tree do not use, and gives that back when its owner needs
    it.

    `parent` names the parent quota, and `isParent: true` says that the quota holds other quotas
    instead of pods. A pod belongs to the quota that its label
    `quota.scheduling.koordinator.sh/name` names, else to the quota of its namespace.
    """

    served: ClassVar = ServedKind(
        names.QUOTA_GROUP,
        names.QUOTA_VERSION,
        names.QUOTA_PLURAL,
        (
            _column(
                "CPU",
                ".status.summary.cpu",
                "cpu as used/usable/min..max; usable is its runtime, or min if it asks for less.",
            ),
            _column("Memory", ".status.summary.memory", "memory as used/usable/min..max."),
            _column(
                "GPU",
                ".status.summary.gpu",
                "GPUs as used/usable/min..max; blank where the tree has none.",
            ),
            Column(
                "Pending",
                "integer",
                ".status.pods.gated",
                "Number of pods that wait for room in the quota.",
            ),
            _column(
                "Ready",
                ".status.summary.ready",
                "Whether the quota is in force; False while it is refused, Paused while no pod of "
                "it starts.",
            ),
            AGE,
            _column("Parent", ".status.parent", "Name of the parent quota.", wide=True),
            _column(
                "Tree",
                ".status.tree",
                "Name of the tree's root quota; empty while the quota is in no tree.",
                wide=True,
            ),
            _column(
                "Mode",
                ".status.summary.mode",
                "Mode of the tree, Enforce or Observe.",
                wide=True,
            ),
            _column(
                "Pools",
                ".status.summary.pools",
                "Devices of each pool as used/usable/min..max.",
                wide=True,
            ),
            _column("Min", ".status.summary.min", "What the quota is guaranteed.", wide=True),
            _column(
                "Weight",
                ".status.summary.weight",
                "Shared weight, the quota's part of what others leave unused.",
                wide=True,
            ),
            _column(
                "Borrowed",
                ".status.summary.borrowed",
                "What the quota uses above its min.",
                wide=True,
            ),
            _column(
                "Reason",
                ".status.summary.reason",
                "Why the quota is not accepted or why its pods wait.",
                wide=True,
            ),
        ),
        ("eq", "eqs"),
        (CATEGORY,),
        approval="https://github.com/kubernetes-sigs/scheduler-plugins/pull/52",
    )
    rules: ClassVar = (
        ValidationRule(
            "self.metadata.name.size() <= 63",
            "metadata.name must be no more than 63 characters, because pods name their quota in a "
            "label [EQ1001]",
            reason="FieldValueInvalid",
        ),
    )

    api_version: str = names.QUOTA_API
    kind: str = names.QUOTA_KIND
    spec: QuotaSpec = Field(default_factory=QuotaSpec)
    status: QuotaStatus | None = None
