"""The status of an ElasticQuota: all that the controller writes there."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from elasticquota.wire.quota.reclaim_records import MOST_HOURS, MOST_RECORDS
from elasticquota_api.amounts import Amounts, Count, Generation, Ordinal
from elasticquota_api.conditions import Conditions
from elasticquota_api.markers import ATOMIC_LIST
from elasticquota_api.model import Observed


QuotaName = Annotated[str, Field(max_length=253)]
Total = Annotated[str, Field(pattern="^[0-9]{1,40}$")]


class PodCounts(Observed):
    """Number of live pods of the quota and of its children."""

    admitted: Count | None = None
    """Pods that no longer wait."""
    gated: Count | None = None
    """Pods that wait for room in the quota."""


class Summary(Observed):
    """The same facts as text, for the columns of `kubectl get`. Programs read the fields above."""

    cpu: str | None = None
    """cpu as used/usable/min..max. Usable is what the quota may use now: its runtime, or its min
    where it asks for less than that."""
    memory: str | None = None
    """memory as used/usable/min..max."""
    gpu: str | None = None
    """GPUs as used/usable/min..max."""
    pools: str | None = None
    """What is counted of each pool, as used/usable/min..max."""
    mode: str | None = None
    """Mode of its tree: `Enforce`, or `Observe` while no pod of it waits or is evicted."""
    min: str | None = None
    """What the quota is guaranteed."""
    max: str | None = None
    """What the quota may use at most."""
    weight: str | None = None
    """Shared weight, the quota's part of what others leave unused."""
    borrowed: str | None = None
    """What the quota uses above its min."""
    reason: str | None = None
    """Why the quota is not accepted or why its pods wait."""
    ready: str | None = None
    """Status of the condition Ready; Paused while the quota, or one above it, is paused."""


class Evictions(Observed):
    """Evictions of one cause."""

    time: AwareDatetime
    """When the last of the pods was evicted."""
    since: AwareDatetime | None = None
    """When the first of the pods was evicted."""
    evicted_from: QuotaName
    """The quota whose pods were evicted."""
    reclaimed_for: QuotaName | None = None
    """The quota that got the room; absent where pods were evicted for a limit."""
    workload: Annotated[str, Field(max_length=600)] | None = None
    """The workload that waited for the room, such as `pod team-a/train`."""
    right: Literal["Guarantee", "FairShare", "Limit", "Priority", "NoNode"]
    """By what right: the quota was owed its min (`Guarantee`) or its share of what is lent
    (`FairShare`), the pods were beyond a limit (`Limit`), a workload of their quota was more
    important (`Priority`), or no node took them in time (`NoNode`)."""
    pods: Count
    """Number of evicted pods."""
    amounts: Amounts | None = None
    """What the evicted pods asked for together."""


class EvictionHour(Observed):
    """Evictions of one hour."""

    hour: AwareDatetime
    """The begin of the hour."""
    evicted: Count
    """Pods of this quota that were evicted."""
    reclaimed: Count
    """Pods of other quotas that were evicted for this one."""


class Turnover(Observed):
    """How the room of this quota came free, from which the wait estimate is made. It is written
    when a pod of the quota ends, not because time passes.
    """

    since: AwareDatetime | None = None
    """Since when the quota is observed, at most a day."""
    observed_time: AwareDatetime | None = None
    """The end of the hour and of the day that the other fields are about."""
    pods_last_hour: Count | None = None
    """Pods that ended in the last hour."""
    pods_last_day: Count | None = None
    """Pods that ended in the last day."""
    freed_last_hour: Amounts | None = None
    """What these pods returned in the last hour."""
    freed_last_day: Amounts | None = None
    """What these pods returned in the last day."""
    starts: Count | None = None
    """Workloads that started after a range was given to them, the last ones."""
    starts_in_range: Count | None = None
    """How many of these started within the range."""


class Metering(Observed):
    """What the quota borrowed and lent for how long; absent while it never did. It is written when
    the amounts change, not because time passes: at a later time T the totals are larger by the
    amounts times the seconds from observedTime to T. Totals are whole numbers, of cpu in
    millicore-seconds: 2 cpu for 5 seconds are 10000, and a total divided by 3600000 is core-hours.
    """

    since: AwareDatetime | None = None
    """When the count began."""
    observed_time: AwareDatetime | None = None
    """Since when borrowed and lent are in force, and up to when the totals count."""
    borrowed: Amounts | None = None
    """What the quota uses above its min since observedTime."""
    lent: Amounts | None = None
    """The part of its min that the quota does not ask for since observedTime."""
    borrowed_seconds: dict[str, Total] | None = None
    """What was borrowed times the seconds, up to observedTime: millicore-seconds of cpu, else units
    times seconds."""
    lent_seconds: dict[str, Total] | None = None
    """What was lent times the seconds, up to observedTime, in the same units."""


class EstimatedPosition(Observed):
    """The range of one position."""

    position: Ordinal
    """Position in the queue, from 1."""
    low_seconds: Count
    """The workload is not expected to start before."""
    high_seconds: Count | None = None
    """The workload is expected to start until then; absent when no upper end is known."""


class WaitEstimate(Observed):
    """When the waiting pods of this quota may start; absent while none waits. It is made again when
    something of the quota changes, not because time passes.
    """

    observed_time: AwareDatetime | None = None
    """When the estimate was made; its seconds count from here."""
    expected: Annotated[str, Field(max_length=64)] | None = None
    """In what time the first of the queue may start, such as "10 to 40 min"; absent when there is
    nothing to go by."""
    message: Annotated[str, Field(max_length=1024)] | None = None
    """What the estimate rests on, or why there is none."""
    positions: Annotated[list[EstimatedPosition], Field(max_length=16), ATOMIC_LIST] | None = None
    """The ranges of some positions of the queue; ranges of others lie between them."""


class QuotaStatus(Observed):
    """What the controller observed and decided. Whatever others write here is corrected."""

    observed_generation: Generation | None = None
    """The generation of the quota that this status describes."""
    tree: str | None = None
    """Name of the tree's root quota; empty while the quota is in no tree."""
    parent: str | None = None
    """Name of the parent quota."""
    request: Amounts | None = None
    """What the live pods of the quota and of its children ask for, waiting pods included."""
    used: Amounts | None = None
    """What the live pods that are bound to a node ask for."""
    admitted: Amounts | None = None
    """What the live pods that no longer wait ask for, bound to a node or not."""
    runtime: Amounts | None = None
    """What the quota may use now. It never falls below what the quota requests of its min."""
    min: Amounts | None = None
    """The effective min; empty while the quota is not accepted."""
    pods: PodCounts | None = None
    summary: Summary | None = None
    history: Annotated[list[Evictions], Field(max_length=MOST_RECORDS), ATOMIC_LIST] | None = None
    """Who took what from whom in the last 24 hours, newest first: the last 20 causes by which pods
    were evicted from this quota, or from others for it."""
    hours: Annotated[list[EvictionHour], Field(max_length=MOST_HOURS), ATOMIC_LIST] | None = None
    """Evictions by hour in the last 24 hours, newest first; hours without an eviction are left
    out."""
    turnover: Turnover | None = None
    metering: Metering | None = None
    wait_estimate: WaitEstimate | None = None
    conditions: Conditions | None = None
    """Condition `Accepted` says whether the quota is a member of its tree. A quota that is not
    accepted has no guarantee and lends nothing; its waiting pods keep waiting."""
