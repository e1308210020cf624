"""The phase of a job in the queue of its quota (Q18).

``Enqueued`` until the job is admitted, then ``Dequeued``, then ``Running`` once its own status says
so. ``Backoff`` when none of its pods started in time; each back-off is twice as long as the one
before. ``Succeed`` or ``Failed`` at its end. A job that is suspended again, by any user, is
``Enqueued`` again.

What must survive a restart is written to an annotation of the job, in the same patch that sets its
switch. A policy allows only the controller to write it. So a job that a user has started is not
admitted by that, and its pods wait with it behind the gate.
"""

import re
from typing import Any, Final, Literal, cast

from elasticquota import names
from elasticquota.jobs import paths, suspension
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.job import Job
from elasticquota.model.claims import ClaimingJob, ClaimingSet
from elasticquota.model.key import Key
from elasticquota.model.workload import PODS_LEFT, JobName, QueuedJob
from elasticquota.structs import Struct, fields_of, replace


Phase = Literal["Enqueued", "Dequeued", "Running", "Succeed", "Failed", "Backoff"]

ADMITTED: Final = frozenset[Phase]({"Dequeued", "Running"})
ENDED: Final = frozenset[Phase]({"Succeed", "Failed"})
LONGEST_BACKOFF: Final = 3_600_000
"""Milliseconds."""

PodsLeft = Literal["none", "going", "staying"]
"""Pods that a suspended job still has: being deleted (going), or not deleted in time (staying)."""

_GATES: Final[dict[PodsLeft, tuple[str, ...]]] = {
    "none": (names.GATE,),
    "going": (),
    "staying": (names.GATE, PODS_LEFT),
}

_TEXT: Final = re.compile(r"(Enqueued|Dequeued|Backoff) ([0-9]{1,15}) ([0-9]{1,4})", re.ASCII)


class JobPhase(Struct, frozen=True):
    """A phase with its start time; times are epoch milliseconds."""

    phase: Phase = "Enqueued"
    since: int = 0
    attempts: int = 0
    """How often in a row its pods did not start in time."""


class Terms(Struct, frozen=True):
    """Configured timeouts in milliseconds; a timeout of 0 means never."""

    start_timeout: int = 300_000
    first_backoff: int = 60_000
    stop_timeout: int = 60_000


USUAL: Final = Terms()


def stored(document: Any) -> JobPhase:
    """The phase that the annotation of the job holds; ``JobPhase()`` when it holds none."""
    found = _TEXT.fullmatch(paths.text(document, "metadata.annotations", names.JOB_PHASE))
    if found is None:
        return JobPhase()
    phase, since, attempts = found.groups()
    return JobPhase(cast("Phase", phase), int(since), int(attempts))


def patch(
    document: Any, adapter: JobAdapter, current: JobPhase, *, suspended: bool
) -> dict[str, Any]:
    """A merge patch that sets the switch of this version of the job and writes its phase."""
    turned = suspension.patch(document, adapter, suspended)
    metadata = turned.get("metadata", {})
    text = f"{current.phase} {current.since} {current.attempts}"
    annotations = {**metadata.get("annotations", {}), names.JOB_PHASE: text}
    return {**turned, "metadata": {**metadata, "annotations": annotations}}


def claims_too_much(document: Any, current: JobPhase) -> bool:
    """Whether the annotation still says that the job is admitted, although it no longer is."""
    return current.phase in ("Enqueued", "Backoff") and stored(document).phase in ADMITTED


def is_half_admitted(current: JobPhase, job: Job, started: int) -> bool:
    """Whether a waiting job has pods that were admitted before the job was reclaimed.

    A user started it again before its operator saw that it was suspended. A job that was never
    admitted is left alone: its pods may have been running before it was queued.
    """
    return current.phase == "Enqueued" and current.since > 0 and started > 0 and not job.suspended


def message(before: JobPhase, after: JobPhase) -> str:
    """A message about the change of phase; empty: nothing to report."""
    if after.phase == "Backoff":
        return f"none of its pods was started in time, {_times(after.attempts)} in a row"
    if before.phase in ADMITTED and after.phase == "Enqueued":
        return "it was suspended, and stands in line again"
    return ""


def after(current: JobPhase, job: Job, started: int, terms: Terms, now: int) -> JobPhase:
    """The next phase of the job; ``started`` of its pods are admitted or have a node."""
    if job.state in ("Succeeded", "Failed"):
        ended: Phase = "Succeed" if job.state == "Succeeded" else "Failed"
        return current if current.phase == ended else JobPhase(ended, now)
    if current.phase in ENDED or (current.phase in ADMITTED and job.suspended):
        return JobPhase("Enqueued", now)
    if current.phase == "Dequeued":
        return _after_start(current, job, started, terms, now)
    if current.phase == "Backoff" and now >= _back_at(current, terms):
        return replace(current, phase="Enqueued", since=now)
    return current


