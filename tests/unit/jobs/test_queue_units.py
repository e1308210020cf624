"""What people see of a job in line."""

from typing import Any

from elasticquota import texts
from elasticquota.jobs import job, queue_units
from elasticquota.jobs.job import Job
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase


def of(name: str = "train") -> Job:
    adapter = next(each for each in table.BUILT_IN if each.kind == "Job")
    container = {"name": "c", "resources": {"requests": {"cpu": "500m"}}}
    document: Any = {
        "metadata": {"namespace": "teams", "name": name, "uid": "u-1"},
        "spec": {
            "parallelism": 2,
            "template": {"spec": {"containers": [container], "priorityClassName": "high"}},
        },
    }
    return job.read(document, adapter)


def test_a_unit_says_whose_it_is_and_what_the_job_asks_for() -> None:
    made = queue_units.manifest(of(), "batch/v1", "root-video", 9)
    assert made["metadata"] == {
        "name": "train-job-qu",
        "namespace": "teams",
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u-1"}
        ],
    }
    assert made["spec"] == {
        "consumerRef": {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": "train",
            "namespace": "teams",
        },
        "queue": "root-video",
        "priority": 9,
        "priorityClassName": "high",
        "resource": {"cpu": "1", "pods": "2"},
        "podSets": [{"name": "main", "count": 2, "resource": {"cpu": "500m", "pods": "1"}}],
    }
    assert queue_units.priority(made) == 9


def test_a_priority_that_is_none_is_none() -> None:
    shapes: list[Any] = [None, {}, {"spec": None}, {"spec": {"priority": "9"}}, {"spec": {}}]
    for stored in shapes:
        assert queue_units.priority(stored) is None


def test_names_are_as_long_as_names_may_be_and_differ() -> None:
    long = {queue_units.place(of("n" * 250 + end)).name for end in ("a", "b")}
    assert {len(name) for name in long} == {253}
    assert len(long) == 2


def test_the_time_of_a_phase_is_when_it_came() -> None:
    before = {"phase": "Enqueued", "lastUpdateTime": "T1"}
    assert queue_units.status(JobPhase(), "why", 3, before, "T2") == {
        "phase": "Enqueued",
        "message": "why",
        "attempts": 0,
        "lastUpdateTime": "T1",
        "position": 3,
    }
    assert queue_units.status(JobPhase("Running", 5), "", 0, before, "T2")["lastUpdateTime"] == "T2"


def test_q18_a_pause_has_the_name_that_kube_queue_gives_it() -> None:
    before = {"phase": "TimeoutBackoff", "lastUpdateTime": "T1"}
    made = queue_units.status(JobPhase("Backoff", 5, 2), "why", 0, before, "T2")
    assert (made["phase"], made["attempts"], made["lastUpdateTime"]) == ("TimeoutBackoff", 2, "T1")


def test_the_message_of_a_unit_is_printable_and_cut() -> None:
    """It may quote texts of users."""
    made = queue_units.status(JobPhase(), "\u202e" + "K" * 200_000 + " [ExceedsMax]", 1, {}, "T1")
    assert made["message"].isprintable()
    assert made["message"].endswith("K [ExceedsMax]")
    assert len(made["message"]) <= texts.LONGEST
