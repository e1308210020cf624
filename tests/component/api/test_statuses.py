"""What the controller writes is what the models have: the API server would drop anything else."""

from typing import Any

import pytest

from elasticquota.jobs import job, queue_units
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase
from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import HourTotals, ReclaimHistory, ReclaimRecord
from elasticquota.model.resource_hours import ResourceHours, Totals
from elasticquota.model.wait_estimate import PositionRange, Turnover, WaitEstimate
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.quota import metered, reclaim_records, statuses, wait_estimates
from elasticquota_api import elastic_quota_status, profile, queue, queue_unit
from elasticquota_api.model import Model


NOW = "2026-01-01T00:00:00Z"
DAY = 86_400_000
ACCEPTED = Condition("Accepted", True, "Accepted", "guaranteed 4 cpu")
CPU = {"cpu": 4000, "nvidia.com/gpu": 2, "a100.pool.elasticquota.dev/nvidia.com_gpu": 1}
QUOTA = QuotaStatus(
    key=Key("team", "team-a"),
    generation=3,
    tree="cpu-root",
    parent="dept",
    used=CPU,
    request=CPU,
    runtime=CPU,
    admitted=CPU,
    min={"cpu": 1000},
    max=CPU,
    weight=CPU,
    pods_admitted=6,
    pods_gated=1,
    conditions=(ACCEPTED, Condition("Ready", False, "Waits", "waits")),
    history=ReclaimHistory(
        (ReclaimRecord(DAY, DAY, "a", "b", "pod team-a/x", "fair share", 2, CPU),),
        (HourTotals(DAY, 1, 2),),
    ),
    turnover=Turnover(DAY, 2 * DAY, 1, 2, CPU, CPU, 4, 5),
    resource_hours=ResourceHours(1, 2, CPU, CPU, Totals(CPU, CPU)),
    wait_estimate=WaitEstimate(
        DAY, "3 pods", (PositionRange(1, 60, 90), PositionRange(2, 60, None))
    ),
)
PROFILE = ProfileStatus(
    key=Key("a", "gpu"),
    generation=1,
    tree_id="t",
    nodes=3,
    conditions=(ACCEPTED,),
    mode="Elastic",
    total=CPU,
    present=CPU,
)


def dated(status: dict[str, Any]) -> dict[str, Any]:
    """With what the writer of the status adds."""
    for condition in status["conditions"]:
        condition["lastTransitionTime"] = NOW
    return status


def place() -> dict[str, Any]:
    """The status of a queue with a job."""
    return job_queues.status("line", [job_queues.JobPosition(Key("a", "b"), 5, 1)])


@pytest.mark.parametrize(
    ("model", "status"),
    [
        (queue_unit.QueueUnitStatus, queue_units.status(JobPhase("Backoff", 1), "a", 2, {}, NOW)),
        (elastic_quota_status.QuotaStatus, dated(statuses.quota_status(QUOTA))),
        (profile.ProfileStatus, dated(statuses.profile_status(PROFILE))),
        (queue.QueueStatus, place()),
    ],
)
def test_a_status_has_all_that_is_written(model: type[Model], status: dict[str, Any]) -> None:
    read = model.model_validate(status)
    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == status


def test_the_status_of_a_quota_has_no_field_that_is_never_written() -> None:
    written = statuses.quota_status(QUOTA)
    for name, field in elastic_quota_status.QuotaStatus.model_fields.items():
        assert field.alias in written, name
    summary = elastic_quota_status.Summary.model_fields
    assert written["summary"].keys() | {"reason"} == summary.keys()


def test_what_is_kept_of_an_edited_status_may_be_written_again() -> None:
    """The API server refuses a whole status for one text that is too long."""
    long = "a" * 5000
    record = {"time": NOW, "evictedFrom": long, "workload": long, "right": "Limit", "pods": 1}
    edited: dict[str, Any] = {
        "history": [record] * 30,
        "hours": [{"hour": NOW, "evicted": 1, "reclaimed": 1}] * 30,
        "metering": {
            "since": NOW,
            "observedTime": NOW,
            "borrowedSeconds": {"cpu": "9" * 36, "memory": "9" * 41},
        },
        "waitEstimate": {
            "observedTime": NOW,
            "message": long,
            "positions": [{"position": each, "lowSeconds": each} for each in range(1, 40)],
        },
    }
    hours, estimate = metered.read(edited), wait_estimates.read_estimate(edited)
    assert hours is not None
    assert estimate is not None
    written = {
        **reclaim_records.history(reclaim_records.read_history(edited)),
        "metering": metered.document(hours),
        "waitEstimate": wait_estimates.estimate(estimate),
    }
    read = elastic_quota_status.QuotaStatus.model_validate(written)
    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == written


def test_a_unit_has_all_that_is_written() -> None:
    adapter = next(each for each in table.BUILT_IN if each.kind == "Job")
    container = {"name": "c", "resources": {"requests": {"cpu": "500m"}}}
    template = {"spec": {"containers": [container], "priorityClassName": "high"}}
    document: Any = {
        "metadata": {"namespace": "teams", "name": "train", "uid": "u-1"},
        "spec": {"parallelism": 2, "template": template},
    }
    written = queue_units.manifest(job.read(document, adapter), "batch/v1", "root-video", 9)
    assert queue_unit.QueueUnit.read(written).manifest() == written


def test_a_queue_has_all_that_is_written() -> None:
    written = job_queues.manifest(Key("a", "b"), "Priority", {"c": "d"})
    assert queue.Queue.read(written).manifest() == written
