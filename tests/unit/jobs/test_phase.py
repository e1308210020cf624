"""How far a job has come, and what stands for it meanwhile."""

from typing import Any

import pytest

import published_jobs
from elasticquota import names
from elasticquota.jobs import job
from elasticquota.jobs import phase as jobs_phase
from elasticquota.jobs.adapter import JobPodSet
from elasticquota.jobs.job import Job
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase, Terms
from elasticquota.model.claims import ClaimingJob, ClaimingSet, ClaimReference
from elasticquota.model.constraints import Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.workload import PODS_LEFT
from elasticquota.structs import replace
from elasticquota.wire.kubernetes.pod_templates import PodTemplate


TERMS = Terms(start_timeout=1000, first_backoff=500, stop_timeout=300)
ADAPTER = next(each for each in table.BUILT_IN if each.kind == "Job")


def of(**fields: Any) -> Job:
    """A suspended Job of two pods of one cpu."""
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    document = {
        "metadata": {"namespace": "teams", "name": "train", "uid": "u"},
        "spec": {
            "suspend": True,
            "parallelism": 2,
            "template": {"spec": {"containers": [container]}},
        },
    }
    return replace(job.read(document, ADAPTER), **fields)


WAITS, STARTED, RUNS = of(), of(suspended=False), of(suspended=False, state="Running")
DONE, FAILED = of(state="Succeeded", suspended=False), of(state="Failed", suspended=False)


@pytest.mark.parametrize(
    ("before", "seen", "pods", "now", "after"),
    [
        pytest.param(JobPhase(), WAITS, 0, 9, JobPhase(), id="waits"),
        pytest.param(JobPhase(), STARTED, 2, 9, JobPhase(), id="started by others is not admitted"),
        pytest.param(
            JobPhase("Dequeued", 5), STARTED, 0, 1004, JobPhase("Dequeued", 5), id="no pod yet"
        ),
        pytest.param(JobPhase("Dequeued", 5), STARTED, 1, 9, JobPhase("Running", 5), id="a pod"),
        pytest.param(JobPhase("Dequeued", 5, 3), RUNS, 0, 9, JobPhase("Running", 5), id="says so"),
        pytest.param(
            JobPhase("Dequeued", 5),
            STARTED,
            0,
            1005,
            JobPhase("Backoff", 1005, 1),
            id="no pod in time",
        ),
        pytest.param(
            JobPhase("Dequeued", 5, 1),
            STARTED,
            0,
            1005,
            JobPhase("Backoff", 1005, 2),
            id="once more",
        ),
        pytest.param(JobPhase("Running", 5), RUNS, 0, 9999, JobPhase("Running", 5), id="goes on"),
        pytest.param(JobPhase("Running", 5), WAITS, 2, 9, JobPhase("Enqueued", 9), id="suspended"),
        pytest.param(
            JobPhase("Backoff", 5, 1), WAITS, 0, 504, JobPhase("Backoff", 5, 1), id="pauses"
        ),
        pytest.param(
            JobPhase("Backoff", 5, 1), WAITS, 0, 505, JobPhase("Enqueued", 505, 1), id="comes back"
        ),
        pytest.param(
            JobPhase("Backoff", 5, 2), WAITS, 0, 1004, JobPhase("Backoff", 5, 2), id="twice as long"
        ),
        pytest.param(
            JobPhase("Backoff", 5, 99),
            WAITS,
            0,
            3_600_005,
            JobPhase("Enqueued", 3_600_005, 99),
            id="1h",
        ),
        pytest.param(JobPhase("Running", 5), DONE, 0, 9, JobPhase("Succeed", 9), id="done"),
        pytest.param(JobPhase("Enqueued"), FAILED, 0, 9, JobPhase("Failed", 9), id="failed"),
        pytest.param(JobPhase("Succeed", 5), DONE, 0, 9, JobPhase("Succeed", 5), id="stays done"),
        pytest.param(JobPhase("Failed", 5), WAITS, 0, 9, JobPhase("Enqueued", 9), id="made anew"),
    ],
)
def test_the_course_of_a_job(
    before: JobPhase, seen: Job, pods: int, now: int, after: JobPhase
) -> None:
    assert jobs_phase.after(before, seen, pods, TERMS, now) == after


