"""The schemas of Queue and QueueUnit, for ``integration_definitions`` to write.

A policy decides which fields of a unit may change, and by which users (Q19): a schema cannot tell
the controller from other users.
"""

from typing import Any, Final, get_args

from elasticquota import names
from elasticquota.jobs import phase, queue_units
from elasticquota.wire.integrations import job_queues


Document = dict[str, Any]

APPROVAL: Final = "unapproved, the kind is that of kube-queue"

_PHASES: Final = (*get_args(phase.Phase), *queue_units.SHOWN.values(), "Reserved")
"""Our phases, by both names, and that which only other systems use."""

_MOST: Final = 2**31 - 1
_INT32: Final = {
    "type": "integer",
    "format": "int32",
    "minimum": -_MOST - 1,
    "maximum": _MOST,
}
"""With its bounds, because Kubernetes 1.30 does not enforce the format."""


def queue_spec() -> Document:
    """The schema of a Queue's spec."""
    return {
        "type": "object",
        "description": "How the queue orders its jobs.",
        "properties": {
            "queuePolicy": {
                "type": "string",
                "description": "The order of the jobs: FIFO by age, Priority by priority and then "
                "age, Block likewise, but no job passes another. Intelligent counts as Priority.",
                "enum": list(job_queues.POLICIES),
            },
            "priority": {**_INT32, "description": "Of the queue among queues."},
            "priorityClassName": _name("The PriorityClass that says the priority."),
            "admissionChecks": {
                "type": "array",
                "description": "Kept for systems that know them; no job waits for them here.",
                "maxItems": 64,
                "items": {
                    "type": "object",
                    "description": "One check.",
                    "required": ["name"],
                    "properties": {"name": _name("Name of the check.")},
                    "x-kubernetes-preserve-unknown-fields": True,
                },
            },
        },
    }


def queue_status() -> Document:
    """The schema of a Queue's status."""
    place = {
        "type": "object",
        "description": "A job and its place.",
        "properties": {
            "name": _said("string", "Name of the QueueUnit."),
            "namespace": _said("string", "Its namespace."),
            "priority": {**_INT32, "description": "Its priority."},
            "position": {**_INT32, "description": "Its place, from 1."},
        },
    }
    return {
        "queueItemDetails": {
            "type": "object",
            "description": "Jobs that wait, in order, by the name of their queue list.",
            "additionalProperties": {"type": "array", "items": place},
        }
    }


def unit_spec(listed: Document) -> Document:
    """The schema of a QueueUnit's spec; ``listed`` is the schema of a resource list."""
    reference = {
        "type": "object",
        "description": "The job.",
        "properties": {
            "apiVersion": _name("Group and version of its kind."),
            "kind": _name("Its kind."),
            "namespace": _name("Its namespace."),
            "name": _name("Its name."),
        },
    }
    pods = {
        "type": "object",
        "description": "Pods of the job that request the same.",
        "required": ["name"],
        "properties": {
            "name": {**_name("Name of the set."), "maxLength": 63},
            "count": {**_INT32, "minimum": 0, "description": "How many they are."},
            "minCount": {**_INT32, "minimum": 0, "description": "With how many the job can start."},
            "resource": {**listed, "description": "What one of them asks for."},
        },
        "x-kubernetes-validations": [
            {
                "rule": "!has(self.minCount) || !has(self.count) || self.minCount <= self.count",
                "message": "minCount must not be above count",
            }
        ],
    }
    return {
        "type": "object",
        "description": "The job of the unit and what it requests. While it is enqueued, users "
        "may change the priority, and nothing else.",
        "properties": {
            "consumerRef": reference,
            "queue": _name("Name of the Queue that the unit is in."),
            "priority": {**_INT32, "description": "Of the job; a higher one goes first."},
            "priorityClassName": _name("The PriorityClass that gave the priority."),
            "resource": {**listed, "description": "What the whole job needs to start."},
            "podSets": {
                "type": "array",
                "description": "What it requests, set by set; at most 8 sets.",
                "maxItems": 8,
                "items": pods,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            "podSet": {
                "type": "array",
                "description": "The same with pod templates, as Koordinator has it; not read.",
                "maxItems": 8,
                "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
            "request": {**listed, "description": "As Koordinator has it; not read."},
        },
    }


def unit_status(listed: Document) -> Document:
    """The schema of a QueueUnit's status."""
    admission = {
        "type": "object",
        "description": "What is admitted of a set of pods.",
        "required": ["name"],
        "properties": {
            "name": _said("string", "Name of the set."),
            "replicas": _said("integer", "Number of its pods that are admitted."),
            "resources": {**listed, "description": "What they ask for together."},
            "running": _said("integer", "Number of its pods that have a node."),
        },
    }
    return {
        "phase": {
            "type": "string",
            "description": "Enqueued: waits. Dequeued: admitted. Running, Succeed and Failed: as "
            "the job. TimeoutBackoff: admitted and not started in time, so it pauses; Backoff in "
            "units of earlier releases. Reserved is written by kube-queue only.",
            "enum": list(_PHASES),
        },
        "position": {**_INT32, "minimum": 1, "description": "Its place in line, from 1."},
        "attempts": _said("integer", "How often it was admitted and did not start."),
        "message": _said("string", "Why it is where it is, in a sentence with numbers."),
        "lastUpdateTime": {
            **_said("string", "When the phase last changed."),
            "format": "date-time",
        },
        "lastAllocateTime": {
            **_said("string", "When its room was last kept for it."),
            "format": "date-time",
        },
        "admissions": {
            "type": "array",
            "description": "What is admitted, set by set.",
            "maxItems": 256,
            "items": admission,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
    }


def columns(kind: str) -> list[Document]:
    """The columns of ``kubectl get``; those of units as in kube-queue, and the queue."""
    return {
        names.JOB_QUEUE_KIND: [
            _column("Policy", "string", ".spec.queuePolicy", "In which order jobs go."),
            _column("Priority", "integer", ".spec.priority", "Of the queue among queues."),
        ],
        names.QUEUE_UNIT_KIND: [
            _column("Phase", "string", ".status.phase", "How far the job has come."),
            _column("Priority", "integer", ".spec.priority", "Of the job."),
            _column("Queue", "string", ".spec.queue", "Where it stands."),
            _column("JobType", "string", ".spec.consumerRef.kind", "Kind of the job."),
            {
                **_column("Message", "string", ".status.message", "Why it is where it is."),
                "priority": 1,
            },
        ],
    }[kind]


def _column(name: str, kind: str, path: str, description: str) -> Document:
    return {"name": name, "type": kind, "jsonPath": path, "description": description}


def _name(description: str) -> Document:
    return {**_said("string", description), "maxLength": 253}


def _said(kind: str, description: str) -> Document:
    return {"type": kind, "description": description}
