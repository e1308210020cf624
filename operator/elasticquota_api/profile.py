"""ElasticQuotaProfile (``quota.koordinator.sh/v1alpha1``)."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from elasticquota import names
from elasticquota.model.selector import Operator
from elasticquota.wire.codec import amounts, selectors
from elasticquota_api.amounts import LONGEST_NAME, NAME, Count, Generation, named
from elasticquota_api.conditions import Conditions
from elasticquota_api.durations import Text, within
from elasticquota_api.markers import ATOMIC_LIST, ATOMIC_MAP, Form, ValidationRule
from elasticquota_api.model import (
    AGE,
    CATEGORY,
    Column,
    KubernetesObject,
    Model,
    Observed,
    ServedKind,
)
from elasticquota_api.tree_settings import LabelValue, TreeSettings


_CLASS: Final = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$"

_KEY: Final = "must be the name of a label, such as gpu.model [EP1201]"

Labels = Annotated[dict[str, LabelValue], Field(max_length=selectors.MOST), named(_KEY)]


ResourceKeys = Annotated[
    list[
        Annotated[
            str,
            Form(
                NAME,
                "must be the name of a resource, such as cpu or nvidia.com/gpu [EP1201]",
                LONGEST_NAME,
                min_length=1,
            ),
        ]
    ],
    Field(max_length=amounts.MOST),
    ATOMIC_LIST,
]


class LabelSelectorRequirement(Model):
    """One requirement on a label."""

    rules: ClassVar = (
        ValidationRule(
            "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
            "values must be given for operator In and NotIn, and must be left out for Exists and "
            "DoesNotExist [EP1201]",
        ),
    )

    key: Annotated[str, Form(NAME, _KEY, LONGEST_NAME, min_length=1)]
    """Key of the label."""
    operator: Operator
    """How the label relates to the values."""
    values: (
        Annotated[list[LabelValue], Field(max_length=selectors.MOST_VALUES), ATOMIC_LIST] | None
    ) = None
    """Values for operator In and NotIn."""


class NodeSelector(Model):
    """Selects nodes by their labels."""

    match_labels: Labels | None = None
    """Labels that a node must have, all of them."""
    match_expressions: (
        Annotated[list[LabelSelectorRequirement], Field(max_length=selectors.MOST), ATOMIC_LIST]
        | None
    ) = None
    """Requirements that a node's labels must meet, all of them."""


class Provisioning(Model):
    """How nodes of the tree are asked for, where it differs from the configuration."""

    class_name: (
        Annotated[
            str,
            Form(
                _CLASS,
                "must be the name of a provisioning class, such as "
                "check-capacity.autoscaling.x-k8s.io, or empty to ask for no nodes [EP1201]",
                253,
            ),
        ]
        | None
    ) = None
    """The provisioning class of its ProvisioningRequests. An empty one asks for no nodes."""
    timeout: Annotated[Text, within(shortest="1s", code="EP1201")] | None = None
    """How long a workload holds its room while nodes are asked for, such as `10m`, from 1 s to
    24 h."""


class ProfileSpec(TreeSettings):
    """Which nodes belong to the tree and how its root quota looks."""

    quota_name: Annotated[
        str,
        Field(min_length=1, max_length=63),
        ValidationRule(
            "self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",
            "must be a name of lower case letters, digits, '-' and '.', such as gpu-pool [EP1201]",
        ),
        ValidationRule(
            "self == oldSelf",
            "must not change, because the tree hangs on it; create a second profile instead "
            "[EP1201]",
        ),
    ]
    """Name of the root quota, in the profile's namespace. It cannot be changed."""
    node_selector: Annotated[NodeSelector, ATOMIC_MAP]
    """Selects the nodes of the tree by their labels. An empty selector selects every node. A node
    that two profiles select belongs to the older profile."""
    quota_labels: Labels | None = None
    """Labels that the controller puts on the root quota besides its own."""
    resource_ratio: (
        Annotated[
            str,
            Field(max_length=16),
            ValidationRule(
                "self.matches('^([0-9]+|[0-9]*[.][0-9]+)$') && double(self) > 0.0 "
                "&& double(self) <= 1.0",
                'must be a decimal greater than 0 and at most 1, such as "0.9" [EP1201]',
            ),
        ]
        | None
    ) = None
    """Share of the nodes' allocatable resources that the tree may use, a decimal greater than 0 and
    at most 1 in quotes, such as "0.9". Without it the tree may use all."""
    resource_keys: ResourceKeys | None = None
    """Which resources the root quota shares, as names; the annotation
    `quota.scheduling.koordinator.sh/resource-keys` follows it. Without it the annotation counts,
    and without both these are cpu, memory and every device."""
    provisioning: Provisioning | None = None


class ProfileCapacity(Observed):
    """The capacity mode in force, where it is not `Nodes`."""

    mode: Annotated[str, Field(max_length=16)] | None = None
    """Where the total of the tree comes from, `Elastic` or `Declared`."""
    total: dict[str, str] | None = None
    """What the tree shares, what its nodes may become or what is declared."""
    present: dict[str, str] | None = None
    """What the nodes of the tree offer now, of these resources."""
    summary: Annotated[str, Field(max_length=253)] | None = None
    """Mode, present and total cpu, for people."""


class ProfileStatus(Observed):
    """What the controller observed. Whatever others write here is corrected."""

    observed_generation: Generation | None = None
    """The generation of the profile that this status describes."""
    tree: str | None = None
    """Identifier of the tree, which its quotas carry in the label
    `quota.scheduling.koordinator.sh/tree-id`."""
    nodes: Count | None = None
    """Number of nodes that belong to the tree."""
    capacity: ProfileCapacity | None = None
    conditions: Conditions | None = None
    """Condition `Ready` says whether the root quota follows the profile, condition `NodesOverlap`
    whether another profile selects some of the same nodes."""


class ElasticQuotaProfile(KubernetesObject):
    """ElasticQuotaProfile makes a pool of nodes the home of one tree of quotas. The controller
    keeps the tree's root quota in the profile's namespace, with the sum of the nodes' allocatable
    resources as its total, and lets the pods of the tree run on these nodes only.
    """

    served: ClassVar = ServedKind(
        names.PROFILE_GROUP,
        names.PROFILE_VERSION,
        names.PROFILE_PLURAL,
        (
            Column(
                "Quota",
                "string",
                ".spec.quotaName",
                "Name of the root quota that the profile keeps.",
            ),
            Column(
                "Tree-ID",
                "string",
                ".status.tree",
                "Identifier of the tree, which its quotas carry in the label tree-id.",
                wide=True,
            ),
            Column("Nodes", "integer", ".status.nodes", "Number of nodes that belong to the tree."),
            Column(
                "Capacity",
                "string",
                ".status.capacity.summary",
                "Capacity mode of the tree, and how much of its total the present nodes offer; "
                "empty in mode Nodes.",
                wide=True,
            ),
            Column(
                "Ready",
                "string",
                '.status.conditions[?(@.type=="Ready")].status',
                "Whether the root quota follows the profile.",
            ),
            AGE,
        ),
        ("eqp",),
        (CATEGORY,),
    )

    api_version: str = names.PROFILE_API
    kind: str = names.PROFILE_KIND
    spec: ProfileSpec
    status: ProfileStatus | None = None
