"""A job's ``QueueUnit``: what people see of its place in line, as in kube-queue (Q11, Q17).

It is written for people and for tools that know the kind, and never read: what holds is on the job.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names, resources
from elasticquota.jobs.course import Course
from elasticquota.jobs.job import Job
from elasticquota.model.key import Key


_LONGEST: Final = 253
_SETS: Final = 8
"""So many pod sets a unit has room for; the sums are whole whatever it leaves out."""


def place(job: Job) -> Key:
    """Where the unit of the job is: its namespace, and a name that no other kind's has."""
    name = f"{job.key.name}-{job.kind.lower()}-qu"
    if len(name) > _LONGEST:
        digest = hashlib.sha256(name.encode()).hexdigest()[:10]
        name = f"{name[: _LONGEST - 14]}-{digest}-qu"
    return Key(job.key.namespace, name)


def manifest(job: Job, api_version: str, quota: str, priority: int) -> dict[str, Any]:
    """The unit of a job that stands in the line of ``quota``; it goes with the job."""
    key = place(job)
    consumer = {"apiVersion": api_version, "kind": job.kind, "name": job.key.name}
    return {
        "apiVersion": names.UNIT_API,
        "kind": names.UNIT_KIND,
        "metadata": {
            "name": key.name,
            "namespace": key.namespace,
            "ownerReferences": [{**consumer, "uid": job.uid}],
        },
        "spec": spec(job, api_version, quota, priority),
    }


def spec(job: Job, api_version: str, quota: str, priority: int) -> dict[str, Any]:
    """What the unit says of its job."""
    return {
        "consumerRef": {
            "apiVersion": api_version,
            "kind": job.kind,
            "name": job.key.name,
            "namespace": job.key.namespace,
        },
        "queue": quota,
        "priority": priority,
        **({"priorityClassName": job.priority_class} if job.priority_class else {}),
        "resource": resources.text(job.minimum),
        "podSets": [
            {"name": each.name, "count": each.count, "resource": resources.text(each.request)}
            for each in job.pods[:_SETS]
        ],
    }


def status(course: Course, said: str, position: int, before: Mapping[str, Any], now: str) -> Any:
    """What became of it; ``now`` counts when that is another phase than ``before``.

    ``position`` is from 1, 0 for one that stands in no line.
    """
    same = before.get("phase") == course.phase and before.get("lastUpdateTime")
    return {
        "phase": course.phase,
        "message": said,
        "attempts": course.attempts,
        "lastUpdateTime": before["lastUpdateTime"] if same else now,
        **({"position": position} if position else {}),
    }
