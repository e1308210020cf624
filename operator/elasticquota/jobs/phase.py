"""The course of a job: how far it has come in the line of its quota (Q18).

``Enqueued`` until it is let in; ``Dequeued`` from then on, and ``Running`` once it says so itself;
``Backoff`` when none of its pods was started in time, each time for twice as long; ``Succeed`` or
``Failed`` at its end. A job that is suspended again, by whomever, is ``Enqueued`` again.

What must outlive the process is written on the job with the same patch that turns its switch. A
policy lets nobody else write it: a job that somebody else has started is not let in by that, and
its pods wait with it at the gate.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from elasticquota import names
from elasticquota.jobs import paths, suspension
from elasticquota.jobs.adapter import Adapter
from elasticquota.jobs.job import Job
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.reservation import Reservation


Phase = Literal["Enqueued", "Dequeued", "Running", "Succeed", "Failed", "Backoff"]

LET_IN: Final = frozenset[Phase]({"Dequeued", "Running"})
ENDED: Final = frozenset[Phase]({"Succeed", "Failed"})
LONGEST_BACKOFF: Final = 3_600_000
"""Milliseconds."""

Pause = Literal["none", "going", "staying"]
"""What is left of the pods of a suspended job: they go, or nobody has taken them away in time."""

STAYING: Final = "pods that its operator has not deleted"
"""In place of a gate of somebody else, which keeps the job out of the line."""

_GATES: Final[dict[Pause, tuple[str, ...]]] = {
    "none": (names.GATE,),
    "going": (),
    "staying": (names.GATE, STAYING),
}

_TEXT: Final = re.compile(r"(Enqueued|Dequeued|Backoff) ([0-9]{1,15}) ([0-9]{1,4})", re.ASCII)


@dataclass(frozen=True, slots=True)
class JobPhase:
    """Times are epoch milliseconds."""

    phase: Phase = "Enqueued"
    since: int = 0
    attempts: int = 0
    """How often its pods were not started in time, in a row."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the administrator chose; milliseconds, a timeout of 0: never."""

    start_timeout: int = 300_000
    first_backoff: int = 60_000
    stop_timeout: int = 60_000


USUAL: Final = Terms()


def written(document: Any) -> JobPhase:
    """What stands on the job; anything else is the beginning."""
    annotations = paths.value(document, "metadata.annotations")
    text = annotations.get(names.COURSE) if isinstance(annotations, dict) else None
    found = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return JobPhase()
    phase, since, attempts = found.groups()
    return JobPhase(cast("Phase", phase), int(since), int(attempts))


def patch(document: Any, adapter: Adapter, course: JobPhase, *, suspended: bool) -> dict[str, Any]:
    """A merge patch that turns the switch of this version of the job and writes why."""
    turned = suspension.patch(document, adapter, suspended)
    metadata = turned.get("metadata", {})
    text = f"{course.phase} {course.since} {course.attempts}"
    annotations = {**metadata.get("annotations", {}), names.COURSE: text}
    return {**turned, "metadata": {**metadata, "annotations": annotations}}


def claims_too_much(document: Any, course: JobPhase) -> bool:
    """Whether it stands on the job that it was let in, and that holds no more."""
    return written(document).phase in LET_IN and course.phase in ("Enqueued", "Backoff")


def is_half_in(course: JobPhase, job: Job, started: int) -> bool:
    """Whether a job that waits has pods that were let in, though it is taken back already.

    Somebody has started it again before its operator had seen that it was suspended. One that was
    never let in is left alone: its pods may have been running before it was queued.
    """
    return course.phase == "Enqueued" and course.since > 0 and started > 0 and not job.suspended


def said(before: JobPhase, after: JobPhase) -> str:
    """What became of the job, to people; empty: nothing that has to be said."""
    if after.phase == "Backoff":
        return f"none of its pods was started in time, {_times(after.attempts)} in a row"
    if before.phase in LET_IN and after.phase == "Enqueued":
        return "it was suspended, and stands in line again"
    return ""


