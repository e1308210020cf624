"""How far a job has come, and what stands for it meanwhile."""

from typing import Any, cast

import pytest

import published_jobs
from elasticquota import names
from elasticquota.jobs import job
from elasticquota.jobs import phase as jobs_phase
from elasticquota.jobs.adapter import JobAdapter, JobPodSet
from elasticquota.jobs.job import Job
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase, Phase, Terms
from elasticquota.model.claims import ClaimingJob, ClaimingSet, ClaimReference
from elasticquota.model.constraints import Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.workload import PODS_LEFT, QueuedJob
from elasticquota.structs import replace
from elasticquota.wire.kubernetes.pod_templates import PodTemplate


TERMS = Terms(start_timeout=1000, first_backoff=500, stop_timeout=300)
ADAPTER = next(each for each in table.BUILT_IN if each.kind == "Job")
BY_PODS = replace(ADAPTER, reclaim="pods")


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


FIRST = JobPhase()
WAITS, STARTED, RUNS = of(), of(suspended=False), of(suspended=False, state="Running")
DONE, FAILED = of(state="Succeeded", suspended=False), of(state="Failed", suspended=False)


def phase(text: str) -> JobPhase:
    """``Backoff 5 1``: since 5, after one attempt."""
    name, *numbers = text.split()
    return JobPhase(cast("Phase", name), *map(int, numbers))


COURSE: list[tuple[Any, ...]] = [
    ("waits", "Enqueued", WAITS, 0, 9, "Enqueued"),
    ("started by others is not admitted", "Enqueued", STARTED, 2, 9, "Enqueued"),
    ("no pod yet", "Dequeued 5", STARTED, 0, 1004, "Dequeued 5"),
    ("a pod", "Dequeued 5", STARTED, 1, 9, "Running 5"),
    ("says so", "Dequeued 5 3", RUNS, 0, 9, "Running 5"),
    ("no pod in time", "Dequeued 5", STARTED, 0, 1005, "Backoff 1005 1"),
    ("once more", "Dequeued 5 1", STARTED, 0, 1005, "Backoff 1005 2"),
    ("goes on", "Running 5", RUNS, 0, 9999, "Running 5"),
    ("suspended", "Running 5", WAITS, 2, 9, "Enqueued 9"),
    ("pauses", "Backoff 5 1", WAITS, 0, 504, "Backoff 5 1"),
    ("comes back", "Backoff 5 1", WAITS, 0, 505, "Enqueued 505 1"),
    ("twice as long", "Backoff 5 2", WAITS, 0, 1004, "Backoff 5 2"),
    ("1h", "Backoff 5 99", WAITS, 0, 3_600_005, "Enqueued 3600005 99"),
    ("done", "Running 5", DONE, 0, 9, "Succeed 9"),
    ("failed", "Enqueued", FAILED, 0, 9, "Failed 9"),
    ("stays done", "Succeed 5", DONE, 0, 9, "Succeed 5"),
    ("made again", "Failed 5", WAITS, 0, 9, "Enqueued 9"),
]


@pytest.mark.parametrize(
    ("before", "seen", "pods", "now", "after"),
    [pytest.param(*row, id=name) for name, *row in COURSE],
)
def test_the_course_of_a_job(before: str, seen: Job, pods: int, now: int, after: str) -> None:
    assert jobs_phase.after(phase(before), seen, pods, TERMS, now) == phase(after)


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


def queued(past: JobPhase = FIRST, found: Job = WAITS, **more: Any) -> QueuedJob:
    """The job as its quota counts it."""
    given = {"adapter": ADAPTER, "priority": 0, "pods_left": "none", **more}
    counted = jobs_phase.queued(past, found, **given)
    assert counted is not None
    return counted


def test_a_job_that_waits_stands_in_line_with_all_of_it() -> None:
    found = queued(priority=7)
    assert (found.key.name, found.gates, found.priority) == ("job.batch/train", (names.GATE,), 7)
    assert found.request == {"cpu": 2000, "pods": 2, names.MAX_JOBS: 1}
    assert found.labels == ("batch.kubernetes.io/job-name=train",)


def test_a_job_counts_for_the_holder_and_the_nodes_that_its_template_names() -> None:
    ann, where = Holder("ann", ("dev",), "a-1"), Constraints((("gpu", "t4"),))
    found = queued(found=of(holder=ann, constraints=where))
    assert (found.holder, found.constraints) == (ann, where)


@pytest.mark.parametrize("name", ["Backoff", "Succeed", "Failed"])
def test_a_job_that_pauses_or_has_ended_stands_in_no_line(name: str) -> None:
    assert jobs_phase.queued(phase(f"{name} 5"), WAITS, ADAPTER, 0, pods_left="none") is None


def test_a_job_that_is_reclaimed_pod_by_pod_holds_nothing_for_them_once_it_runs() -> None:
    for past, held in (("Dequeued 5", 2000), ("Running 5", 0)):
        found = queued(phase(past), RUNS, adapter=BY_PODS)
        assert found.request.get("cpu", 0) == held
        assert found.request[names.MAX_JOBS] == 1


@pytest.mark.parametrize(
    ("left", "deleting", "gates"),
    [("going", True, ()), ("staying", False, (names.GATE, PODS_LEFT))],
)
def test_pods_of_a_suspended_job_hold_what_they_hold_and_the_job_asks_for_nothing(
    left: str, deleting: bool, gates: tuple[str, ...]
) -> None:
    """It waits without end for pods that its operator does not delete."""
    found = queued(phase("Enqueued 9"), pods_left=left)
    assert (found.deleting, found.gates, found.request) == (deleting, gates, {})


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


def test_one_that_stands_in_line_again_is_another() -> None:
    """So nothing that was asked for the former one counts for it."""
    uids = {queued(phase(past)).uid for past in ("Enqueued 0", "Dequeued 5", "Enqueued 9")}
    assert len(uids) == 3


@pytest.mark.parametrize("kind", [each.kind for each in table.BUILT_IN])
def test_every_kind_asks_for_something_that_its_pods_can_draw_on(kind: str) -> None:
    adapter = next(each for each in table.BUILT_IN if each.kind == kind)
    found = queued(found=job.read(published_jobs.of(kind), adapter), adapter=adapter)
    assert found.parts
    assert found.request["pods"] > 0


@pytest.mark.parametrize(
    ("past", "adapter", "reserved"),
    [("Enqueued", ADAPTER, 2), ("Running", ADAPTER, 2), ("Running", BY_PODS, 0)],
)
def test_what_its_templates_claim_counts_for_the_pods_that_it_reserves(
    past: str, adapter: JobAdapter, reserved: int
) -> None:
    """A job that is reclaimed pod by pod reserves no devices once it runs."""
    gpu = ClaimReference("gpu", template="one")
    sets = (
        JobPodSet("a", "spec.a", 2, 2, PodTemplate({"cpu": 1000}, claims=(gpu,))),
        JobPodSet("b", "spec.b", 3, 1, PodTemplate({"cpu": 500})),
    )
    found = queued(phase(past), of(pods=sets), adapter=adapter)
    assert isinstance(found, ClaimingJob)
    assert [each.number for each in found.sets] == [reserved, reserved and 1]
    assert found.sets[0] == ClaimingSet("spec.a", reserved, {"cpu": 1000}, (gpu,))


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
    assert fault == "spec.template.spec.resourceClaims[0]: must be a map, got a whole number"
