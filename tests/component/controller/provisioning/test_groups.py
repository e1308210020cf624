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


async def test_a_group_starts_when_the_autoscaler_has_provisioned_it(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process, scene.recorder):
        await until(lambda: len(requests(scene)) == 1)
        (name,) = requests(scene)
        assert templates(scene) == [f"{name}-0"]
        stored = scene.double.object(paths.PROVISIONING_REQUESTS, "teams", name)
        assert stored["spec"] == {
            "provisioningClassName": provisioning_process.CHECK,
            "podSets": [{"count": 2, "podTemplateRef": {"name": f"{name}-0"}}],
        }
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        answer(scene, "Accepted", "on its way")
        await until(lambda: "Accepted: on its way" in process.waits().get("train-1", ""))
        assert process.waits()["train-1"].startswith("WaitingForProvisioning: admitted, and holds")
        assert gates(scene) == {"train-0": True, "train-1": True}
        answer(scene, "Provisioned", "Capacity is found")
        await until(lambda: gates(scene) == {"train-0": False, "train-1": False})
        for each in ("train-0", "train-1"):
            found = annotations(scene, each)
            assert [found[key] for key in names.CONSUME_PROVISIONING] == [name, name]
            assert found[names.PROVISIONING_CLASS[0]] == provisioning_process.CHECK
        assert requests(scene) == [name]  # its pods use it


async def test_the_room_of_a_group_that_is_asked_for_goes_to_no_other_pod(
    scene: Scene, world: World
) -> None:
    gang(scene, pods=4)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        pod(scene, "single")
        await until(lambda: "QuotaExhausted" in process.waits().get("single", ""))
        answer(scene, "Failed", "no such machine")
        await until(lambda: not gates(scene)["single"])
        assert gates(scene)["train-0"]


async def test_a_pod_without_a_group_starts_without_a_request(scene: Scene, world: World) -> None:
    pod(scene, "single")
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: not gates(scene)["single"])
    assert requests(scene) == []


async def test_a_refused_group_waits_with_the_message_and_asks_again_later(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process, scene.recorder):
        await until(lambda: len(requests(scene)) == 1)
        (first,) = requests(scene)
        answer(scene, "Failed", "out of stock")
        await until(lambda: "out of stock" in process.waits().get("train-0", ""))
        assert process.waits()["train-0"] == (
            f"ProvisioningRefused: ProvisioningRequest {first}: Failed: out of stock; "
            "it is asked for again from 00:17:40Z on."
        )
        await until(lambda: "ProvisioningRefused" in scene.reasons())
        process.time += 59_999
        cycles = process.cycles
        await until(lambda: process.cycles > cycles + 3)
        assert requests(scene) == [first]  # for people to read
        process.time += 1
        second = f"{first.rpartition('-')[0]}-2"
        await until(lambda: requests(scene) == [second])
        await until(lambda: templates(scene) == [f"{second}-0"])
        answer(scene, "BookingExpired", "too late", at="1970-01-01T00:17:41Z")
        await until(lambda: "again from 00:19:40Z" in process.waits().get("train-0", ""))


