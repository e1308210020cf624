"""An admitted group holds its room and its gates until the autoscaler has nodes for it."""

from typing import Any, Final

import pytest

import provisioning_process
import writer_fixture
from api_double import Refusal
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from provisioning_process import (
    Process,
    answer,
    ask_once,
    asked_for,
    gang,
    gates,
    pod,
    requests,
    templates,
    world_of_team,
)
from worlds import World
from writer_fixture import Scene


ZONED: Final = {"pool": "main", "zone": "a"}


def annotations(scene: Scene, name: str) -> dict[str, str]:
    found = scene.double.object(paths.PODS, "teams", name)["metadata"].get("annotations")
    return dict(found or {})


async def test_a_group_starts_when_the_autoscaler_has_provisioned_it(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process, process.scene.recorder) as name:
        assert templates(process.scene) == [f"{name}-0"]
        stored = process.scene.double.object(paths.PROVISIONING_REQUESTS, "teams", name)
        assert stored["spec"] == {
            "provisioningClassName": provisioning_process.CHECK,
            "podSets": [{"count": 2, "podTemplateRef": {"name": f"{name}-0"}}],
        }
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        answer(process.scene, "Accepted", "on its way")
        await until(lambda: "Accepted: on its way" in process.waits().get("train-1", ""))
        assert process.waits()["train-1"].startswith("WaitingForProvisioning: admitted, and holds")
        assert gates(process.scene) == {"train-0": True, "train-1": True}
        answer(process.scene, "Provisioned", "Capacity is found")
        await until(lambda: gates(process.scene) == {"train-0": False, "train-1": False})
        for each in ("train-0", "train-1"):
            found = annotations(process.scene, each)
            assert [found[key] for key in names.CONSUME_PROVISIONING] == [name, name]
            assert found[names.PROVISIONING_CLASS[0]] == provisioning_process.CHECK
        assert requests(process.scene) == [name]  # its pods use it


async def test_the_room_of_a_group_that_is_asked_for_goes_to_no_other_pod(process: Process) -> None:
    gang(process.scene, pods=4)
    async with asked_for(process):
        pod(process.scene, "single")
        await until(lambda: "QuotaExhausted" in process.waits().get("single", ""))
        answer(process.scene, "Failed", "no such machine")
        await until(lambda: not gates(process.scene)["single"])
        assert gates(process.scene)["train-0"]


async def test_a_pod_without_a_group_starts_without_a_request(process: Process) -> None:
    pod(process.scene, "single")
    async with writer_fixture.at_work(process):
        await until(lambda: not gates(process.scene)["single"])
    assert requests(process.scene) == []


async def test_a_refused_group_waits_with_the_message_and_asks_again_later(
    process: Process,
) -> None:
    gang(process.scene)
    async with asked_for(process, process.scene.recorder) as first:
        answer(process.scene, "Failed", "out of stock")
        await until(lambda: "out of stock" in process.waits().get("train-0", ""))
        assert process.waits()["train-0"] == (
            f"ProvisioningRefused: ProvisioningRequest {first}: Failed: out of stock; "
            "it is asked for again from 00:17:40Z on."
        )
        await until(lambda: "ProvisioningRefused" in process.scene.reasons())
        process.time += 59_999
        await process.more_cycles(3)
        assert requests(process.scene) == [first]  # for people to read
        process.time += 1
        second = f"{first.rpartition('-')[0]}-2"
        await until(lambda: requests(process.scene) == [second])
        await until(lambda: templates(process.scene) == [f"{second}-0"])
        answer(process.scene, "BookingExpired", "too late", at="1970-01-01T00:17:41Z")
        await until(lambda: "again from 00:19:40Z" in process.waits().get("train-0", ""))


@pytest.mark.parametrize("kind", ["BookingExpired", "CapacityRevoked"])
async def test_nodes_that_were_booked_and_are_gone_put_the_group_back(
    process: Process, kind: str
) -> None:
    gang(process.scene)
    async with asked_for(process):
        answer(process.scene, kind, "gone")
        await until(lambda: f"{kind}: gone" in process.waits().get("train-0", ""))
        assert gates(process.scene)["train-0"]


async def test_what_is_accepted_and_not_provisioned_in_time_goes_back_and_is_withdrawn(
    process: Process,
) -> None:
    gang(process.scene)
    async with asked_for(process) as first:
        answer(process.scene, "Accepted", "soon")
        await until(lambda: "soon" in process.waits().get("train-0", ""))
        process.time += 600_000
        await until(lambda: "Accepted: soon, after 600 s" in process.waits().get("train-0", ""))
        await until(lambda: requests(process.scene) == templates(process.scene) == [])
        process.time += 60_000
        await until(lambda: requests(process.scene) == [f"{first.rpartition('-')[0]}-2"])


async def test_without_any_autoscaler_a_group_starts_after_the_timeout(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process, process.scene.recorder):
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 600_000
        await until(lambda: not any(gates(process.scene).values()))
        await until(lambda: requests(process.scene) == [])
        await until(lambda: "QuotaAdmitted" in process.scene.reasons())
    notes = [event["note"] for event in process.scene.double.objects(paths.EVENTS)]
    assert any("no autoscaler answered in 600 s" in note for note in notes)
    assert names.CONSUME_PROVISIONING[0] not in annotations(process.scene, "train-0")


