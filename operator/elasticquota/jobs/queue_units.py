"""The ``QueueUnit`` of a job shows its place in the queue, as in kube-queue (Q11, Q17).

It is written for users and for tools that know the kind. The state itself is on the job. The
controller reads only the unit's priority, which users may change while the job waits (Q19).
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names, resources, texts
from elasticquota.jobs.job import Job
from elasticquota.jobs.phase import JobPhase
from elasticquota.model.key import Key


SHOWN: Final = {"Backoff": "TimeoutBackoff"}
"""Phases that kube-queue calls by another name (Q18)."""

_LONGEST: Final = 253
_SETS: Final = 8
"""Largest number of pod sets in a unit; the sums include the sets that it leaves out."""


def place(job: Job) -> Key:
    """The key of the job's unit: its namespace, and a name that is unique across kinds."""
    name = f"{job.key.name}-{job.kind.lower()}-qu"
    if len(name) > _LONGEST:
        digest = hashlib.sha256(name.encode()).hexdigest()[:10]
        name = f"{name[: _LONGEST - 14]}-{digest}-qu"
    return Key(job.key.namespace, name)


def manifest(job: Job, api_version: str, quota: str, priority: int) -> dict[str, Any]:
    """The unit of a job in the queue of ``quota``; the job owns it and is deleted with it."""
    key = place(job)
    consumer = {"apiVersion": api_version, "kind": job.kind, "name": job.key.name}
    return {
        "apiVersion": names.JOB_QUEUE_API,
        "kind": names.QUEUE_UNIT_KIND,
        "metadata": {
            "name": key.name,
            "namespace": key.namespace,
            "ownerReferences": [{**consumer, "uid": job.uid}],
        },
        "spec": {**spec(job, api_version, quota), "priority": priority},
    }


def priority(stored: Mapping[str, Any] | None) -> int | None:
    """The priority in a stored unit; None: there is none."""
    spec = (stored or {}).get("spec")
    found = spec.get("priority") if isinstance(spec, Mapping) else None
    return found if type(found) is int else None


def spec(job: Job, api_version: str, quota: str) -> dict[str, Any]:
    """The spec of the job's unit without the priority, which belongs to its users."""
    return {
        "consumerRef": {
            "apiVersion": api_version,
            "kind": job.kind,
            "name": job.key.name,
            "namespace": job.key.namespace,
        },
        "queue": quota,
        **({"priorityClassName": job.priority_class} if job.priority_class else {}),
        "resource": resources.text(job.minimum),
        "podSets": [
            {"name": each.name, "count": each.count, "resource": resources.text(each.request)}
            for each in job.pods[:_SETS]
        ],
    }


def status(
    current: JobPhase, message: str, position: int, before: Mapping[str, Any], now: str
) -> Any:
    """The status of a unit; ``now`` is its update time if the phase differs from ``before``.

    ``position`` counts from 1; 0: the job is in no queue.
    """
    shown = SHOWN.get(current.phase, current.phase)
    same = before.get("phase") == shown and before.get("lastUpdateTime")
    return {
        "phase": shown,
        "message": texts.message(message),
        "attempts": current.attempts,
        "lastUpdateTime": before["lastUpdateTime"] if same else now,
        **({"position": position} if position else {}),
    }