def _after_start(current: JobPhase, job: Job, started: int, terms: Terms, now: int) -> JobPhase:
    if job.state == "Running" or started:
        return JobPhase("Running", current.since)
    if terms.start_timeout and now - current.since >= terms.start_timeout:
        return JobPhase("Backoff", now, current.attempts + 1)
    return current


def pods_left(current: JobPhase, job: Job, there: int, terms: Terms, now: int) -> PodsLeft:
    """The state of the ``there`` pods that a suspended job still has; "none" for other jobs."""
    if not there or not job.suspended or current.phase in ADMITTED:
        return "none"
    overdue = terms.stop_timeout and now - current.since >= terms.stop_timeout
    return "staying" if overdue else "going"


def due(current: JobPhase, terms: Terms, pods_left: PodsLeft) -> int | None:
    """When the phase changes without any event, in epoch milliseconds; None: it does not."""
    if current.phase == "Backoff":
        return _back_at(current, terms)
    if current.phase == "Dequeued" and terms.start_timeout:
        return current.since + terms.start_timeout
    if pods_left == "going" and terms.stop_timeout:
        return current.since + terms.stop_timeout
    return None


def queued(
    current: JobPhase, job: Job, adapter: JobAdapter, priority: int, pods_left: PodsLeft
) -> QueuedJob | None:
    """The job as its quota counts it; None: it does not count.

    The pods of a suspended job are being deleted by its operator and count as released. Pods that
    the operator leaves running are ordinary pods and may be evicted; the job waits until they are
    gone. A job that is reclaimed pod by pod holds no reservation once it runs. Otherwise what one
    of its pods released would be held for the next.
    """
    if current.phase in ENDED or current.phase == "Backoff" or job.deleting:
        return None
    is_admitted, whole = current.phase in ADMITTED, adapter.reclaim == "suspend"
    holds = whole or current.phase != "Running"
    reserved = {**(job.minimum if holds else {}), names.MAX_JOBS: 1}
    parts = {frozenset(each.request.items()): each.request for each in job.pods if each.count}
    queued_job = QueuedJob(
        key=ledger_key(job.key, adapter),
        # A job that was suspended re-enters the queue as a new one.
        uid=job.uid if is_admitted else f"{job.uid}/{current.since}",
        created=job.created,
        name=JobName(job.kind, job.key),
        quota_label=job.quota_label,
        request={} if pods_left != "none" else reserved,
        parts=tuple(parts.values()),
        whole=whole,
        priority=priority,
        preemptible=job.preemptible,
        gates=() if is_admitted else _GATES[pods_left],
        deleting=pods_left == "going",
        labels=pod_labels(job),
        holder=job.holder,
        constraints=job.constraints,
    )
    return _with_claims(queued_job, job, holds=holds and pods_left == "none")


def _with_claims(found: QueuedJob, job: Job, *, holds: bool) -> QueuedJob:
    """The job with what its templates claim, for the pods for which it ``holds`` room."""
    if not any(each.count and each.template.claims for each in job.pods):
        return found
    sets = tuple(
        ClaimingSet(each.where, each.least if holds else 0, each.request, each.template.claims)
        for each in job.pods
        if each.count
    )
    return ClaimingJob(**fields_of(QueuedJob, found), sets=sets)


def ledger_key(key: Key, adapter: JobAdapter) -> Key:
    """The key of the job in the ledger; no pod can have such a name."""
    return Key(key.namespace, f"{adapter.kind.lower()}.{adapter.group}/{key.name}")


def title(job: Job) -> str:
    """The name of the job in messages."""
    return str(JobName(job.kind, job.key))


def pod_labels(job: Job) -> tuple[str, ...]:
    """The labels of its pods as ``label=value``, as in ``Pod.jobs``."""
    return tuple(f"{label}={value}" for label, value in job.labels)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def backoff(attempt: int, first: int) -> int:
    """Milliseconds out of the queue after this attempt in a row, from 1; ``first`` doubles."""
    return min(first << min(max(attempt - 1, 0), 16), LONGEST_BACKOFF)


def _back_at(current: JobPhase, terms: Terms) -> int:
    return current.since + backoff(current.attempts, terms.first_backoff)
