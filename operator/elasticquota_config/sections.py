"""The sections of the configuration file: each key with its default, its bounds and its meaning.

Unknown keys are refused, no value is converted from another type, and two keys of a section must
not contradict each other.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from elasticquota.validation import severity
from elasticquota.wire.codec import fields, selectors
from elasticquota_config import faults as elasticquota_config_faults


class Section(BaseModel):
    """Base of all sections; keys are written in camel case."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


Port = Annotated[int, Field(ge=1, le=65535)]
_NAME: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
Name = Annotated[str, Field(max_length=253, pattern=f"^{_NAME}$")]
NameOrAll = Annotated[str, Field(max_length=253, pattern=rf"^(\*|{_NAME})$")]


class Admission(Section):
    """Time limits for waiting pods."""

    head_of_line_seconds: Annotated[int, Field(ge=0, le=86400)] = 300
    """Seconds at the head of the queue after which no pod overtakes a pod that could fit; 0: small
    pods always overtake."""
    unschedulable_timeout_seconds: Annotated[int, Field(ge=0, le=86400)] = 300
    """Seconds without a node after which an admitted pod no longer counts as request; 0: it always
    counts."""
    refuse_at_creation: bool = False
    """True, as Koordinator's `EnableQuotaAdmission`: a new pod is refused where it and what its
    quota asks for exceed the annotation `admission`, or max without one; false: it waits."""


class Sharing(Section):
    """How the quotas of a tree share; the defaults are Koordinator's."""

    runtime: bool = True
    """False, as Koordinator's `enableRuntimeQuota: false`: every quota may use its max, whatever
    others ask for, and only what exceeds a max is reclaimed."""
    scale_min: bool = True
    """Whether guarantees that exceed what their parent has shrink in proportion, as with
    Koordinator's `enableMinQuotaScale`; false: each keeps its whole min, and who comes first uses
    it."""


class FairShareDialects(Section):
    """Whether quotas that follow an external system's take part in `fairShare`. False: no pod of
    theirs is evicted for a fair share, and none starts by one.
    """

    ack: bool = True
    """Quotas that follow ElasticQuotaTrees of ACK."""
    capacity: bool = False
    """Quotas that follow ElasticQuotas of capacity scheduling, which beyond min takes from pods of
    the same namespace only."""
    yunikorn: bool = False
    """Quotas that follow YuniKorn's queues, which preempt for guaranteed resources only."""

    def off(self) -> frozenset[str]:
        """The dialects that are switched off, by name."""
        return frozenset(name for name, is_on in self.model_dump().items() if not is_on)


class Reclaim(Section):
    """When and how fast usage above runtime is reclaimed."""

    grace_seconds: Annotated[int, Field(ge=0, le=86400)] = 5
    """Seconds that a quota may stay above its runtime before its pods are reclaimed on demand."""
    delay_seconds: Annotated[int, Field(ge=0, le=86400)] = 120
    """Seconds that a quota may stay above its runtime before its pods are reclaimed for pods that
    wait beyond their min for their fair share, or because the quota exceeds max."""
    fair_share: bool = True
    """False: borrowed resources are reclaimed only for owners within their min; a fair share beyond
    min waits until it is released."""
    fair_share_trees: dict[str, bool] = Field(default_factory=dict)
    """`fairShare` of single trees, by tree id; the default tree is the empty id."""
    fair_share_dialects: FairShareDialects = FairShareDialects()
    min_runtime_seconds: Annotated[int, Field(ge=0, le=86400)] = 0
    """Seconds that a pod runs before it may be reclaimed, unless the owner that needs the resources
    has waited for its grace and for this time too; 0: new pods are not protected."""
    max_in_flight: Annotated[int, Field(ge=1, le=1000)] = 20
    """Largest number of our evictions that are under way at one time in one tree."""
    max_grace_seconds: Annotated[int, Field(ge=1, le=86400)] = 120
    """Seconds that a deleted pod may take to end. A pod with a longer grace period keeps counting,
    and is evicted again with this grace when another pod needs its resources."""
    headroom_seconds: Annotated[int, Field(ge=0, le=86400)] = 0
    """The cooldown: seconds for which what an owner reclaimed is kept free of borrowers, in a
    decreasing amount; 0: it is lent again at once."""
    brake_percent: Annotated[int, Field(ge=0, le=100)] = 30
    """The eviction breaker: evictions wait for some seconds when one cycle would evict more than
    this percentage of a tree's admitted pods, or its nodes offer less by more than this; 0:
    never."""
    delete_after_seconds: Annotated[int, Field(ge=0, le=86400)] = 300
    """Seconds for which disruption budgets may keep a victim that is needed; then it is deleted,
    for which the controller needs the right to delete pods. 0: forever, so a borrower can keep what
    it borrowed with a disruption budget of its own."""
    paused: bool = False
    """The emergency switch: true stops all evictions; everything else continues."""