@pytest.mark.parametrize("kind", ["BookingExpired", "CapacityRevoked"])
async def test_nodes_that_were_booked_and_are_gone_put_the_group_back(
    scene: Scene, world: World, kind: str
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        answer(scene, kind, "gone")
        await until(lambda: f"{kind}: gone" in process.waits().get("train-0", ""))
        assert gates(scene)["train-0"]


async def test_what_is_accepted_and_not_provisioned_in_time_goes_back_and_is_withdrawn(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        (first,) = requests(scene)
        answer(scene, "Accepted", "soon")
        await until(lambda: "soon" in process.waits().get("train-0", ""))
        process.time += 600_000
        await until(lambda: "Accepted: soon, after 600 s" in process.waits().get("train-0", ""))
        await until(lambda: requests(scene) == templates(scene) == [])
        process.time += 60_000
        await until(lambda: requests(scene) == [f"{first.rpartition('-')[0]}-2"])


async def test_without_any_autoscaler_a_group_starts_after_the_timeout(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process, scene.recorder):
        await until(lambda: len(requests(scene)) == 1)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 600_000
        await until(lambda: not any(gates(scene).values()))
        await until(lambda: requests(scene) == [])
        await until(lambda: "QuotaAdmitted" in scene.reasons())
    notes = [event["note"] for event in scene.double.objects(paths.EVENTS)]
    assert any("no autoscaler answered in 600 s" in note for note in notes)
    assert names.CONSUME_PROVISIONING[0] not in annotations(scene, "train-0")


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
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(requests(scene)) == 1)
    (name,) = requests(scene)
    fresh = world_of_team()
    process = Process(scene, fresh)
    async with writer_fixture.at_work(process):
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
    fresh = world_of_team()
    async with writer_fixture.at_work(Process(scene, fresh)):
        await until(lambda: len(requests(scene)) == 1)
    assert templates(scene) == [left]


async def test_a_standby_asks_nothing_and_a_former_leader_holds_nothing(
    scene: Scene, world: World
) -> None:
    gang(scene, pods=4)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        process.leads = False
        await until(lambda: not world.ledger.releasing)
        cycles = process.cycles
        await until(lambda: process.cycles > cycles + 3)
        assert len(requests(scene)) == 1


async def test_a_request_that_its_user_deletes_is_made_again_in_the_same_time(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        for _ in range(3):
            await until(lambda: len(requests(scene)) == 1)
            (name,) = requests(scene)
            process.time += 150_000
            scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
        await until(lambda: len(requests(scene)) == 1)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 150_000
        # The deletions gained no time: silence for 600 s starts the group.
        await until(lambda: not any(gates(scene).values()))


async def test_a_forged_request_of_the_same_name_decides_nothing_and_is_left_alone(
    scene: Scene, world: World
) -> None:
    gang(scene)
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(requests(scene)) == 1)
        (name,) = requests(scene)
    scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
    forged: dict[str, Any] = {
        "metadata": {"namespace": "teams", "name": name},
        "spec": {"provisioningClassName": "free", "podSets": []},
        "status": {"conditions": [{"type": "Provisioned", "status": "True"}]},
    }
    scene.double.put(paths.PROVISIONING_REQUESTS, forged)
    fresh = world_of_team()
    async with writer_fixture.at_work(Process(scene, fresh)):
        second = f"{name.rpartition('-')[0]}-2"
        await until(lambda: requests(scene) == [name, second])
        assert all(gates(scene).values())
        answer(scene, "Provisioned", name=second)
        await until(lambda: not any(gates(scene).values()))
    stored = scene.double.object(paths.PROVISIONING_REQUESTS, "teams", name)
    assert stored["spec"] == forged["spec"]


async def test_a_template_that_is_not_ours_is_left_alone(scene: Scene, world: World) -> None:
    gang(scene)
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(requests(scene)) == 1)
        (name,) = requests(scene)
    scene.double.remove(paths.PROVISIONING_REQUESTS, "teams", name)
    scene.double.remove(paths.POD_TEMPLATES, "teams", f"{name}-0")
    scene.double.put(paths.POD_TEMPLATES, {"metadata": {"namespace": "teams", "name": f"{name}-0"}})
    fresh = world_of_team()
    async with writer_fixture.at_work(Process(scene, fresh)):
        await until(lambda: requests(scene) == [f"{name.rpartition('-')[0]}-2"])
    assert scene.double.object(paths.POD_TEMPLATES, "teams", f"{name}-0").get("template") is None


