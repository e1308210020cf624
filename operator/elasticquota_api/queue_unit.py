"""QueueUnit (``scheduling.x-k8s.io/v1alpha1``), a kind of kube-queue and of Koordinator.

A policy decides which fields of a unit may change, and by which users (Q19): a schema cannot tell
the controller from other users.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AwareDatetime, Field, StrictInt

from elasticquota import names
from elasticquota.jobs.phase import Phase
from elasticquota_api.amounts import Natural, Number, Requests, ShortAmounts
from elasticquota_api.conditions import Conditions
from elasticquota_api.markers import INT32, ValidationRule, list_map
from elasticquota_api.model import AGE, Column, KubernetesObject, Model, Observed, ServedKind
from elasticquota_api.queue import APPROVAL, Name


class ConsumerRef(Model):
    """The job."""

    api_version: Name | None = None
    """Group and version of its kind."""
    kind: Name | None = None
    """Its kind."""
    namespace: Name | None = None
    """Its namespace."""
    name: Name | None = None
    """Its name."""


class PodSet(Model):
    """Pods of the job that request the same."""

    rules: ClassVar = (
        ValidationRule(
            "!has(self.minCount) || !has(self.count) || self.minCount <= self.count",
            "minCount must not be above count",
        ),
    )

    name: Annotated[str, Field(max_length=63)]
    """Name of the set."""
    count: Natural | None = None
    """How many they are."""
    min_count: Natural | None = None
    """With how many the job can start."""
    resource: Requests | None = None
    """What one of them asks for."""


class QueueUnitSpec(Model):
    """The job of the unit and what it requests. While it is enqueued, users may change the
    priority, and nothing else.
    """

    consumer_ref: ConsumerRef | None = None
    queue: Name | None = None
    """Name of the Queue that the unit is in."""
    priority: Number | None = None
    """Of the job; a higher one goes first."""
    priority_class_name: Name | None = None
    """The PriorityClass that gave the priority."""
    resource: Requests | None = None
    """What the whole job needs to start."""
    pod_sets: Annotated[list[PodSet], Field(max_length=8), list_map("name")] | None = None
    """What it requests, set by set; at most 8 sets."""
    pod_set: Annotated[list[dict[str, Any]], Field(max_length=8)] | None = None
    """The same with pod templates, as Koordinator has it; not read."""
    request: Requests | None = None
    """As Koordinator has it; not read."""


class PodSetAdmission(Observed):
    """What is admitted of a set of pods."""

    name: str
    """Name of the set."""
    replicas: StrictInt | None = None
    """Number of its pods that are admitted."""
    resources: ShortAmounts | None = None
    """What they ask for together."""
    running: StrictInt | None = None
    """Number of its pods that have a node."""


class QueueUnitStatus(Observed):
    """What the controller did and saw."""

    phase: Literal[Phase, "TimeoutBackoff", "Reserved"] | None = None
    """Enqueued: waits. Dequeued: admitted. Running, Succeed and Failed: as the job. TimeoutBackoff:
    admitted and not started in time, so it pauses; Backoff in units of earlier releases. Reserved
    is written by kube-queue only."""
    position: Annotated[StrictInt, Field(ge=1, le=2**31 - 1), INT32] | None = None
    """Its place in line, from 1."""
    attempts: StrictInt | None = None
    """How often it was admitted and did not start."""
    message: str | None = None
    """Why it is where it is, in a sentence with numbers."""
    last_update_time: AwareDatetime | None = None
    """When the phase last changed."""
    last_allocate_time: AwareDatetime | None = None
    """When its room was last kept for it."""
    admissions: Annotated[list[PodSetAdmission], Field(max_length=256), list_map("name")] | None = (
        None
    )
    """What is admitted, set by set."""
    conditions: Conditions | None = None
    """Facts of the job, with reasons."""


class QueueUnit(KubernetesObject):
    """QueueUnit is a job in its queue. The controller makes one for each job, and it goes with the
    job.
    """

    served: ClassVar = ServedKind(
        names.JOB_QUEUE_GROUP,
        names.JOB_QUEUE_VERSION,
        names.QUEUE_UNIT_PLURAL,
        (
            Column("Phase", "string", ".status.phase", "How far the job has come."),
            Column("Priority", "integer", ".spec.priority", "Of the job."),
            Column("Queue", "string", ".spec.queue", "Where it stands."),
            Column("JobType", "string", ".spec.consumerRef.kind", "Kind of the job."),
            Column("Message", "string", ".status.message", "Why it is where it is.", wide=True),
            AGE,
        ),
        ("qu", "qus"),
        approval=APPROVAL,
    )

    api_version: str = names.JOB_QUEUE_API
    kind: str = names.QUEUE_UNIT_KIND
    spec: QueueUnitSpec = Field(default_factory=QueueUnitSpec)
    status: QueueUnitStatus | None = None