async def test_without_the_kind_nothing_is_asked_and_groups_start(
    scene: Scene, world: World
) -> None:
    async with writer_fixture.scene() as bare:
        bare.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
        gang(bare)
        async with writer_fixture.at_work(Process(bare, world)):
            await until(lambda: not any(gates(bare).values()))


async def test_switched_off_nothing_is_asked(scene: Scene, world: World) -> None:
    gang(scene)
    async with writer_fixture.at_work(Process(scene, world, None)):
        await until(lambda: not any(gates(scene).values()))
    assert requests(scene) == []


async def test_a_new_leader_goes_on_where_the_old_one_was_killed(
    scene: Scene, world: World
) -> None:
    gang(scene)
    name = await ask_once(Process(scene, world))
    async with writer_fixture.at_work(Process(scene, world_of_team())) as process:
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        assert requests(scene) == [name]
        answer(scene, "Provisioned")
        await until(lambda: not any(gates(scene).values()))


async def test_a_controller_that_dies_between_template_and_request_asks_again(
    scene: Scene, world: World
) -> None:
    gang(scene)
    scene.double.faults.answer(
        Refusal(500, "InternalError", "down"),
        times=1000,
        method="POST",
        path="provisioningrequests",
    )
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(templates(scene)) == 1)
    (left,) = templates(scene)
    scene.double.faults.scripted.clear()
    await ask_once(Process(scene, world_of_team()))
    assert templates(scene) == [left]


async def test_a_standby_asks_nothing_and_a_former_leader_holds_nothing(process: Process) -> None:
    gang(process.scene, pods=4)
    async with asked_for(process):
        process.leads = False
        await until(lambda: not process.world.ledger.releasing)
        await process.more_cycles(3)
        assert len(requests(process.scene)) == 1


async def test_a_request_that_its_user_deletes_is_made_again_in_the_same_time(
    process: Process,
) -> None:
    gang(process.scene)
    async with writer_fixture.at_work(process):
        for _ in range(3):
            await until(lambda: len(requests(process.scene)) == 1)
            (name,) = requests(process.scene)
            process.time += 150_000
            process.scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
        await until(lambda: len(requests(process.scene)) == 1)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 150_000
        # The deletions gained no time: silence for 600 s starts the group.
        await until(lambda: not any(gates(process.scene).values()))


async def test_a_forged_request_of_the_same_name_decides_nothing_and_is_left_alone(
    scene: Scene, world: World
) -> None:
    gang(scene)
    name = await ask_once(Process(scene, world))
    scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
    forged: dict[str, Any] = {
        "metadata": {"namespace": "teams", "name": name},
        "spec": {"provisioningClassName": "free", "podSets": []},
        "status": {"conditions": [{"type": "Provisioned", "status": "True"}]},
    }
    scene.double.put(paths.PROVISIONING_REQUESTS, forged)
    async with writer_fixture.at_work(Process(scene, world_of_team())):
        second = f"{name.rpartition('-')[0]}-2"
        await until(lambda: requests(scene) == [name, second])
        assert all(gates(scene).values())
        answer(scene, "Provisioned", name=second)
        await until(lambda: not any(gates(scene).values()))
    stored = scene.double.object(paths.PROVISIONING_REQUESTS, "teams", name)
    assert stored["spec"] == forged["spec"]


async def test_a_name_that_is_taken_before_the_watch_shows_it_is_tried_again_later(
    scene: Scene, world: World
) -> None:
    gang(scene)
    taken = Refusal(409, "AlreadyExists", "provisioningrequests already exists")
    scene.double.faults.answer(taken, times=2, method="POST", path="provisioningrequests")
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(requests(scene)) == 1)
    assert all(gates(scene).values())


async def test_a_template_that_is_not_ours_is_left_alone(scene: Scene, world: World) -> None:
    gang(scene)
    name = await ask_once(Process(scene, world))
    scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
    scene.double.remove(paths.POD_TEMPLATES, "teams", f"{name}-0")
    scene.double.put(paths.POD_TEMPLATES, {"metadata": {"namespace": "teams", "name": f"{name}-0"}})
    async with writer_fixture.at_work(Process(scene, world_of_team())):
        await until(lambda: requests(scene) == [f"{name.rpartition('-')[0]}-2"])
    assert scene.double.object(paths.POD_TEMPLATES, "teams", f"{name}-0").get("template") is None


