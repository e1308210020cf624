"""What quotas and owners learn about evictions: how many, for which workload, by what right."""

import pytest

from elasticquota.model.decision import Eviction
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import Right
from elasticquota.reporting import reclaims
from elasticquota.reporting.reclaims import Evicted, ReclaimCause


def evicted(pods: int = 0, jobs: int = 0, preemptors: int = 1) -> Evicted:
    found = Evicted()
    for number in range(pods + jobs):
        preemptor = f"pod team-a/x-{number % preemptors}" if preemptors else ""
        eviction = Eviction(
            Key("team-b", f"y-{number}"), f"uid-{number}", "team-b", {}, "", preemptor=preemptor
        )
        found.add(eviction, job=number >= pods)
    return found


def test_one_note_for_all_pods_names_the_pod_that_needs_their_room_and_its_right() -> None:
    cause = ReclaimCause("team-b", "team-a", "min")
    assert reclaims.note_of_quota(cause, evicted(12)) == (
        "12 pods of team-b were evicted for pod team-a/x-0, which is within the guarantee of team-a"
    )
    assert reclaims.note_of_quota(cause, evicted(12, preemptors=4)) == (
        "12 pods of team-b were evicted for pod team-a/x-0 and 3 more, which are within the "
        "guarantee of team-a"
    )
    assert reclaims.note_of_quota(cause, evicted(1)).startswith("1 pod of team-b was evicted for ")


@pytest.mark.parametrize(
    ("right", "owner", "why"),
    [
        ("min", "team-a", "for pod team-a/x-0, which is within the guarantee of team-a"),
        (
            "fair share",
            "team-a",
            "for pod team-a/x-0, which is within the current share of team-a",
        ),
        ("priority", "team-b", "for pod team-a/x-0 of the same quota, which is more important"),
        (
            "no node",
            "team-b",
            "for pod team-a/x-0 of the same quota, because no node took them in time",
        ),
        (
            "no node",
            "team-a",
            "for pod team-a/x-0 of team-a: no node takes them, and they would take its room",
        ),
        ("limit", "", "because the quota held more than its max, or than the nodes of its tree"),
    ],
)
def test_each_right_is_named(right: Right, owner: str, why: str) -> None:
    cause = ReclaimCause("team-b", owner, right)
    found = evicted(2, preemptors=1 if owner else 0)
    assert reclaims.note_of_quota(cause, found) == f"2 pods of team-b were evicted {why}"
    assert reclaims.note_of_owner(cause, found) == (f"2 pods were evicted from quota team-b {why}")


def test_jobs_are_suspended_and_their_pods_evicted() -> None:
    cause = ReclaimCause("team-b", "team-a", "min")
    assert reclaims.note_of_quota(cause, evicted(jobs=1)).startswith(
        "1 job of team-b was suspended for pod team-a/x-0"
    )
    assert reclaims.note_of_quota(cause, evicted(2, 2)).startswith(
        "2 pods of team-b were evicted and 2 jobs of team-b were suspended for pod team-a/x-0"
    )


def test_what_was_evicted_of_several_owners_of_one_object_adds_up() -> None:
    found = evicted(2)
    found.extend(evicted(1, jobs=1, preemptors=2))
    assert (found.pods, found.jobs) == (3, 1)
    assert list(found.preemptors) == ["pod team-a/x-0", "pod team-a/x-1"]
