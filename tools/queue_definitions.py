"""The schemas of Queue and QueueUnit, for ``dialect_definitions`` to write.

What of a unit may change, and who may (Q19), is for a policy: a definition cannot tell the
controller from others.
"""

from typing import Any, Final, get_args

from elasticquota import names
from elasticquota.jobs import phase
from elasticquota.wire.integrations import job_queues


Document = dict[str, Any]

APPROVAL: Final = "unapproved, the kind is that of kube-queue"

_PHASES: Final = (*get_args(phase.Phase), "Reserved", "TimeoutBackoff")
"""Ours, and those that only the peers know."""

_INT32: Final = {"type": "integer", "format": "int32"}


def queue_spec() -> Document:
    """What a Queue says."""
    return {
        "type": "object",
        "description": "How the queue is worked off.",
        "properties": {
            "queuePolicy": {
                "type": "string",
                "description": "In which order jobs go: FIFO by age, Priority by priority and then "
                "age, Block likewise and nobody passes. Intelligent counts as Priority.",
                "enum": list(job_queues.POLICIES),
            },
            "priority": {**_INT32, "description": "Of the queue among queues."},
            "priorityClassName": _name("The PriorityClass that says the priority."),
            "admissionChecks": {
                "type": "array",
                "description": "Kept for those who know them; nothing waits for them here.",
                "maxItems": 64,
                "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
    }


def queue_status() -> Document:
    """Who stands where."""
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
            "description": "Jobs that wait, in order, by the name of their line.",
            "additionalProperties": {"type": "array", "items": place},
        }
    }


def unit_spec(listed: Document) -> Document:
    """What a QueueUnit says; ``listed`` is the schema of a resource list."""
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
        "description": "Pods of the job that ask for the same.",
        "required": ["name"],
        "properties": {
            "name": {**_name("Name of the set."), "maxLength": 63},
            "count": {**_INT32, "minimum": 0, "description": "How many they are."},
            "minCount": {**_INT32, "minimum": 0, "description": "With how many the job can start."},
            "resource": {**listed, "description": "What one of them asks for."},
        },
    }
    return {
        "type": "object",
        "description": "Whose the unit is and what the job asks for. While it is enqueued people "
        "may change the priority, and nothing else.",
        "properties": {
            "consumerRef": reference,
            "queue": _name("Name of the Queue in which it stands."),
            "priority": {**_INT32, "description": "Of the job; higher goes first."},
            "priorityClassName": _name("The PriorityClass that said the priority."),
            "resource": {**listed, "description": "What the whole job needs to start."},
            "podSets": {
                "type": "array",
                "description": "What it asks for, set by set; of 8 at most.",
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
    """How far a job has come."""
    admission = {
        "type": "object",
        "description": "What of a set of pods is let in.",
        "required": ["name"],
        "properties": {
            "name": _said("string", "Name of the set."),
            "replicas": _said("integer", "Number of its pods that are let in."),
            "resources": {**listed, "description": "What they ask for together."},
            "running": _said("integer", "Number of its pods that have a node."),
        },
    }
    return {
        "phase": {
            "type": "string",
            "description": "Enqueued: waits. Dequeued: let in. Running, Succeed and Failed: as the "
            "job. Backoff: let in and not started in time, so it pauses. Reserved and "
            "TimeoutBackoff are written by kube-queue only.",
            "enum": list(_PHASES),
        },
        "position": {**_INT32, "minimum": 1, "description": "Its place in line, from 1."},
        "attempts": _said("integer", "How often it was let in and did not start."),
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
            "description": "What is let in, set by set.",
            "maxItems": 256,
            "items": admission,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
    }


def columns(kind: str) -> list[Document]:
    """What ``kubectl get`` shows; of units what their peers show, and where they stand."""
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