@pytest.mark.parametrize(
    ("found", "seen", "pods", "is_half_admitted"),
    [
        pytest.param(JobPhase("Enqueued", 5), STARTED, 1, True, id="started before they had gone"),
        pytest.param(JobPhase("Enqueued", 5), STARTED, 0, False, id="none was admitted"),
        pytest.param(JobPhase("Enqueued", 5), WAITS, 1, False, id="its operator takes them away"),
        pytest.param(JobPhase("Running", 5), STARTED, 1, False, id="let in"),
        pytest.param(JobPhase(), STARTED, 1, False, id="ran before it was queued"),
    ],
)
def test_a_job_that_waits_is_half_in_when_pods_of_its_last_turn_are_left(
    found: JobPhase, seen: Job, pods: int, is_half_admitted: bool
) -> None:
    assert jobs_phase.is_half_admitted(found, seen, pods) == is_half_admitted


def test_without_a_timeout_no_job_is_hurried() -> None:
    lasting = JobPhase("Dequeued", 5)
    assert jobs_phase.after(lasting, STARTED, 0, Terms(start_timeout=0), 10**12) == lasting
    assert jobs_phase.due(lasting, Terms(start_timeout=0), "none") is None


@pytest.mark.parametrize("found", [JobPhase("Dequeued", 5, 2), JobPhase("Backoff", 7), JobPhase()])
def test_what_is_written_on_a_job_reads_back(found: JobPhase) -> None:
    patch = jobs_phase.patch({"spec": {}}, ADAPTER, found, suspended=True)
    assert jobs_phase.stored(patch) == found
    assert patch["spec"] == {"suspend": True}


@pytest.mark.parametrize(
    "text", ["", "Running 5 0", "Dequeued", "Dequeued 5 -1", "Dequeued 5 0 ", 7]
)
def test_what_no_replica_would_have_written_is_the_beginning(text: object) -> None:
    document = {"metadata": {"annotations": {names.JOB_PHASE: text}}}
    assert jobs_phase.stored(document) == JobPhase()
    assert jobs_phase.stored({"metadata": {"annotations": text}}) == JobPhase()


def test_a_job_that_waits_stands_in_line_with_all_of_it() -> None:
    found = jobs_phase.queued(JobPhase(), WAITS, ADAPTER, 7, pods_left="none")
    assert found is not None
    assert (found.key.name, found.gates, found.priority) == ("job.batch/train", (names.GATE,), 7)
    assert found.request == {"cpu": 2000, "pods": 2, names.MAX_JOBS: 1}
    assert found.labels == ("batch.kubernetes.io/job-name=train",)


def test_a_job_is_limited_as_whose_its_template_says_it_is() -> None:
    ann = Holder("ann", ("dev",), "a-1")
    found = jobs_phase.queued(JobPhase(), of(holder=ann), ADAPTER, 0, pods_left="none")
    assert found is not None
    assert found.holder == ann


@pytest.mark.parametrize("phase", ["Backoff", "Succeed", "Failed"])
def test_a_job_that_pauses_or_has_ended_stands_in_no_line(phase: Any) -> None:
    assert jobs_phase.queued(JobPhase(phase, 5), WAITS, ADAPTER, 0, pods_left="none") is None


def test_a_job_that_is_reclaimed_pod_by_pod_holds_nothing_for_them_once_it_runs() -> None:
    by_pods = replace(ADAPTER, reclaim="pods")
    for past, held in ((JobPhase("Dequeued", 5), 2000), (JobPhase("Running", 5), 0)):
        found = jobs_phase.queued(past, RUNS, by_pods, 0, "none")
        assert found is not None
        assert found.request.get("cpu", 0) == held
        assert found.request[names.MAX_JOBS] == 1


def test_pods_of_a_suspended_job_are_on_their_way_out_and_hold_what_they_hold() -> None:
    found = jobs_phase.queued(JobPhase("Enqueued", 9), WAITS, ADAPTER, 0, pods_left="going")
    assert found is not None
    assert (found.deleting, found.gates, found.request) == (True, (), {})


def test_pods_that_its_operator_does_not_delete_are_not_on_their_way_out_without_end() -> None:
    suspended = JobPhase("Enqueued", 1000)
    assert jobs_phase.pods_left(suspended, WAITS, 2, TERMS, 1299) == "going"
    assert jobs_phase.due(suspended, TERMS, "going") == 1300
    assert jobs_phase.pods_left(suspended, WAITS, 2, TERMS, 1300) == "staying"
    assert jobs_phase.due(suspended, TERMS, "staying") is None
    assert jobs_phase.pods_left(suspended, WAITS, 2, Terms(stop_timeout=0), 10**12) == "going"
    assert jobs_phase.pods_left(suspended, WAITS, 0, TERMS, 1300) == "none"
    assert jobs_phase.pods_left(suspended, STARTED, 2, TERMS, 1300) == "none"
    assert jobs_phase.pods_left(JobPhase("Dequeued", 1000), WAITS, 2, TERMS, 1300) == "none"


