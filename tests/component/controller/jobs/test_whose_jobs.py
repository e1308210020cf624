"""Jobs owned by jobs, jobs in unbound namespaces and unreadable jobs are left alone."""

import writer_fixture
from api_double import Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from job_process import JOBS, Process, key_of, put, stored, writes
from worlds import World
from writer_fixture import Scene


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


async def test_jobs_of_jobs_and_jobs_in_unbound_namespaces_are_left_alone(
    scene: Scene, world: World
) -> None:
    scene.double.serve(JOB_SETS)
    put(scene, "inner", meta=OF_A_SET)
    scene.double.put(paths.NAMESPACES, {"metadata": {"name": "free"}})
    put(scene, "outside", meta={"namespace": "free"})
    put(scene, "freed", suspend=False, phase="Backoff 999999 1", meta={"namespace": "free"})
    put(scene, "mine")
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: stored(scene, "mine") == (False, "Dequeued"))
    assert stored(scene, "inner") == (True, "")
    assert scene.double.object(JOBS, "free", "outside")["spec"]["suspend"]
    assert not scene.double.object(JOBS, "free", "freed")["spec"]["suspend"]
    assert writes(scene) == 1


async def test_a_job_in_a_queue_of_kueue_is_left_to_kueue(scene: Scene, world: World) -> None:
    put(scene, "theirs", meta={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
    put(scene, "mine", meta={"labels": {"kueue.x-k8s.io/queue-name": ""}})
    process, theirs = Process(scene, world), key_of("theirs")
    async with writer_fixture.at_work(process):
        await until(lambda: stored(scene, "mine") == (False, "Dequeued"))
        assert theirs not in process.controller.queued
    assert stored(scene, "theirs") == (True, "")
    assert writes(scene) == 1


async def test_a_job_leaves_the_queue_when_it_is_given_to_kueue(scene: Scene, world: World) -> None:
    put(scene, pods=5)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: key_of("train") in world.ledger.jobs)
        put(scene, pods=5, meta={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
        await until(lambda: key_of("train") not in world.ledger.jobs)
    assert process.controller.queued == {}


async def test_a_job_leaves_the_queue_when_its_owner_is_queued(scene: Scene, world: World) -> None:
    put(scene, "inner", pods=5, meta=OF_A_SET)
    process, inner = Process(scene, world), key_of("inner")
    async with writer_fixture.at_work(process):
        await until(lambda: inner in world.ledger.jobs)
        scene.double.serve(JOB_SETS)
        await until(lambda: inner not in world.ledger.jobs)
    assert process.controller.queued == {}


async def test_kinds_that_may_not_be_read_delay_no_pod(scene: Scene, world: World) -> None:
    put(scene)
    refused = Refusal(403, "Forbidden", "jobsets.jobset.x-k8s.io is forbidden")
    scene.double.faults.answer(refused, times=1000, method="GET", path="/jobsets")
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: stored(scene) == (False, "Dequeued"))
