"""An admitted job stays suspended until the autoscaler has nodes for it."""

from typing import Any

import job_process
import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from job_process import JOBS, key_of, put, stored
from provisioning_process import (
    Process,
    answer,
    ask_once,
    asked_for,
    gates,
    pod,
    requests,
    templates,
    world_of_team,
)
from worlds import World
from writer_fixture import Scene


def said(process: Process, name: str = "train") -> str:
    found = process.jobs.queued.get(key_of(name))
    return "" if found is None else found.said


async def test_a_job_is_started_when_the_autoscaler_has_provisioned_it(process: Process) -> None:
    put(process.scene)
    async with asked_for(process) as name:
        asked = process.scene.double.object(paths.PROVISIONING_REQUESTS, "teams", name)
        uid = process.scene.double.object(JOBS, "teams", "train")["metadata"]["uid"]
        assert asked["metadata"]["ownerReferences"] == [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": uid}
        ]
        assert asked["spec"]["podSets"] == [{"count": 2, "podTemplateRef": {"name": f"{name}-0"}}]
        await until(lambda: ": admitted, and holds" in said(process))
        assert stored(process.scene) == (True, "")
        answer(process.scene, "Provisioned", "Capacity is found")
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        await until(lambda: "Capacity is found" in said(process))


async def test_the_pods_of_a_provisioned_job_use_what_was_booked(
    scene: Scene, world: World
) -> None:
    put(scene)
    async with asked_for(Process(scene, world)) as name:
        answer(scene, "Provisioned")
        await until(lambda: stored(scene) == (False, "Dequeued"))
        pod(scene, "train-abcde")

        def of_train(found: dict[str, Any]) -> None:
            found["metadata"]["labels"] = {"batch.kubernetes.io/job-name": "train"}

        scene.double.edit(paths.PODS, "teams", "train-abcde", of_train)
        await until(lambda: not gates(scene)["train-abcde"])
    found = scene.double.object(paths.PODS, "teams", "train-abcde")["metadata"]["annotations"]
    assert [found[key] for key in names.CONSUME_PROVISIONING] == [name, name]


async def test_a_refused_job_backs_off_with_the_message_and_its_room_goes_to_others(
    process: Process,
) -> None:
    put(process.scene, pods=4)
    async with asked_for(process, process.scene.recorder):
        put(process.scene, "late", pods=1)
        await until(lambda: "all 4 of its current share are in use" in said(process, "late"))
        answer(process.scene, "Failed", "out of stock")
        await until(lambda: stored(process.scene) == (True, "Backoff"))
        assert said(process).endswith(
            "Failed: out of stock; it is asked for again from 00:17:40Z on"
        )
        await until(lambda: len(requests(process.scene)) == 2)  # of the other job
        await until(lambda: "ProvisioningRefused" in process.scene.reasons())
        phase = process.scene.double.object(JOBS, "teams", "train")["metadata"]["annotations"]
        assert phase[names.JOB_PHASE] == f"Backoff {process.time} 1"


async def test_a_job_whose_back_off_is_over_asks_again_by_another_name(process: Process) -> None:
    put(process.scene)
    async with asked_for(process) as first:
        answer(process.scene, "Failed", "out of stock")
        await until(lambda: stored(process.scene) == (True, "Backoff"))
        process.time += 60_000
        await until(
            lambda: len(requests(process.scene)) == 1 and requests(process.scene) != [first]
        )
        await until(lambda: templates(process.scene) == [f"{requests(process.scene)[0]}-0"])


async def test_a_job_that_is_reclaimed_asks_again_and_does_not_use_old_answers(
    process: Process,
) -> None:
    process.world.quota("owner", min=8)
    put(process.scene, pods=4)
    async with asked_for(process) as first:
        answer(process.scene, "Provisioned")
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        for index in range(8):
            pod(process.scene, f"owner-{index}")
            process.scene.double.edit(
                paths.PODS,
                "teams",
                f"owner-{index}",
                lambda found: found["metadata"]["labels"].update({names.QUOTA_NAME: "owner"}),
            )
        await until(lambda: stored(process.scene) == (True, "Enqueued"))
        await until(lambda: requests(process.scene) == [])
        for index in range(8):
            process.scene.double.remove(paths.PODS, "teams", f"owner-{index}")
        await until(lambda: len(requests(process.scene)) == 1)
        assert requests(process.scene)[0].rpartition("-")[0] != first.rpartition("-")[0]
        assert stored(process.scene) == (True, "Enqueued")


async def test_a_job_that_is_deleted_while_it_is_asked_for_holds_nothing(process: Process) -> None:
    put(process.scene, pods=4)
    async with asked_for(process):
        process.scene.double.remove(JOBS, "teams", "train")
        put(process.scene, "next", pods=4)
        await until(lambda: "WaitingForProvisioning" in said(process, "next"))


async def test_a_template_that_the_api_server_refuses_is_asked_for_by_its_amount(
    scene: Scene, world: World
) -> None:
    put(scene)
    scene.double.faults.answer(
        refusals.invalid("template.spec.restartPolicy: Unsupported value"),
        method="POST",
        path="podtemplates",
    )
    await ask_once(Process(scene, world))
    (made,) = scene.double.objects(paths.POD_TEMPLATES)
    (container,) = made["template"]["spec"]["containers"]
    assert container["resources"] == {"requests": {"cpu": "1"}}


async def test_a_controller_that_dies_after_a_refusal_backs_off_all_the_same(
    scene: Scene, world: World
) -> None:
    put(scene)
    async with writer_fixture.at_work(Process(scene, world)) as process:
        await until(lambda: len(requests(scene)) == 1)
    answer(scene, "Failed", "out of stock")
    async with writer_fixture.at_work(Process(scene, world_of_team())) as process:
        await until(lambda: stored(scene) == (True, "Backoff"))
        assert "out of stock" in said(process)
    assert job_process.writes(scene) > 0


async def test_in_observe_mode_no_job_is_held(scene: Scene, world: World) -> None:
    world.observe()
    put(scene)
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: stored(scene) == (False, "Dequeued"))
    assert requests(scene) == []
