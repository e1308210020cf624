"""Queue manifest -> a queue of jobs, and its status (``scheduling.x-k8s.io/v1alpha1``; Q16).

``queuePolicy`` is FIFO or Priority with ACK, and Priority, Block or Intelligent with Koordinator.
Not read: ``admissionChecks`` (Q23), by which other controllers approve the start of a job.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields, metadata
from elasticquota.wire.codec.metadata import SpecManifest


Policy = Literal["FIFO", "Priority", "Block", "Intelligent"]
POLICIES: Final = get_args(Policy)
USUAL: Final = "Priority"

_LONGEST: Final = 253
_INT32: Final = 2**31


class JobQueue(Struct, frozen=True):
    """One Queue."""

    key: Key
    uid: str
    created: str
    generation: int = 0
    policy: str = USUAL
    """One of ``POLICIES``."""
    priority: int | None = None
    """The priority of the queue among queues."""
    priority_class: str = ""
    faults: tuple[Fault, ...] = ()


class JobPosition(NamedTuple):
    """The position of a job in its queue."""

    key: Key
    priority: int
    position: int
    """From 1."""


def read(manifest: SpecManifest) -> JobQueue:
    """Return the queue; an unreadable part counts as absent and is named in ``faults``."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    policy = spec.get("queuePolicy")
    if policy is None:
        policy = USUAL
    elif policy not in POLICIES:
        faults.append(fields.mismatch("spec.queuePolicy", f"one of {', '.join(POLICIES)}", policy))
        policy = USUAL
    return JobQueue(
        meta.key,
        meta.uid,
        meta.created,
        meta.generation,
        policy,
        read_priority(spec, faults),
        read_name(spec, "priorityClassName", faults),
        tuple(faults),
    )


def manifest(key: Key, policy: str, annotations: Mapping[str, str]) -> dict[str, Any]:
    """Return the object to create."""
    api, kind, spec = names.JOB_QUEUE_API, names.JOB_QUEUE_KIND, {"queuePolicy": policy}
    return metadata.document(api, kind, key, spec, annotations={**annotations})


def status(line: str, places: Iterable[JobPosition]) -> dict[str, Any]:
    """Return ``status``, which lists the jobs with their positions under the name ``line``."""
    listed = [
        {
            "name": each.key.name,
            "namespace": each.key.namespace,
            "priority": each.priority,
            "position": each.position,
        }
        for each in places
    ]
    return {"queueItemDetails": {line: listed}}


def read_priority(spec: Mapping[str, Any], faults: list[Fault]) -> int | None:
    """Return ``priority`` of a queue or unit; None if absent or unreadable."""
    found = spec.get("priority")
    if found is None or (type(found) is int and -_INT32 <= found < _INT32):
        return found
    faults.append(fields.mismatch("spec.priority", "a number of 32 bits", found))
    return None


def read_name(spec: Mapping[str, Any], field: str, faults: list[Fault]) -> str:
    """Return a name from a field of the spec; empty if absent or unreadable."""
    found = spec.get(field)
    if found in (None, ""):
        return ""
    if fields.is_text(found, _LONGEST):
        return found
    faults.append(fields.mismatch(f"spec.{field}", "a name", found))
    return ""
