"""A running Job asks only for the pods that its controller still makes."""

from typing import Any

import pytest

import published_jobs
from elasticquota.jobs import job
from elasticquota.jobs.kinds import table


JOB = next(each for each in table.BUILT_IN if each.kind == "Job")


def count(spec: dict[str, Any], status: dict[str, Any]) -> int:
    """The number of its pods that count; it can be read without a fault."""
    document = published_jobs.of("Job")
    document["spec"] |= spec
    document["status"] = status
    found = job.read(document, JOB)
    assert found.faults == ()
    assert found.pods[0].least == found.pods[0].count
    return found.pods[0].count


def condition(kind: str, status: str = "True") -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status}]}


INDEXED = {"parallelism": 4, "completions": 10, "completionMode": "Indexed"}


@pytest.mark.parametrize(
    ("status", "left"),
    [
        ({}, 4),
        ({"succeeded": 6, "completedIndexes": "0-5"}, 4),
        ({"succeeded": 8, "completedIndexes": "0-6,9"}, 2),
        ({"succeeded": 7, "completedIndexes": "0-6", "failedIndexes": "7"}, 2),
        ({"failedIndexes": "0,2-8"}, 2),
        ({"succeeded": 4, "completedIndexes": "0-3", "failedIndexes": "4-9"}, 0),
        # an index may succeed before the number is written
        ({"succeeded": 7, "completedIndexes": "0-8"}, 1),
    ],
)
def test_no_pod_is_made_for_an_index_that_succeeded_or_failed(
    status: dict[str, Any], left: int
) -> None:
    assert count(INDEXED, status) == left


@pytest.mark.parametrize("written", ["", "x", "3-1", "1-2-3", "-5", ["0-9"], 7, "٣"])
def test_what_is_no_index_counts_as_none(written: Any) -> None:
    assert count(INDEXED, {"failedIndexes": written}) == 4


def test_without_indexes_a_failed_pod_is_made_again() -> None:
    assert count({"parallelism": 4, "completions": 4}, {"failed": 3, "succeeded": 1}) == 3


@pytest.mark.parametrize(
    ("status", "left"),
    [
        ({}, 3),
        ({"active": 1}, 3),
        ({"active": 2, "succeeded": 1}, 2),
        ({"succeeded": 1}, 0),
        ({"active": 5, "succeeded": 1}, 3),
    ],
)
def test_without_completions_no_pod_is_made_after_the_first_success(
    status: dict[str, Any], left: int
) -> None:
    assert count({"parallelism": 3, "completions": None}, status) == left


@pytest.mark.parametrize("kind", ["SuccessCriteriaMet", "FailureTarget"])
def test_no_pod_is_made_once_it_is_decided_how_it_ends(kind: str) -> None:
    assert count(INDEXED, {"active": 4, **condition(kind)}) == 0
    assert count(INDEXED, {"active": 4, **condition(kind, "False")}) == 4


def test_a_lowered_parallelism_gives_up_pods() -> None:
    assert count({**INDEXED, "parallelism": 1}, {"active": 4}) == 1


def test_more_pods_than_any_cluster_runs_are_reported() -> None:
    document = published_jobs.of("Job")
    document["spec"] |= {"parallelism": 1_000_001, "completions": None}
    assert tuple(map(str, job.read(document, JOB).faults)) == (
        "spec.parallelism: makes 1000001 pods, more than 1000000",
    )


def test_a_status_that_makes_no_sense_is_reported() -> None:
    document = published_jobs.of("Job")
    document["status"] = {"succeeded": -1}
    assert tuple(map(str, job.read(document, JOB).faults)) == (
        "status.succeeded: must be a number of pods from 0 to 2147483647, got -1",
    )
