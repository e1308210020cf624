"""Jobs owned by jobs, jobs in unbound namespaces and unreadable jobs are left alone."""

import writer_fixture
from api_double import Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from job_process import JOBS, Process, key_of, put, stored, writes


JOB_SETS = Kind(Resource("jobset.x-k8s.io", "v1alpha2", "jobsets"), "JobSet")
OF_A_SET = {
    "ownerReferences": [
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "name": "set",
            "uid": "u",
            "controller": True,
        }
    ]
}


async def test_jobs_of_jobs_and_jobs_in_unbound_namespaces_are_left_alone(process: Process) -> None:
    process.scene.double.serve(JOB_SETS)
    put(process.scene, "inner", meta=OF_A_SET)
    process.scene.double.put(paths.NAMESPACES, {"metadata": {"name": "free"}})
    put(process.scene, "outside", meta={"namespace": "free"})
    put(process.scene, "freed", suspend=False, phase="Backoff 999999 1", meta={"namespace": "free"})
    put(process.scene, "mine")
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene, "mine") == (False, "Dequeued"))
    assert stored(process.scene, "inner") == (True, "")
    assert process.scene.double.object(JOBS, "free", "outside")["spec"]["suspend"]
    assert not process.scene.double.object(JOBS, "free", "freed")["spec"]["suspend"]
    assert writes(process.scene) == 1


async def test_a_job_in_a_queue_of_kueue_is_left_to_kueue(process: Process) -> None:
    put(process.scene, "theirs", meta={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
    put(process.scene, "mine", meta={"labels": {"kueue.x-k8s.io/queue-name": ""}})
    theirs = key_of("theirs")
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene, "mine") == (False, "Dequeued"))
        assert theirs not in process.controller.queued
    assert stored(process.scene, "theirs") == (True, "")
    assert writes(process.scene) == 1


async def test_a_job_leaves_the_queue_when_it_is_given_to_kueue(process: Process) -> None:
    put(process.scene, pods=5)
    async with writer_fixture.at_work(process):
        await until(lambda: key_of("train") in process.world.ledger.jobs)
        put(process.scene, pods=5, meta={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
        await until(lambda: key_of("train") not in process.world.ledger.jobs)
    assert process.controller.queued == {}


async def test_a_job_leaves_the_queue_when_its_owner_is_queued(process: Process) -> None:
    put(process.scene, "inner", pods=5, meta=OF_A_SET)
    inner = key_of("inner")
    async with writer_fixture.at_work(process):
        await until(lambda: inner in process.world.ledger.jobs)
        process.scene.double.serve(JOB_SETS)
        await until(lambda: inner not in process.world.ledger.jobs)
    assert process.controller.queued == {}


async def test_kinds_that_may_not_be_read_delay_no_pod(process: Process) -> None:
    put(process.scene)
    refused = Refusal(403, "Forbidden", "jobsets.jobset.x-k8s.io is forbidden")
    process.scene.double.faults.answer(refused, times=1000, method="GET", path="/jobsets")
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