class Accounting(Section):
    """What counts; the defaults are Koordinator's."""

    default_quota: bool = True
    """Whether pods without a quota belong to `koordinator-default-quota`; false: they are neither
    counted nor limited."""
    ignore_overhead: bool = False
    """True: the overhead that a runtime class adds to its pods (`spec.overhead`) does not count."""
    ignore_terminating: Literal["never", "afterGrace", "atOnce"] = "never"
    """When terminating pods stop counting: never, after their grace, or at once."""


class DefaultTree(Section):
    """Options of the default tree, which has no profile to state them."""

    mode: Literal["", "enforce", "observe"] = ""
    """Mode of the default tree; empty: that of the key `mode`."""
    guarantee_usage: bool = False
    """True: running pods in the default tree are never reclaimed, and nothing is lent."""
    child_namespaces: Annotated[tuple[NameOrAll, ...], Field(strict=False)] = ()
    """Namespaces whose quotas may hang directly below `koordinator-root-quota`, besides the
    namespace of the process; `*` is all."""


def _known(value: str, what: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if value in names:
        return value
    raise ValueError(
        f"there is no {what} '{value}'{elasticquota_config_faults.nearest(value, names)}"
    )


def _profile(value: str) -> str:
    return _known(value, "validation profile", severity.PROFILES)


def _rule(value: str) -> str:
    if value in severity.ALWAYS:
        raise ValueError(f"rule '{value}' is the same in every profile and cannot be changed")
    return _known(value, "rule with levels", severity.TABLE.keys() - severity.ALWAYS)


def _level(value: object) -> object:
    """Return the level; YAML reads a bare ``off`` as false."""
    return "off" if value is False else value


Following = Annotated[Literal["auto", "off"], BeforeValidator(_level)]
ProfileName = Annotated[str, AfterValidator(_profile)]
RuleName = Annotated[str, AfterValidator(_rule)]
Level = Annotated[severity.Level, BeforeValidator(_level)]


class Rules(Section):
    """Which of the rules of docs/rules refuse a change and which only warn."""

    profile: ProfileName = "koordinator"
    """The validation profile of all trees: koordinator, strict, ack, yunikorn or permissive."""
    trees: dict[str, ProfileName] = Field(default_factory=dict)
    """Other validation profiles for single trees, by tree id."""
    overrides: dict[RuleName, Level] = Field(default_factory=dict)
    """Levels of single rules (off, warn, deny); they take precedence over all profiles."""


def _labels(written: dict[str, str]) -> dict[str, str]:
    faults: list[str] = []
    found = fields.labels(written, "labels", faults, selectors.MOST)
    if faults:
        raise ValueError("; ".join(faults))
    return found


Labels = Annotated[dict[str, str], Field(min_length=1), AfterValidator(_labels)]


class Dialects(Section):
    """Objects of external systems from which the controller makes quotas (docs/dialects.md)."""

    ack: bool = False
    """Whether ElasticQuotaTrees of ACK are followed."""
    capacity: bool = False
    """Whether ElasticQuotas of capacity scheduling (`scheduling.x-k8s.io`) are followed."""
    flavors: dict[Name, Labels] = Field(default_factory=dict)
    """Meaning of `resourceflavors` of an ElasticQuotaTree: by name, the labels of their nodes."""
    jobs: bool = False
    """Whether jobs are queued as a whole, by the switch that suspends them (docs/job-queues.md)."""
    queue_per_quota: bool = False
    """With `jobs`: whether every leaf quota has a Queue in namespace `kube-queue`; false: only
    those that follow an ElasticQuotaTree."""
    queue_priority: bool = False
    """With `jobs`: whether idle resources go to the Queue of highest priority first, behind mins
    and fair shares; false: the priority of a Queue has no effect."""
    yunikorn: bool = False
    """Whether the queues of YuniKorn and YuniKorn's annotations of namespaces are followed."""
    yunikorn_namespace: Name = "yunikorn"
    """The namespace of the ConfigMaps `yunikorn-configs` and `yunikorn-defaults`."""

    def followed(self) -> frozenset[str]:
        """The external systems whose objects are followed as quotas."""
        systems = {"ack": self.ack, "capacity": self.capacity, "yunikorn": self.yunikorn}
        return frozenset(name for name, is_on in systems.items() if is_on)
