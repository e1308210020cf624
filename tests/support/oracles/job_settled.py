"""Jobs at rest: what must be true of the live objects of a pool once nothing changes any more."""

from collections.abc import Callable, Iterable
from typing import Final

from job_snapshot import JobState, PoolState
from scenes import Pool


EXACT: Final = 10
"""Places that units show exactly; beyond, they only say that the place is a later one."""

LISTED: Final = 100
"""Places for which the status of a queue has room."""


def no_suspended_job_is_counted(now: PoolState) -> Iterable[str]:
    """Each quota publishes as admitted exactly what the jobs below it hold."""
    for name in now.quotas:
        told = now.bound(name, "admitted")
        if told != now.held[name]:
            yield f"{name} says {told} admitted, and {now.held[name]} (cpus, jobs) are"


def a_job_is_admitted_as_a_whole_or_not_at_all(now: PoolState) -> Iterable[str]:
    for job in now.jobs:
        wanted = job.size if job.admitted else 0
        if job.open != wanted:
            state = "admitted" if job.admitted else "not admitted"
            yield f"{job} is {state}, and {job.open} pods are"


def no_quota_exceeds_its_max(now: PoolState) -> Iterable[str]:
    for name in now.quotas:
        if any(
            here > most for here, most in zip(now.held[name], now.bound(name, "max"), strict=True)
        ):
            yield f"{name} holds {now.held[name]} of max {now.bound(name, 'max')} (cpus, jobs)"


def no_job_waits_that_would_fit(now: PoolState) -> Iterable[str]:
    for job in now.next:
        if now.fits(job, "runtime"):
            yield f"{job} waits, and fits below every runtime on its path"


def no_job_waits_while_nodes_are_idle(now: PoolState) -> Iterable[str]:
    """Except where a job waits within its min or share, which goes first."""
    for job in now.next:
        if now.fits(job, "max") and not any(_is_owed(now, each) for each in now.next):
            yield f"{job} waits, and fits on the nodes and below every max on its path"


def no_job_waits_for_a_share_that_another_quota_holds(now: PoolState) -> Iterable[str]:
    for job in now.next:
        for giver in now.jobs:
            if (
                giver.admitted
                and giver.quota != job.quota
                and now.over(giver.quota) >= giver.size
                and now.held[giver.quota][0] - giver.size >= now.bound(giver.quota, "min")[0]
                and now.fits(job, "runtime", without=giver)
            ):
                yield f"{job} waits within its share for what {giver} holds too much"


def no_lower_job_blocks_a_higher_one_of_its_quota(now: PoolState) -> Iterable[str]:
    """Except where the quota holds too much, or a job of another quota would take the room."""
    for job in now.next:
        for lower in now.jobs if now.over(job.quota) <= 0 else ():
            if (
                lower.admitted
                and lower.quota == job.quota
                and now.rank(lower) < now.rank(job)
                and now.fits(job, "runtime", without=lower)
                and not any(
                    now.fits(rival, "runtime", without=lower)
                    for rival in now.next
                    if rival.quota != job.quota
                )
            ):
                yield f"{lower} runs, and the more important {job} waits"


def every_job_has_one_unit_with_its_phase(now: PoolState) -> Iterable[str]:
    for job in now.jobs:
        phase = _phase(job)
        if job.told("phase") != phase:
            yield f"{job} is {phase}, and its unit says {job.told('phase')}"
    theirs = {job.uid for job in now.jobs}
    for unit in now.units:
        (owner,) = unit["metadata"]["ownerReferences"]
        if owner["uid"] not in theirs:
            yield f"unit {unit['metadata']['name']} is that of no job"


def places_are_those_of_the_queue(now: PoolState) -> Iterable[str]:
    for leaf in now.leaves:
        line = now.line(leaf)
        for place, job in enumerate(line, start=1):
            told = job.told("position")
            if told != place and (place <= EXACT or told is None or told <= EXACT):
                yield f"{job} is at place {place} of {len(line)}, and its unit says {told}"
    for job in now.jobs:
        if not job.waits and job.told("position"):
            yield f"{job} does not wait, and its unit says that it is at {job.told('position')}"


def a_queue_lists_the_waiting_jobs(now: PoolState) -> Iterable[str]:
    for leaf in now.leaves:
        details = (now.queues[leaf].get("status") or {}).get("queueItemDetails") or {}
        told = [(each["name"], each["position"]) for each in details.get(leaf) or ()]
        line = [(job.name, place) for place, job in enumerate(now.line(leaf), start=1)]
        if told != line[:LISTED]:
            yield f"{leaf} lists {told}, and there wait {line[:LISTED]}"


LAWS: tuple[Callable[[PoolState], Iterable[str]], ...] = (
    no_suspended_job_is_counted,
    a_job_is_admitted_as_a_whole_or_not_at_all,
    no_quota_exceeds_its_max,
    no_job_waits_that_would_fit,
    no_job_waits_while_nodes_are_idle,
    no_job_waits_for_a_share_that_another_quota_holds,
    no_lower_job_blocks_a_higher_one_of_its_quota,
    every_job_has_one_unit_with_its_phase,
    places_are_those_of_the_queue,
    a_queue_lists_the_waiting_jobs,
)


def faults(pool: Pool) -> list[str]:
    """All violations of the laws; also whether something still changes."""
    now = PoolState(pool)
    if now.leaving:
        return [f"{len(now.leaving)} objects are on their way out"]
    return [fault for law in LAWS for fault in law(now)]


def traces(pool: Pool) -> list[str]:
    """What is left of jobs when none should exist."""
    now = PoolState(pool)
    return [
        *(f"{name} is there" for name in now.leaving),
        *(f"unit {unit['metadata']['name']}" for unit in now.units),
        *map(str, now.jobs),
        *no_suspended_job_is_counted(now),
        *a_queue_lists_the_waiting_jobs(now),
    ]


def _phase(job: JobState) -> str:
    if job.over:
        return "Failed" if job.kind == "Job" else "Succeed"
    return "Running" if job.admitted else "Enqueued"


def _is_owed(now: PoolState, job: JobState) -> bool:
    """Whether it is within the runtime of its own quota."""
    return now.held[job.quota][0] + job.size <= now.bound(job.quota, "runtime")[0]
