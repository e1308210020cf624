"""Jobs at rest: what must be true of the live objects of a pool once nothing moves any more."""

from collections.abc import Callable, Iterable
from typing import Final

from job_snapshot import JobSight, Sight
from scenes import Pool


EXACT: Final = 10
"""Places that units tell exactly; from there on they only say that it is a later one."""

LISTED: Final = 100
"""Places that the status of a queue has room for."""


def nobody_is_suspended_and_counted(now: Sight) -> Iterable[str]:
    """Each quota publishes what is let in below it, and the pods of nobody else."""
    for name in now.quotas:
        told = now.bound(name, "admitted")
        if told != now.held[name]:
            yield f"{name} says {told} admitted, and {now.held[name]} (cpus, jobs) are"


def a_job_is_in_as_a_whole_or_not_at_all(now: Sight) -> Iterable[str]:
    for job in now.jobs:
        wanted = job.size if job.admitted else 0
        if job.open != wanted:
            yield f"{job} is {'let in' if job.admitted else 'not let in'}, and {job.open} pods are"


def nobody_is_beyond_max(now: Sight) -> Iterable[str]:
    for name in now.quotas:
        if any(
            here > most for here, most in zip(now.held[name], now.bound(name, "max"), strict=True)
        ):
            yield f"{name} holds {now.held[name]} of max {now.bound(name, 'max')} (cpus, jobs)"


def nobody_waits_who_would_fit(now: Sight) -> Iterable[str]:
    for job in now.next:
        if now.fits(job, "runtime"):
            yield f"{job} waits, and fits below every runtime on its path"


def nobody_waits_while_nodes_are_idle(now: Sight) -> Iterable[str]:
    """Where nobody waits within his min or share, who may be served before."""
    for job in now.next:
        if now.fits(job, "max") and not any(_is_owed(now, each) for each in now.next):
            yield f"{job} waits, and fits on the nodes and below every max on its path"


def nobody_waits_for_a_share_that_another_holds(now: Sight) -> Iterable[str]:
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


def no_lower_job_keeps_a_higher_one_of_its_quota_waiting(now: Sight) -> Iterable[str]:
    """Unless the quota holds too much, or somebody else would take the room."""
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


def every_job_has_one_unit_that_says_how_it_is(now: Sight) -> Iterable[str]:
    for job in now.jobs:
        phase = _phase(job)
        if job.told("phase") != phase:
            yield f"{job} is {phase}, and its unit says {job.told('phase')}"
    theirs = {job.uid for job in now.jobs}
    for unit in now.units:
        (owner,) = unit["metadata"]["ownerReferences"]
        if owner["uid"] not in theirs:
            yield f"unit {unit['metadata']['name']} is that of no job"


def places_are_those_of_the_line(now: Sight) -> Iterable[str]:
    for leaf in now.leaves:
        line = now.line(leaf)
        for place, job in enumerate(line, start=1):
            told = job.told("position")
            if told != place and (place <= EXACT or told is None or told <= EXACT):
                yield f"{job} is at place {place} of {len(line)}, and its unit says {told}"
    for job in now.jobs:
        if not job.waits and job.told("position"):
            yield f"{job} does not wait, and its unit says that it is at {job.told('position')}"


def a_queue_lists_who_waits(now: Sight) -> Iterable[str]:
    for leaf in now.leaves:
        details = (now.queues[leaf].get("status") or {}).get("queueItemDetails") or {}
        told = [(each["name"], each["position"]) for each in details.get(leaf) or ()]
        line = [(job.name, place) for place, job in enumerate(now.line(leaf), start=1)]
        if told != line[:LISTED]:
            yield f"{leaf} lists {told}, and there wait {line[:LISTED]}"


LAWS: tuple[Callable[[Sight], Iterable[str]], ...] = (
    nobody_is_suspended_and_counted,
    a_job_is_in_as_a_whole_or_not_at_all,
    nobody_is_beyond_max,
    nobody_waits_who_would_fit,
    nobody_waits_while_nodes_are_idle,
    nobody_waits_for_a_share_that_another_holds,
    no_lower_job_keeps_a_higher_one_of_its_quota_waiting,
    every_job_has_one_unit_that_says_how_it_is,
    places_are_those_of_the_line,
    a_queue_lists_who_waits,
)


def faults(pool: Pool) -> list[str]:
    """Everything that is not as the laws want it; also that something still moves."""
    now = Sight(pool)
    if now.leaving:
        return [f"{len(now.leaving)} objects are on their way out"]
    return [fault for law in LAWS for fault in law(now)]


def traces(pool: Pool) -> list[str]:
    """What is left of jobs when there are none."""
    now = Sight(pool)
    return [
        *(f"{name} is there" for name in now.leaving),
        *(f"unit {unit['metadata']['name']}" for unit in now.units),
        *map(str, now.jobs),
        *nobody_is_suspended_and_counted(now),
        *a_queue_lists_who_waits(now),
    ]


def _phase(job: JobSight) -> str:
    if job.over:
        return "Failed" if job.kind == "Job" else "Succeed"
    return "Running" if job.admitted else "Enqueued"


def _is_owed(now: Sight, job: JobSight) -> bool:
    """Whether it is within the min, or the share, of its own quota."""
    return now.held[job.quota][0] + job.size <= now.bound(job.quota, "runtime")[0]