async def test_a_pod_that_grows_while_it_is_asked_for_puts_its_group_back(process: Process) -> None:
    gang(process.scene)

    def grow(found: dict[str, Any]) -> None:
        found["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "3"

    async with asked_for(process):
        answer(process.scene, "Accepted")
        await until(lambda: "Accepted" in process.waits().get("train-0", ""))
        for each in ("train-0", "train-1"):
            process.scene.double.edit(paths.PODS, "teams", each, grow)
        await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
        await until(lambda: requests(process.scene) == templates(process.scene) == [])
        assert all(gates(process.scene).values())


async def test_a_group_that_loses_a_pod_is_not_asked_for_any_more(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process):
        process.scene.double.remove(paths.PODS, "teams", "train-1")
        await until(lambda: requests(process.scene) == [])
        await until(lambda: "1 of 2 pods" in process.waits().get("train-0", ""))


async def test_a_controller_without_the_right_to_ask_puts_the_group_back_and_says_so(
    process: Process,
) -> None:
    gang(process.scene)
    process.scene.double.faults.answer(
        Refusal(403, "Forbidden", "podtemplates is forbidden"), method="POST", path="podtemplates"
    )
    async with writer_fixture.at_work(process):
        await until(lambda: "podtemplates is forbidden" in process.waits().get("train-0", ""))
        process.time += 60_000
        await until(lambda: len(requests(process.scene)) == 1)


async def test_a_kind_that_is_removed_later_holds_no_group(scene: Scene, world: World) -> None:
    gang(scene)
    scene.double.faults.answer(
        Refusal(404, "NotFound", "the server could not find the requested resource"),
        times=9,
        method="POST",
        path="provisioningrequests",
    )
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: not any(gates(scene).values()))


async def test_a_refusal_by_another_clock_backs_off_all_the_same(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process) as first:
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        answer(process.scene, "Failed", "no", at="1970-01-01T00:00:00Z")
        await until(lambda: "again from 00:17:40Z on" in process.waits().get("train-0", ""))
        assert requests(process.scene) == [first]


async def test_a_refusal_by_another_clock_backs_off_also_if_no_open_answer_was_seen(
    scene: Scene, world: World
) -> None:
    """It says to be older than its request, of which its back-off would be over."""
    gang(scene)
    first = await ask_once(Process(scene, world))
    answer(scene, "Failed", "no", at="1970-01-01T00:00:00Z")
    async with writer_fixture.at_work(Process(scene, world_of_team())) as process:
        await until(lambda: "again from 00:17:40Z on" in process.waits().get("train-0", ""))
        assert requests(scene) == [first]
        process.time += 60_000
        await until(lambda: requests(scene) == [f"{first.rpartition('-')[0]}-2"])


async def test_a_group_of_more_shapes_than_a_request_can_name_starts_without(
    scene: Scene, world: World
) -> None:
    for index in range(33):
        pod(scene, f"p-{index}", group="many", size=33, cpu=f"{index + 1}m")
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: not any(gates(scene).values()))
    assert requests(scene) == []


async def test_a_quota_that_is_cut_while_a_group_is_asked_for_evicts_no_gated_pod(
    process: Process,
) -> None:
    gang(process.scene, pods=4)
    async with asked_for(process):
        process.world.quota("team-a", max=1, namespaces=("teams",))
        answer(process.scene, "Failed", "no")
        await until(lambda: not process.world.ledger.releasing)
        assert process.last.evictions == ()
    assert Key("teams", "train-0") in process.world.ledger.pods


async def test_a_tree_that_turns_to_observe_mode_holds_no_group_any_more(process: Process) -> None:
    gang(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.world.observe()
        await until(lambda: not any(gates(process.scene).values()))
        await until(lambda: requests(process.scene) == [])


async def test_a_group_whose_quota_is_deleted_goes_back_and_is_judged_again(
    process: Process,
) -> None:
    gang(process.scene)
    async with asked_for(process) as first:
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.world.ledger.delete_quota(Key("teams", "team-a"))
        process.world.quota("other", max=1, namespaces=("teams",))
        await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
        await until(lambda: first not in requests(process.scene))
        assert all(gates(process.scene).values())


async def test_a_group_whose_tree_has_other_nodes_is_asked_for_again(process: Process) -> None:
    gang(process.scene)
    async with asked_for(process):
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        (found,) = process.world.ledger.profiles.values()
        zoned = Selector((*found.selector.requirements, Requirement("zone", "Exists")))
        process.world.ledger.upsert_profile(replace(found, selector=zoned))
        process.world.ledger.upsert_node(
            replace(process.world.ledger.nodes["node-0"], labels=ZONED)
        )
        await until(lambda: "zone" in str(process.scene.double.objects(paths.POD_TEMPLATES)))


async def test_a_group_that_is_admitted_again_at_once_keeps_no_template_of_a_deleted_request(
    process: Process,
) -> None:
    gang(process.scene)
    async with writer_fixture.at_work(process):
        for _ in range(4):
            await until(lambda: len(requests(process.scene)) == 1)
            await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
            process.leads = False
            await until(lambda: not process.world.ledger.releasing)
            process.world.quota("team-a", max=0, namespaces=("teams",))
            process.leads = True
            await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
            process.world.quota("team-a", max=4, namespaces=("teams",))
        await process.more_cycles(10)
        await until(
            lambda: (
                [f"{name}-0" for name in requests(process.scene)] == templates(process.scene) != []
            )
        )
        answer(process.scene, "Provisioned")
        await until(lambda: not any(gates(process.scene).values()))
