"""Queue (``scheduling.x-k8s.io/v1alpha1``), a kind of kube-queue and of Koordinator."""

from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from elasticquota import names
from elasticquota.wire.integrations.job_queues import Policy
from elasticquota_api.amounts import Number
from elasticquota_api.conditions import Conditions
from elasticquota_api.model import AGE, Column, KubernetesObject, Model, Observed, ServedKind


APPROVAL: Final = "unapproved, the kind is that of kube-queue"

Name = Annotated[str, Field(max_length=253)]


class AdmissionCheck(Model):
    """One check."""

    model_config = ConfigDict(extra="allow")

    name: Name
    """Name of the check."""


class QueueSpec(Model):
    """How the queue orders its jobs."""

    queue_policy: Policy | None = None
    """The order of the jobs: FIFO by age, Priority by priority and then age, Block likewise, but no
    job passes another. Intelligent counts as Priority."""
    priority: Number | None = None
    """Of the queue among queues."""
    priority_class_name: Name | None = None
    """The PriorityClass that says the priority."""
    admission_checks: Annotated[list[AdmissionCheck], Field(max_length=64)] | None = None
    """Kept for systems that know them; no job waits for them here."""


class QueueItem(Observed):
    """A job and its place."""

    name: str | None = None
    """Name of the QueueUnit."""
    namespace: str | None = None
    """Its namespace."""
    priority: Number | None = None
    """Its priority."""
    position: Number | None = None
    """Its place, from 1."""


class QueueStatus(Observed):
    """What the controller did and saw."""

    queue_item_details: dict[str, list[QueueItem]] | None = None
    """Jobs that wait, in order, by the name of their queue list."""
    conditions: Conditions | None = None
    """Facts of the queue, with reasons."""


class Queue(KubernetesObject):
    """Queue is where jobs of a quota wait until all that they ask for has room. The controller
    keeps one for each leaf.
    """

    served: ClassVar = ServedKind(
        names.JOB_QUEUE_GROUP,
        names.JOB_QUEUE_VERSION,
        names.JOB_QUEUE_PLURAL,
        (
            Column("Policy", "string", ".spec.queuePolicy", "In which order jobs go."),
            Column("Priority", "integer", ".spec.priority", "Of the queue among queues."),
            AGE,
        ),
        approval=APPROVAL,
    )

    api_version: str = names.JOB_QUEUE_API
    kind: str = names.JOB_QUEUE_KIND
    spec: QueueSpec = Field(default_factory=QueueSpec)
    status: QueueStatus | None = None