async def test_a_pod_that_grows_while_it_is_asked_for_puts_its_group_back(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)

    def grow(found: dict[str, Any]) -> None:
        found["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "3"

    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        answer(scene, "Accepted")
        await until(lambda: "Accepted" in process.waits().get("train-0", ""))
        for each in ("train-0", "train-1"):
            scene.double.edit(paths.PODS, "teams", each, grow)
        await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
        await until(lambda: requests(scene) == templates(scene) == [])
        assert all(gates(scene).values())


async def test_a_group_that_loses_a_pod_is_not_asked_for_any_more(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        scene.double.remove(paths.PODS, "teams", "train-1")
        await until(lambda: requests(scene) == [])
        await until(lambda: "1 of 2 pods" in process.waits().get("train-0", ""))


async def test_a_controller_without_the_right_to_ask_puts_the_group_back_and_says_so(
    scene: Scene, world: World
) -> None:
    gang(scene)
    scene.double.faults.answer(
        Refusal(403, "Forbidden", "podtemplates is forbidden"), method="POST", path="podtemplates"
    )
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: "podtemplates is forbidden" in process.waits().get("train-0", ""))
        process.time += 60_000
        await until(lambda: len(requests(scene)) == 1)


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


async def test_a_refusal_by_another_clock_backs_off_all_the_same(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        (first,) = requests(scene)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        answer(scene, "Failed", "no", at="1970-01-01T00:00:00Z")
        await until(lambda: "again from 00:17:40Z on" in process.waits().get("train-0", ""))
        assert requests(scene) == [first]


async def test_a_refusal_by_another_clock_backs_off_also_if_no_open_answer_was_seen(
    scene: Scene, world: World
) -> None:
    """It says to be older than its request, of which its back-off would be over."""
    gang(scene)
    async with writer_fixture.at_work(Process(scene, world)):
        await until(lambda: len(requests(scene)) == 1)
    (first,) = requests(scene)
    answer(scene, "Failed", "no", at="1970-01-01T00:00:00Z")
    fresh = world_of_team()
    process = Process(scene, fresh)
    async with writer_fixture.at_work(process):
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
    scene: Scene, world: World
) -> None:
    gang(scene, pods=4)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        world.quota("team-a", max=1, namespaces=("teams",))
        answer(scene, "Failed", "no")
        await until(lambda: not world.ledger.releasing)
        assert process.last.evictions == ()
    assert Key("teams", "train-0") in world.ledger.pods


async def test_a_tree_that_turns_to_observe_mode_holds_no_group_any_more(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        world.observe()
        await until(lambda: not any(gates(scene).values()))
        await until(lambda: requests(scene) == [])


async def test_a_group_whose_quota_is_deleted_goes_back_and_is_judged_again(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        (first,) = requests(scene)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        world.ledger.delete_quota(Key("teams", "team-a"))
        world.quota("other", max=1, namespaces=("teams",))
        await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
        await until(lambda: first not in requests(scene))
        assert all(gates(scene).values())


async def test_a_group_whose_tree_has_other_nodes_is_asked_for_again(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        await until(lambda: len(requests(scene)) == 1)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        (found,) = world.ledger.profiles.values()
        zoned = Selector((*found.selector.requirements, Requirement("zone", "Exists")))
        world.ledger.upsert_profile(replace(found, selector=zoned))
        world.ledger.upsert_node(replace(world.ledger.nodes["node-0"], labels=ZONED))
        await until(lambda: "zone" in str(scene.double.objects(paths.POD_TEMPLATES)))


async def test_a_group_that_is_admitted_again_at_once_keeps_no_template_of_a_deleted_request(
    scene: Scene, world: World
) -> None:
    gang(scene)
    process = Process(scene, world)
    async with writer_fixture.at_work(process):
        for _ in range(4):
            await until(lambda: len(requests(scene)) == 1)
            await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
            process.leads = False
            await until(lambda: not world.ledger.releasing)
            world.quota("team-a", max=0, namespaces=("teams",))
            process.leads = True
            await until(lambda: "ExceedsMax" in process.waits().get("train-0", ""))
            world.quota("team-a", max=4, namespaces=("teams",))
        cycles = process.cycles
        await until(lambda: process.cycles > cycles + 10)
        await until(lambda: [f"{name}-0" for name in requests(scene)] == templates(scene) != [])
        answer(scene, "Provisioned")
        await until(lambda: not any(gates(scene).values()))
