"""No request outlives the wait for it, whatever happens while it is being made."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import writer_fixture
from api_double import Refusal
from api_double.server import Call
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota_kube.client import paths
from job_process import put, stored
from provisioning_process import (
    Process,
    answer,
    ask_once,
    asked_for,
    choose,
    gang,
    gates,
    requests,
    templates,
    world_of_team,
)
from worlds import World
from writer_fixture import Scene


def make_no_requests(scene: Scene) -> None:
    """The API server stores no request until its faults are cleared."""
    refusal = Refusal(500, "InternalError", "down")
    scene.double.faults.answer(refusal, times=10_000, method="POST", path="provisioningrequests")


def make_requests(scene: Scene) -> None:
    scene.double.faults.scripted.clear()


def remove_gate(found: dict[str, Any]) -> None:
    found["spec"]["schedulingGates"] = []
    found["status"]["conditions"][0]["reason"] = "Unschedulable"


def deletes_request(call: Call) -> bool:
    return call.method == "DELETE" and "provisioningrequests" in call.path


@asynccontextmanager
async def asking(scene: Scene, world: World) -> AsyncIterator[Process]:
    """A controller whose first request is under way, and is not stored."""
    make_no_requests(scene)
    async with writer_fixture.at_work(Process(scene, world)) as process:
        await until(lambda: len(templates(scene)) == 1)
        yield process


async def nothing_is_left(scene: Scene, process: Process) -> None:
    """The request is made after all, because it was under way, and is then deleted."""
    make_requests(scene)
    await until(lambda: any(deletes_request(call) for call in scene.double.calls))
    await until(lambda: requests(scene) == templates(scene) == [])
    await process.more_cycles(5)
    assert requests(scene) == templates(scene) == []


async def test_a_group_that_starts_while_its_request_is_being_made_leaves_none_behind(
    scene: Scene, world: World
) -> None:
    gang(scene)
    async with asking(scene, world) as process:
        choose(world, ProvisioningChoice(""))
        await until(lambda: not any(gates(scene).values()))
        await nothing_is_left(scene, process)


async def test_a_group_that_a_user_starts_while_its_request_is_being_made_leaves_none_behind(
    scene: Scene, world: World
) -> None:
    gang(scene)
    async with asking(scene, world) as process:
        for name in gates(scene):
            scene.double.edit(paths.PODS, "teams", name, remove_gate)
        await until(lambda: not world.ledger.releasing)
        await nothing_is_left(scene, process)


async def test_a_job_that_starts_while_its_request_is_being_made_leaves_none_behind(
    scene: Scene, world: World
) -> None:
    put(scene)
    async with asking(scene, world) as process:
        choose(world, ProvisioningChoice(""))
        await until(lambda: stored(scene)[0] is False)
        await nothing_is_left(scene, process)


async def test_a_new_leader_deletes_the_request_of_a_group_that_has_started_without_it(
    scene: Scene, world: World
) -> None:
    gang(scene)
    await ask_once(Process(scene, world))
    # The leader is killed after the request was made; meanwhile a user starts the group.
    for name in gates(scene):
        scene.double.edit(paths.PODS, "teams", name, remove_gate)
    async with writer_fixture.at_work(Process(scene, world_of_team())):
        await until(lambda: requests(scene) == templates(scene) == [])


async def test_a_request_whose_group_uses_what_was_booked_stays(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process) as name:
        answer(process.scene, "Provisioned", "found")
        await until(lambda: not any(gates(process.scene).values()))
        await process.more_cycles(5)
        assert requests(process.scene) == [name]
        answer(process.scene, "BookingExpired", "its time is over")
        await process.more_cycles(5)
        assert requests(process.scene) == [name]


async def test_a_pod_that_is_deleted_while_it_is_asked_for_starts_no_pod_of_its_group(
    process: Process,
) -> None:
    gone = Refusal(404, "NotFound", 'pods "train-1" not found')
    process.scene.double.faults.answer(gone, times=3, method="GET", path="pods/train-")
    gang(process.scene)
    async with asked_for(process):
        assert gates(process.scene) == {"train-0": True, "train-1": True}
        assert all(each.times <= 0 for each in process.scene.double.faults.scripted)


async def test_a_group_that_is_deleted_while_it_is_asked_for_holds_nothing(
    scene: Scene, world: World
) -> None:
    gang(scene, pods=4)
    async with asking(scene, world) as process:
        for name in list(gates(scene)):
            scene.double.remove(paths.PODS, "teams", name)
        await until(lambda: not world.ledger.releasing)
        make_requests(scene)
        gang(scene, "next", pods=4)
        await until(lambda: "WaitingForProvisioning" in process.waits().get("next-0", ""))
        # The garbage collector deletes what the group owns: every object names its pods as owners.
        owned = [
            *scene.double.objects(paths.POD_TEMPLATES),
            *scene.double.objects(paths.PROVISIONING_REQUESTS),
        ]
        assert all(each["metadata"]["ownerReferences"] for each in owned)


async def test_a_request_that_only_says_whose_it_is_is_left_alone(process: Process) -> None:
    gang(process.scene)
    forged = {
        "metadata": {
            "namespace": "teams",
            "name": "train-forged-1",
            "annotations": {names.PROVISIONING_FOR: "train"},
        },
        "spec": {"provisioningClassName": "check.example.com", "podSets": []},
    }
    process.scene.double.put(paths.PROVISIONING_REQUESTS, forged)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(process.scene)) == 2)
        answer(process.scene, "Provisioned", "forged", name="train-forged-1")
        await process.more_cycles(5)
        assert all(gates(process.scene).values())
        (own,) = set(requests(process.scene)) - {"train-forged-1"}
        answer(process.scene, "Provisioned", "found", name=own)
        await until(lambda: not any(gates(process.scene).values()))
        found = process.scene.double.object(paths.PODS, "teams", "train-0")["metadata"][
            "annotations"
        ]
        assert {found[key] for key in names.CONSUME_PROVISIONING} == {own}
        assert "train-forged-1" in requests(process.scene)


async def test_what_a_pod_says_itself_about_a_booking_is_replaced_at_its_release(
    scene: Scene, world: World
) -> None:
    gang(scene)

    def forge(found: dict[str, Any]) -> None:
        found["metadata"]["annotations"].update(dict.fromkeys(names.CONSUME_PROVISIONING, "other"))

    scene.double.edit(paths.PODS, "teams", "train-0", forge)
    async with asked_for(Process(scene, world)) as own:
        answer(scene, "Provisioned", "found")
        await until(lambda: not any(gates(scene).values()))
    found = scene.double.object(paths.PODS, "teams", "train-0")["metadata"]["annotations"]
    assert {found[key] for key in names.CONSUME_PROVISIONING} == {own}
