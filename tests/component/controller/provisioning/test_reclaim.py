"""A group that waits for its nodes runs on nothing, so it returns room that is due to others."""

from api_double.waiting import until
from elasticquota_kube.client import paths
from job_process import put, stored
from provisioning_process import Process, answer, asked_for, gang, gates, pod, requests, templates
from worlds import World


def share(world: World, team_a: int, team_b: int) -> None:
    """Two quotas with these min in a tree of 8 cpu, for pods of namespace teams."""
    world.quota("team-a", min=team_a, max=8, namespaces=("teams",))
    world.quota("team-b", min=team_b, allowed_namespaces=("teams",))


async def test_an_owner_within_its_min_gets_the_room_before_the_timeout(process: Process) -> None:
    share(process.world, 0, 2)
    gang(process.scene, pods=4, cpu="2")
    async with asked_for(process, process.scene.recorder):
        answer(process.scene, "Accepted", "soon")
        pod(process.scene, "owner", quota="team-b", cpu="2")
        await until(lambda: not gates(process.scene)["owner"])
        assert gates(process.scene)["train-0"]
        await until(lambda: requests(process.scene) == templates(process.scene) == [])
        await until(lambda: "QuotaExhausted" in process.waits().get("train-0", ""))
        await until(lambda: "ProvisioningWithdrawn" in process.scene.reasons())
        (told,) = [
            each
            for each in process.scene.double.objects(paths.EVENTS)
            if each["reason"] == "ProvisioningWithdrawn"
        ]
        assert told["note"].endswith(
            "It starts again when team-a has room; no pod of it has started, and it asks for its "
            "nodes no longer"
        )


async def test_a_job_that_waits_for_its_nodes_returns_its_room_and_is_not_suspended_again(
    process: Process,
) -> None:
    share(process.world, 0, 2)
    put(process.scene, pods=8)
    async with asked_for(process):
        pod(process.scene, "owner", quota="team-b", cpu="2")
        await until(lambda: not gates(process.scene)["owner"])
        await until(lambda: requests(process.scene) == [])
        assert stored(process.scene) == (True, "")


async def test_what_is_within_its_own_min_keeps_its_room(process: Process) -> None:
    share(process.world, 8, 0)
    gang(process.scene, pods=4, cpu="2")
    async with asked_for(process):
        asked = requests(process.scene)
        pod(process.scene, "other", quota="team-b", cpu="2")
        await until(lambda: "QuotaExhausted" in process.waits().get("other", ""))
        await process.more_cycles(3)
        assert requests(process.scene) == asked


async def test_a_group_whose_nodes_have_come_awaits_them_no_longer(process: Process) -> None:
    gang(process.scene, pods=2)
    async with asked_for(process):
        held = {each.uid for each in process.world.ledger.pods.values()}
        await until(lambda: process.world.ledger.awaiting_nodes == held)
        answer(process.scene, "Provisioned", "found")
        await until(lambda: not any(gates(process.scene).values()))
        await until(lambda: process.world.ledger.awaiting_nodes == set())
