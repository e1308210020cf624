"""``explain job`` reports of a queued job what ``explain pod`` reports of a pod."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import explain_fixture
from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from elasticquota import names
from elasticquota.jobs import job as jobs
from elasticquota.jobs import phase, queue_units
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota_cli import main as cli
from elasticquota_cli.why.parts import report
from elasticquota_export import ledger_dump
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from explain_fixture import pod_of
from live_cluster import Live
from stored import Document, Stored


Screen = pytest.CaptureFixture[str]

JOBS = Resource("batch", "v1", "jobs")
JOB_SETS = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets")
JOB = next(each for each in table.BUILT_IN if each.kind == "Job")
LABEL = "batch.kubernetes.io/job-name"


def a_job(name: str, pods: int, *, wrote: str = "", suspended: bool = True) -> Document:
    """A job of pods of one cpu, in namespace team-a; names that sort first are older."""
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    return {
        "metadata": {
            "namespace": "team-a",
            "name": name,
            "creationTimestamp": f"2026-11-20T08:00:{ord(name[0]) - ord('a'):02}Z",
            "annotations": {names.JOB_PHASE: wrote} if wrote else {},
        },
        "spec": {
            "suspend": suspended,
            "parallelism": pods,
            "template": {"spec": {"containers": [container]}},
        },
    }


def line_up(double: ApiDouble, document: Document, priority: int = 0) -> None:
    """The job, and its unit."""
    double.put(JOBS, document)
    found = jobs.read(document, JOB)
    double.put(paths.QUEUE_UNITS, queue_units.manifest(found, "batch/v1", "team-a", priority))


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """A team with room for six; an admitted job of four has started one pod."""
    stored = Stored()
    stored.grown_tree(20)
    stored.quota("team-a", 4, 6)
    stored.runs("train-0", 1, labels={LABEL: "train"})
    async with Live(tmp_path, capsys) as double:
        for resource, kind in _QUEUED.items():
            double.serve(Kind(resource, kind, status=True))
        explain_fixture.fill(double, stored.documents)
        line_up(double, a_job("train", 4, wrote="Dequeued 1795000000000 0", suspended=False))
        yield double


_QUEUED = {
    JOBS: "Job",
    JOB_SETS: "JobSet",
    paths.QUEUE_UNITS: names.QUEUE_UNIT_KIND,
    paths.JOB_QUEUES: names.JOB_QUEUE_KIND,
}


async def explained(double: Live, *words: str) -> report.PodAnswer:
    assert await double.run("explain", *words, "-o", "json") == 0
    return pod_of(double.screen)


async def test_a_waiting_job_gets_its_shortage_and_its_position(double: Live) -> None:
    line_up(double, a_job("next", 3))
    assert await double.run("explain", "job", "team-a/next") == 0
    shown = double.said().out.splitlines()
    assert shown.pop(4).startswith("Waits      ")
    used = "4 of its current share of 6 are in use (guaranteed 4, limit 6)"
    reserved = "Job team-a/train reserves 3 cpu of that for pods that it may still start"
    starts = "Position 1 of 1. It starts when 1 cpu is freed in team-a. [QuotaExhausted]"
    why = f"{used}; {reserved}. {starts}"
    assert shown[:6] == [
        "Job team-a/next waits as a whole for quota team-a; it has no pods yet.",
        "",
        "First      next, position 1 of 1",
        "State      Waiting",
        "Needs      3 cpu, 3 pod slots",
        f"Why        Waiting for quota team-a: Job team-a/next needs 3 cpu; {why}",
    ]
    assert "  - ask for max of team-a raised to 7 cpu" in shown


async def test_an_admitted_job_and_its_pods_count_once(double: Live) -> None:
    found = await explained(double, "job", "team-a/train")
    assert (found.state, found.kind, found.name) == ("Admitted", "Job", "train")
    assert found.message == "it is admitted as a whole, and reserves what its pods do not use yet"
    assert [(step.quota, step.admitted) for step in found.path] == [("team-a", "4"), ("pool", "4")]


async def test_a_pod_that_waits_beside_jobs_gets_what_these_hold(double: Live) -> None:
    stored = Stored()
    stored.waits("web", 3)
    double.put(paths.PODS, stored.documents[0])
    found = await explained(double, "pod", "team-a/web")
    assert found.path[0].admitted == "4"
    assert found.kind == "Pod"


@pytest.mark.parametrize(("policy", "first"), [("Priority", "urgent"), ("FIFO", "early")])
async def test_the_queue_policy_decides_what_priorities_mean(
    policy: str, first: str, double: Live
) -> None:
    queue = {"metadata": {"namespace": "kube-queue", "name": "team-a"}}
    double.put(paths.JOB_QUEUES, queue | {"spec": {"queuePolicy": policy}})
    line_up(double, a_job("early", 3))
    line_up(double, a_job("urgent", 3), priority=9)
    places = {}
    for name in ("early", "urgent"):
        found = await explained(double, "job", f"team-a/{name}")
        assert found.line is not None
        places[name] = found.line.place
    assert places[first] == 1


async def test_two_jobs_of_the_same_name_are_distinguished_by_kind(double: Live) -> None:
    adapter = next(each for each in table.BUILT_IN if each.kind == "JobSet")
    job_set = a_job("train", 1) | {"spec": {"suspend": True, "replicatedJobs": []}}
    double.put(JOB_SETS, job_set)
    unit = queue_units.manifest(
        jobs.read(job_set, adapter), "jobset.x-k8s.io/v1alpha2", "team-a", 0
    )
    double.put(paths.QUEUE_UNITS, unit)
    assert await double.run("explain", "team-a/train") == 1
    assert double.said().err == (
        "elastic-quota: several workloads of namespace team-a have this name: job/train or "
        "jobset/train\n"
    )
    for words, kind in (
        (("job", "team-a/train"), "Job"),
        (("job", "job/team-a/train"), "Job"),
        (("job", "jobset/team-a/train"), "JobSet"),
        (("jobset/team-a/train",), "JobSet"),
    ):
        found = await explained(double, *words)
        assert (found.kind, found.name) == (kind, "train")


async def test_a_job_that_is_not_queued_is_not_found(double: Live) -> None:
    double.put(JOBS, a_job("free", 3))
    assert await double.run("explain", "job", "team-a/trian") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: no pod of namespace team-a belongs to job trian; did you mean train?",
        "elastic-quota: if it exists, kubectl describe job says why it has no pods; kubectl get "
        "queueunits -n team-a shows jobs that wait as a whole",
    ]


async def test_units_of_deleted_jobs_are_ignored(double: Live) -> None:
    unit = queue_units.manifest(jobs.read(a_job("gone", 3), JOB), "batch/v1", "team-a", 0)
    double.put(paths.QUEUE_UNITS, unit)
    assert await double.run("explain", "quota", "team-a") == 0
    assert double.said().err == (
        "note: Job team-a/train reserves 3 cpu, 3 pod slots for pods that it may still start\n"
    )


async def test_jobs_that_may_not_be_read_are_reported_as_missing(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=JOBS.list())
    assert await double.run("explain", "quota", "team-a") == 0
    assert double.said().err == (
        "note: jobs: you may not read them: queued ones are not counted here\n"
    )


async def test_a_user_with_few_rights_reads_of_a_waiting_job_what_its_unit_says(
    double: Live,
) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.NODES.list())
    line_up(double, a_job("next", 3))
    said = "Waiting for quota team-a: Job team-a/next needs 3 cpu. [QuotaExhausted]"
    double.edit(
        paths.QUEUE_UNITS,
        "team-a",
        "next-job-qu",
        lambda unit: unit.update(status={"phase": "Enqueued", "message": said}),
    )
    found = await explained(double, "job", "team-a/next")
    assert (found.kind, found.state, found.message) == ("Job", "Waiting", said)


@pytest.mark.parametrize("name", ["a/b/c/d", "team-a/", "/train"])
def test_a_malformed_name_is_refused(name: str, capsys: Screen) -> None:
    assert cli.main(["explain", "job", name, "-f", "."]) == 2
    assert f"'{name}': must be NAME or NAMESPACE/NAME" in capsys.readouterr().err


def test_a_ledger_file_explains_jobs_too(tmp_path: Path, capsys: Screen) -> None:
    found = jobs.read(a_job("next", 7), JOB)
    stored = Stored()
    stored.tree(20)
    stored.quota("team-a", 4, 6)
    stored.documents.append(_queued(found))
    file = stored.write(tmp_path)
    assert cli.main(["explain", "job", "team-a/next", "-f", str(file)]) == 0
    assert "ExceedsMax" in capsys.readouterr().out


def _queued(found: jobs.Job) -> Document:
    """The objects as /debug/ledger shows them."""
    ledger = Ledger()
    made = phase.queued(JobPhase(), found, JOB, 0, "none")
    assert made is not None
    assert made.key == Key("team-a", "job.batch/next")
    ledger.upsert_job(made)
    (document,) = ledger_dump.objects(ledger, (), ())
    return dict(document)