def test_while_they_stay_the_job_waits_and_asks_for_nothing() -> None:
    found = jobs_phase.queued(JobPhase("Enqueued", 9), WAITS, ADAPTER, 0, pods_left="staying")
    assert found is not None
    assert (found.deleting, found.request) == (False, {})
    assert found.gates == (names.GATE, PODS_LEFT)


def test_one_that_stands_in_line_again_is_another() -> None:
    """So nothing that was asked for the former one counts for it."""
    uids = {
        found.uid
        for past in (JobPhase("Enqueued", 0), JobPhase("Dequeued", 5), JobPhase("Enqueued", 9))
        if (found := jobs_phase.queued(past, WAITS, ADAPTER, 0, pods_left="none"))
    }
    assert len(uids) == 3


@pytest.mark.parametrize("kind", [each.kind for each in table.BUILT_IN])
def test_every_kind_asks_for_something_that_its_pods_can_draw_on(kind: str) -> None:
    adapter = next(each for each in table.BUILT_IN if each.kind == kind)
    found = jobs_phase.queued(
        JobPhase(), job.read(published_jobs.of(kind), adapter), adapter, 0, pods_left="none"
    )
    assert found is not None
    assert found.parts
    assert found.request["pods"] > 0


@pytest.mark.parametrize(
    ("phase", "reserved"), [(JobPhase(), (2, 1)), (JobPhase("Running"), (2, 1))]
)
def test_what_its_templates_claim_counts_for_the_pods_that_it_reserves(
    phase: JobPhase, reserved: tuple[int, ...]
) -> None:
    gpu = ClaimReference("gpu", template="one")
    sets = (
        JobPodSet("a", "spec.a", 2, 2, PodTemplate({"cpu": 1000}, claims=(gpu,))),
        JobPodSet("b", "spec.b", 3, 1, PodTemplate({"cpu": 500})),
    )
    found = jobs_phase.queued(phase, of(pods=sets), ADAPTER, 0, pods_left="none")
    assert isinstance(found, ClaimingJob)
    assert tuple(each.number for each in found.sets) == reserved
    assert found.sets[0] == ClaimingSet("spec.a", 2, {"cpu": 1000}, (gpu,))


def test_the_claims_of_a_template_are_read_by_claim_and_by_template() -> None:
    claims = [
        {"name": "a", "resourceClaimName": "shared"},
        {"name": "b", "resourceClaimTemplateName": "one"},
        {"name": "neither"},
    ]
    document = {"spec": {"parallelism": 1, "template": {"spec": {"resourceClaims": claims}}}}
    found = job.read(document, ADAPTER)
    assert found.pods[0].template.claims == (
        ClaimReference("a", claim="shared"),
        ClaimReference("b", template="one"),
    )
    assert found.faults == ()


def test_claims_of_another_shape_are_a_fault_with_their_path() -> None:
    document = {"spec": {"parallelism": 1, "template": {"spec": {"resourceClaims": [7]}}}}
    (fault,) = map(str, job.read(document, ADAPTER).faults)
    assert fault == "spec.template.spec.resourceClaims[0]: expected object, got int"


def test_a_job_that_is_reclaimed_pod_by_pod_reserves_no_devices_once_it_runs() -> None:
    gpu = ClaimReference("gpu", template="one")
    sets = (JobPodSet("a", "spec.a", 2, 2, PodTemplate({"cpu": 1000}, claims=(gpu,))),)
    by_pods = replace(ADAPTER, reclaim="pods")
    found = jobs_phase.queued(JobPhase("Running"), of(pods=sets), by_pods, 0, pods_left="none")
    assert isinstance(found, ClaimingJob)
    assert [each.number for each in found.sets] == [0]


def test_what_its_templates_demand_of_nodes_counts_while_it_waits() -> None:
    where = Constraints((("gpu", "t4"),))
    found = jobs_phase.queued(JobPhase(), of(constraints=where), ADAPTER, 0, pods_left="none")
    assert found is not None
    assert found.constraints == where
