"""What is reported of evictions: one note for all of one cause, not one for each pod.

The quota that lost pods, the quota that needs their room, and the objects that own the pods get it.
It names the first workload for which room was made, and by what right.
"""

from collections.abc import Sequence
from typing import NamedTuple

from elasticquota.forest.wording import agreed, counted
from elasticquota.model.decision import Eviction
from elasticquota.model.reclaim_record import Right
from elasticquota.structs import Struct, field


class ReclaimCause(NamedTuple):
    """Evictions of one cause are reported together."""

    quota: str
    """That lost them."""
    owner: str
    """The quota that needs their room; empty: a limit is exceeded."""
    right: Right


class Evicted(Struct):
    """What was evicted of one cause; mutable."""

    pods: int = 0
    jobs: int = 0
    preemptors: dict[str, None] = field(default_factory=dict)
    """The workloads for which room was made, in the order of the evictions."""

    def add(self, eviction: Eviction, *, job: bool = False) -> None:
        """Count one more; ``job``: a job was suspended."""
        if job:
            self.jobs += 1
        else:
            self.pods += 1
        if eviction.preemptor:
            self.preemptors[eviction.preemptor] = None

    def extend(self, other: "Evicted") -> None:
        """Add what another value has."""
        self.pods += other.pods
        self.jobs += other.jobs
        self.preemptors |= other.preemptors


def cause(eviction: Eviction) -> ReclaimCause:
    """The cause of an eviction."""
    return ReclaimCause(eviction.quota, eviction.owner, eviction.right)


def note_of_quota(found: ReclaimCause, evicted: Evicted) -> str:
    """For the quota that lost pods, and for the one that needs their room."""
    parts = [
        f"{counted(count, noun)} of {found.quota} {agreed(count, f'were {verb}')}"
        for count, noun, verb in (
            (evicted.pods, "pod", "evicted"),
            (evicted.jobs, "job", "suspended"),
        )
        if count
    ]
    return f"{' and '.join(parts)} {_why(found, tuple(evicted.preemptors))}"


def note_of_owner(found: ReclaimCause, evicted: Evicted) -> str:
    """For the object that owns the pods."""
    count = evicted.pods
    return (
        f"{counted(count, 'pod')} {agreed(count, 'were')} evicted from quota {found.quota} "
        f"{_why(found, tuple(evicted.preemptors))}"
    )


def _why(reclaim_cause: ReclaimCause, preemptors: Sequence[str]) -> str:
    who = _listed(preemptors)
    verb = agreed(max(len(preemptors), 1), "are")
    match reclaim_cause.right:
        case "min":
            return f"for {who}, which {verb} within the guarantee of {reclaim_cause.owner}"
        case "fair share":
            return f"for {who}, which {verb} within the current share of {reclaim_cause.owner}"
        case "priority":
            return f"for {who} of the same quota, which {verb} more important"
        case "no node":
            if reclaim_cause.owner == reclaim_cause.quota:
                return f"for {who} of the same quota, because no node took them in time"
            why = "no node takes them, and they would take its room"
            return f"for {who} of {reclaim_cause.owner}: {why}"
        case "limit":
            return "because the quota held more than its max, or than the nodes of its tree"


def _listed(preemptors: Sequence[str]) -> str:
    if not preemptors:
        return "a workload"
    more = len(preemptors) - 1
    return f"{preemptors[0]} and {more} more" if more else preemptors[0]