def after(course: JobPhase, job: Job, started: int, terms: Terms, now: int) -> JobPhase:
    """The course as the job is now; ``started`` of its pods are let in or have a node."""
    if job.state in ("Succeeded", "Failed"):
        ended: Phase = "Succeed" if job.state == "Succeeded" else "Failed"
        return course if course.phase == ended else JobPhase(ended, now)
    if course.phase in ENDED or (course.phase in LET_IN and job.suspended):
        return JobPhase("Enqueued", now)
    if course.phase == "Dequeued":
        return _once_let_in(course, job, started, terms, now)
    if course.phase == "Backoff" and now >= _back_at(course, terms):
        return replace(course, phase="Enqueued", since=now)
    return course


def _once_let_in(course: JobPhase, job: Job, started: int, terms: Terms, now: int) -> JobPhase:
    if job.state == "Running" or started:
        return JobPhase("Running", course.since)
    if terms.start_timeout and now - course.since >= terms.start_timeout:
        return JobPhase("Backoff", now, course.attempts + 1)
    return course


def rest(course: JobPhase, job: Job, there: int, terms: Terms, now: int) -> Pause:
    """What the ``there`` pods of the job are, if it is one that is suspended."""
    if not there or not job.suspended or course.phase in LET_IN:
        return "none"
    overdue = terms.stop_timeout and now - course.since >= terms.stop_timeout
    return "staying" if overdue else "going"


def due(course: JobPhase, terms: Terms, rest: Pause) -> int | None:
    """When the course changes though nothing happens, or None."""
    if course.phase == "Backoff":
        return _back_at(course, terms)
    if course.phase == "Dequeued" and terms.start_timeout:
        return course.since + terms.start_timeout
    if rest == "going" and terms.stop_timeout:
        return course.since + terms.stop_timeout
    return None


def placeholder(
    course: JobPhase, job: Job, adapter: Adapter, priority: int, rest: Pause
) -> Pod | None:
    """The pod that stands for the job in the line of its quota; None: it stands in no line.

    Pods of one that was suspended are on their way out, and count as given back: an operator
    deletes them. Those that one leaves are then pods like any others, and may be evicted; the job
    itself waits until they are gone. A job that gives back pod by pod holds nothing for them once
    it runs, or what one of them gave would be held for the next.
    """
    if course.phase in ENDED or course.phase == "Backoff" or job.deleting:
        return None
    is_in, whole = course.phase in LET_IN, adapter.reclaim == "suspend"
    holds = whole or course.phase != "Running"
    parts = {frozenset(each.request.items()): each.request for each in job.pods if each.count}
    return Pod(
        key=place(job.key, adapter),
        # One that was suspended stands in line as a new one.
        uid=job.uid if is_in else f"{job.uid}/{course.since}",
        created=job.created,
        quota_label=job.quota_label,
        request={} if rest != "none" else {**(job.minimum if holds else {}), names.MAX_JOBS: 1},
        priority=priority,
        preemptible=job.preemptible,
        gates=() if is_in else _GATES[rest],
        deleting=rest == "going",
        jobs=bears(job),
        holder=job.holder,
        reserves=Reservation(called(job), tuple(parts.values()), whole=whole),
    )


def place(key: Key, adapter: Adapter) -> Key:
    """Where the stand-in of that job is found; no pod has such a name."""
    return Key(key.namespace, f"{adapter.kind.lower()}.{adapter.group}/{key.name}")


def called(job: Job) -> str:
    """What people call it."""
    return f"{job.kind} {job.key}"


def bears(job: Job) -> tuple[str, ...]:
    """What its pods bear, as ``Pod.jobs`` has it."""
    return tuple(f"{label}={value}" for label, value in job.labels)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _back_at(course: JobPhase, terms: Terms) -> int:
    doubled = terms.first_backoff << min(max(course.attempts - 1, 0), 16)
    return course.since + min(doubled, LONGEST_BACKOFF)
