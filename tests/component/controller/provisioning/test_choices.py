"""A profile chooses the class and the timeout of its tree; the configuration is the default."""

import pytest

import provisioning_process
import writer_fixture
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from provisioning_process import Process, answer, asked_for, choose, gang, gates, pod, requests
from worlds import World
from writer_fixture import Scene


OTHER = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"


def classes(scene: Scene) -> list[str]:
    stored = scene.double.objects(paths.PROVISIONING_REQUESTS)
    return [each["spec"]["provisioningClassName"] for each in stored]


async def test_the_class_and_the_timeout_of_a_tree_are_those_of_its_profile(
    process: Process,
) -> None:
    choose(process.world, ProvisioningChoice(OTHER, 30_000))
    gang(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: classes(process.scene) == [OTHER])
        await until(lambda: "at most 30 s" in process.waits().get("train-0", ""))
        answer(process.scene, "Provisioned", "found")
        await until(lambda: not any(gates(process.scene).values()))
    pod = process.scene.double.object(paths.PODS, "teams", "train-0")
    assert pod["metadata"]["annotations"][names.PROVISIONING_CLASS[0]] == OTHER


async def test_what_a_profile_leaves_out_is_as_configured(process: Process) -> None:
    choose(process.world, ProvisioningChoice(timeout=30_000))
    gang(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: classes(process.scene) == [provisioning_process.CHECK])
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 30_000
        await until(lambda: not any(gates(process.scene).values()))


async def test_an_empty_class_asks_for_no_nodes_in_this_tree(process: Process) -> None:
    choose(process.world, ProvisioningChoice(""))
    gang(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: not any(gates(process.scene).values()))
        assert requests(process.scene) == []


@pytest.mark.parametrize("chosen", [ProvisioningChoice(OTHER), ProvisioningChoice("")])
async def test_a_choice_that_changes_counts_for_groups_that_wait_already(
    chosen: ProvisioningChoice, process: Process
) -> None:
    gang(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: classes(process.scene) == [provisioning_process.CHECK])
        choose(process.world, chosen)
        if chosen.class_name:
            await until(lambda: classes(process.scene) == [OTHER])
            assert all(gates(process.scene).values())
        else:
            await until(lambda: not any(gates(process.scene).values()))
            await until(lambda: classes(process.scene) == [])


def pooled() -> World:
    """Pool fast with 2 cpu, which is preferred, and pool rest with 8."""
    found = World(nodes=2, cpu=8)
    found.quota("team-a", max=8, namespaces=("teams",))
    (profile,) = found.ledger.profiles.values()
    pools = Pools((Pool("fast", (("disk", "ssd"),)), Pool("rest")), ("cpu",))
    found.ledger.upsert_profile(replace(profile, pools=pools))
    node = found.ledger.nodes["node-0"]
    few, labels = {**node.allocatable, "cpu": 2_000}, {**node.labels, "disk": "ssd"}
    found.ledger.upsert_node(replace(node, labels=labels, allocatable=few))
    return found


async def test_after_a_restart_a_group_finds_its_pool_and_its_request_again(scene: Scene) -> None:
    gang(scene, cpu="2")
    async with writer_fixture.at_work(Process(scene, pooled())) as process:
        await until(lambda: len(requests(scene)) == 1)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
    (before,) = scene.double.objects(paths.PROVISIONING_REQUESTS)
    async with writer_fixture.at_work(Process(scene, pooled())) as process:
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        process.time += 10_000
        await process.more_cycles(3)
        assert scene.double.objects(paths.PROVISIONING_REQUESTS) == [before]


async def test_a_group_that_counts_in_a_pool_asks_for_nodes_of_this_pool(process: Process) -> None:
    (profile,) = process.world.ledger.profiles.values()
    pools = Pools((Pool("fast", (("disk", "ssd"),)), Pool("rest")), ("cpu",))
    process.world.ledger.upsert_profile(replace(profile, pools=pools))
    (node,) = process.world.ledger.nodes.values()
    process.world.ledger.upsert_node(replace(node, labels={**node.labels, "disk": "ssd"}))
    gang(process.scene)
    async with asked_for(process):
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        (template,) = process.scene.double.objects(paths.POD_TEMPLATES)
        affinity = template["template"]["spec"]["affinity"]["nodeAffinity"]
        assert {"key": "disk", "operator": "In", "values": ["ssd"]} in affinity[
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]["nodeSelectorTerms"][0]["matchExpressions"]
        answer(process.scene, "Provisioned", "found")
        await until(lambda: not any(gates(process.scene).values()))


async def test_pods_of_a_group_in_two_pools_ask_for_nodes_of_both(scene: Scene) -> None:
    pod(scene, "train-0", group="train", size=2, cpu="2")
    pod(scene, "train-1", group="train", size=2, cpu="4")  # no node of pool fast is as large
    async with writer_fixture.at_work(Process(scene, pooled())) as process:
        await until(lambda: len(requests(scene)) == 2)
        first, second = requests(scene)
        answer(scene, "Provisioned", name=first)
        await until(lambda: "no answer yet" in process.waits().get("train-0", ""))
        assert all(gates(scene).values())
        answer(scene, "Provisioned", name=second)
        await until(lambda: not any(gates(scene).values()))
    asked = [
        scene.double.object(paths.PODS, "teams", name)["metadata"]["annotations"][
            names.CONSUME_PROVISIONING[0]
        ]
        for name in ("train-0", "train-1")
    ]
    assert sorted(asked) == [first, second]
