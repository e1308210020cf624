"""The section of reclaim: when, how fast, and for whom."""

from typing import Annotated

from msgspec import Meta

from elasticquota.structs import asdict, field
from elasticquota_config.fields.section import Section


class FairShareDialects(Section, frozen=True):
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
        return frozenset(name for name, is_on in asdict(self).items() if not is_on)


class ReclaimSection(Section, frozen=True):
    """When and how fast usage above runtime is reclaimed."""

    grace_seconds: Annotated[int, Meta(ge=0, le=86400)] = 5
    """Seconds that a pod within the min of its quota waits before pods of others are evicted."""
    delay_seconds: Annotated[int, Meta(ge=0, le=86400)] = 120
    """Seconds that a quota may stay above its runtime before its pods are reclaimed for pods that
    wait beyond their min for their fair share, or because the quota exceeds max."""
    fair_share: bool = True
    """False: borrowed resources are reclaimed only for owners within their min; a fair share beyond
    min waits until it is released."""
    fair_share_trees: dict[str, bool] = field(default_factory=dict)
    """`fairShare` of single trees, by tree id; the default tree is the empty id."""
    fair_share_dialects: FairShareDialects = FairShareDialects()
    min_runtime_seconds: Annotated[int, Meta(ge=0, le=86400)] = 0
    """Seconds that a pod runs before it may be reclaimed, unless the owner that needs the resources
    has waited for its grace and for this time too; 0: new pods are not protected."""
    evictions_per_second: Annotated[int, Meta(ge=1, le=1000)] = 100
    """The rate of evictions in one tree. Those of two seconds may go at once. The API server gets
    an eviction and an event for each."""
    max_grace_seconds: Annotated[int, Meta(ge=1, le=86400)] = 120
    """Seconds that a deleted pod may take to end. A pod with a longer grace period keeps counting,
    and is evicted again with this grace when another pod needs its resources."""
    brake_percent: Annotated[int, Meta(ge=0, le=100)] = 30
    """The eviction breaker: evictions wait for some seconds when one cycle would evict more than
    this percentage of a tree's admitted pods, or its nodes offer less by more than this; 0:
    never."""
    delete_after_seconds: Annotated[int, Meta(ge=0, le=86400)] = 300
    """Seconds for which disruption budgets may keep a victim that is needed; then it is deleted,
    for which the controller needs the right to delete pods. 0: forever, so a borrower can keep what
    it borrowed with a disruption budget of its own."""
    paused: bool = False
    """The emergency switch: true stops all evictions; everything else continues."""
