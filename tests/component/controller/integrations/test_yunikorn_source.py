"""YuniKorn's ConfigMap and the namespaces are followed; a broken ConfigMap changes nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

import writer_fixture
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.wire.integrations import queue_pods
from elasticquota.wire.kubernetes import holders
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_operator.integrations.quota_sync import QuotaSync
from elasticquota_operator.integrations.yunikorn_source import YuniKornSource
from elasticquota_operator.pages.metrics import Telemetry
from engine_cycles import PAUSE
from small_cluster import controller
from sync_process import HOME, SyncProcess
from writer_fixture import Scene


SYSTEM = ("kube-system", "default")
LINGER = 0.3
QUOTA = "yunikorn.apache.org/namespace.quota"
RULES = "placementrules: [{name: tag, value: namespace, create: true}]"


def text(queues: str) -> str:
    return f"partitions: [{{name: default, queues: [{{name: root, queues: [{queues}]}}], {RULES}}}]"


A_AND_B = text("{name: a, resources: {max: {vcore: 4}}}, {name: b}")


class Told(Telemetry):
    """Whether the configuration is good, as it was said."""

    def __init__(self) -> None:
        super().__init__(lambda: True)
        self.judged: list[bool] = []

    def dialect_is(self, _dialect: str, valid: bool) -> None:
        self.judged.append(valid)


class Process(SyncProcess):
    """It follows queues."""

    def __init__(self, scene: Scene, *, places_pods: bool = True) -> None:
        told = Told()
        self.judged = told.judged
        super().__init__(scene, Configuration(system_namespaces=SYSTEM), telemetry=told)
        self.source = YuniKornSource(
            self.context, "yunikorn", places_pods=places_pods, linger=LINGER
        )
        self.keeper = QuotaSync(self.context, [self.source])

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        api, source = self.scene.api, self.source
        pods = Reflector(api, paths.PODS, PodManifest, source.pods)
        spaces = Reflector(api, paths.NAMESPACES, NamespaceManifest, source.namespaces)
        for watch in (pods, spaces):
            tasks.create_task(watch.run())
            # Like the engine, which decides nothing before all pods are known.
            await watch.synced.wait()
        tasks.create_task(self.scene.recorder.run())
        await super().begin(tasks)

    def cycle(self) -> None:
        super().cycle()
        self.source.report(self.keeper.taken(yunikorn_queues.NAME))


@pytest.fixture
def scene(scene: Scene) -> Scene:
    for name in (HOME, "kube-system", "yunikorn"):
        scene.double.put(paths.NAMESPACES, {"metadata": {"name": name}})
    return scene


def config(double: ApiDouble, queues: str, name: str = "yunikorn-configs") -> None:
    metadata = {"namespace": "yunikorn", "name": name}
    double.put(paths.CONFIG_MAPS, {"metadata": metadata, "data": {"queues.yaml": queues}})


def edit(double: ApiDouble, queues: str) -> None:
    def change(stored: Any) -> None:
        stored["data"] = {"queues.yaml": queues}

    double.edit(paths.CONFIG_MAPS, "yunikorn", "yunikorn-configs", change)


def kept(double: ApiDouble) -> dict[str, Any]:
    """Max of cpu of the quotas with a mark, by name."""
    return {
        quota["metadata"]["name"]: quota["spec"].get("max", {}).get("cpu")
        for quota in double.objects(paths.QUOTAS)
        if (quota["metadata"].get("labels") or {}).get(names.DIALECT) == "yunikorn"
    }


def told(double: ApiDouble, reason: str) -> list[tuple[str, str]]:
    """The object and the message of each event with the reason, sorted."""
    return sorted(
        (f"{event['regarding']['kind']} {event['regarding']['name']}", event["note"])
        for event in double.objects(paths.EVENTS)
        if event["reason"] == reason
    )


# The namespaces of the double are `team` and `yunikorn`, besides the system's.
IN_STEP = {"root-a": "4", "root-b": None, "root-team": None, "root-yunikorn": None}
ONLY_A = {"root-a": None, "root-team": None, "root-yunikorn": None}


@asynccontextmanager
async def in_step(scene: Scene) -> AsyncIterator[Process]:
    """A process that has made the quotas of queues a and b and of the namespaces."""
    config(scene.double, A_AND_B)
    async with writer_fixture.at_work(Process(scene)) as process:
        await until(lambda: kept(scene.double) == IN_STEP)
        yield process


async def test_queues_and_namespaces_become_quotas_of_their_own_namespace(scene: Scene) -> None:
    async with in_step(scene):
        pass  # it ends here
    stored = scene.double.object(paths.QUOTAS, HOME, "root-team")
    assert stored["metadata"]["labels"] == {names.DIALECT: "yunikorn"}
    assert stored["metadata"]["annotations"] == {names.SOURCE: "yunikorn:root.team"}
    reclaim = {"overMaxDelay": names.NEVER}
    assert stored["spec"] == {"reclaim": reclaim, "namespaces": ["team"]}


async def test_edits_of_the_configuration_and_of_namespaces_are_followed(scene: Scene) -> None:
    def annotate(namespace: Any) -> None:
        namespace["metadata"]["annotations"] = {QUOTA: '{"cpu": "3"}'}

    async with in_step(scene):
        scene.double.edit(paths.NAMESPACES, "", "team", annotate)
        edit(scene.double, text("{name: a, resources: {max: {vcore: 5}}}"))
        wanted = {"root-a": "5", "root-team": "3", "root-yunikorn": None}
        await until(lambda: kept(scene.double) == wanted)
        scene.double.remove(paths.NAMESPACES, "", "team")
        await until(lambda: kept(scene.double) == {"root-a": "5", "root-yunikorn": None})


async def test_the_configs_come_before_the_defaults_and_both_are_followed(scene: Scene) -> None:
    config(scene.double, text("{name: a}"), "yunikorn-defaults")
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: "root-a" in kept(scene.double))
        config(scene.double, A_AND_B)
        await until(lambda: kept(scene.double) == IN_STEP)
        scene.double.remove(paths.CONFIG_MAPS, "yunikorn", "yunikorn-configs")
        await until(lambda: kept(scene.double) == ONLY_A)


async def test_a_configmap_without_queues_means_one_queue_per_namespace(
    scene: Scene,
) -> None:
    metadata = {"namespace": "yunikorn", "name": "yunikorn-defaults"}
    scene.double.put(paths.CONFIG_MAPS, {"metadata": metadata, "data": {"log.level": "INFO"}})
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: kept(scene.double) == {"root-team": None, "root-yunikorn": None})


async def test_a_broken_configuration_leaves_the_last_good_one_in_force(scene: Scene) -> None:
    async with in_step(scene) as process:
        edit(scene.double, text("{name: a, resources: {maximum: {vcore: 5}}}, {name: c d}"))
        await until(lambda: process.judged[-1:] == [False])
        await process.more_cycles(10)
        await until(lambda: len(_faults(scene)) == 3)
        assert kept(scene.double) == IN_STEP
        assert _faults(scene) == FAULTS
        edit(scene.double, text("{name: a, resources: {max: {vcore: 5}}}"))
        await until(lambda: kept(scene.double).get("root-a") == "5")
        assert process.judged == [True, False, True]


FAULTS = [
    ("ConfigMap yunikorn-configs", fault)
    for fault in (
        "partitions[0].queues[0].queues[0].resources.maximum: is no field of resources",
        "partitions[0].queues[0].queues[1].name: must be at most 64 letters, digits and characters "
        "of '_:#/@-', got 'c d'",
        "there are 2 faults in queues.yaml, so all quotas stay as they are until that is mended",
    )
]


def _faults(scene: Scene) -> list[tuple[str, str]]:
    return told(scene.double, "QueuesBroken")


async def test_a_start_with_a_broken_configuration_changes_nothing(scene: Scene) -> None:
    async with in_step(scene):
        pass  # it ends here
    edit(scene.double, "partitions: [")
    before = len(scene.double.objects(paths.QUOTAS))
    async with writer_fixture.at_work(Process(scene)) as second:
        await until(lambda: second.judged == [False])
        scene.double.remove(paths.NAMESPACES, "", "team")
        await second.more_cycles(10)
        await until(lambda: len(_faults(scene)) == 2)
    assert (kept(scene.double), len(scene.double.objects(paths.QUOTAS))) == (IN_STEP, before)
    assert _faults(scene)[0] == (
        "ConfigMap yunikorn-configs",
        "data.queues.yaml: line 1: did not find expected node content",
    )


async def test_without_a_configmap_quotas_stay_as_they_are(scene: Scene) -> None:
    async with in_step(scene) as process:
        scene.double.remove(paths.CONFIG_MAPS, "yunikorn", "yunikorn-configs")
        await until(lambda: not process.source.is_known)
        await process.more_cycles(10)
        assert kept(scene.double) == IN_STEP
        config(scene.double, text("{name: a}"))
        await until(lambda: kept(scene.double) == ONLY_A)


async def test_fields_that_are_not_followed_are_reported_on_their_object(scene: Scene) -> None:
    def annotate(namespace: Any) -> None:
        namespace["metadata"]["annotations"] = {QUOTA: "{"}

    scene.double.edit(paths.NAMESPACES, "", "team", annotate)
    config(scene.double, text("{name: team, properties: {colour: blue}}"))
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: len(told(scene.double, "NotTakenOver")) == 2)
    assert told(scene.double, "NotTakenOver") == [
        (
            "ConfigMap yunikorn-configs",
            "partitions[0].queues[0].queues[0].properties.colour: has no counterpart here; not "
            "taken over",
        ),
        (
            "Namespace team",
            f'metadata.annotations[{QUOTA}]: must be a JSON map like {{"cpu": "4"}}, got \'{{\'; '
            "left out",
        ),
    ]
    assert len(told(scene.double, "QueuesFollowed")) == 1


async def test_a_name_that_another_object_has_is_reported(scene: Scene) -> None:
    theirs = {"metadata": {"namespace": "team", "name": "root-a"}, "spec": {"min": {"cpu": "7"}}}
    scene.double.put(paths.QUOTAS, theirs)
    config(scene.double, A_AND_B)
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: told(scene.double, "NameTaken"))
        await until(lambda: kept(scene.double).keys() == IN_STEP.keys() - {"root-a"})


BY_USER = (
    "partitions: [{name: default, queues: [{name: root, queues: [{name: users, parent: true, "
    "childtemplate: {resources: {max: {vcore: 2}}}}]}], placementrules: [{name: user, create: "
    "true, parent: {name: fixed, value: users}}]}]"
)
ONE_NODE = {
    "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
    "conditions": [{"type": "Ready", "status": "True"}],
}
ANN = naming.own(("root", "users", "ann"))


def ask(double: ApiDouble, name: str, user: str = "ann", quota: str = ANN, queue: str = "") -> None:
    """A pod as admission leaves it after placing it into the queue of its user."""
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    metadata = {
        "namespace": "team",
        "name": name,
        "labels": {names.QUOTA_NAME: quota, queue_pods.QUEUE: queue},
        "annotations": {holders.STAMP: holders.stamp(user, ())},
    }
    spec = {"schedulingGates": [{"name": names.GATE}], "containers": [{"name": "c"}]}
    status = {"phase": "Pending", "conditions": [gated]}
    double.put(paths.PODS, {"metadata": metadata, "spec": spec, "status": status})


async def test_a_queue_that_a_pod_asks_for_comes_and_goes_with_the_last_of_them(
    scene: Scene,
) -> None:
    config(scene.double, BY_USER)
    alone = {"root-users": None}
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: kept(scene.double) == alone)
        ask(scene.double, "one")
        ask(scene.double, "two")
        await until(lambda: kept(scene.double) == {**alone, ANN: "2"})
        found = scene.double.object(paths.QUOTAS, HOME, ANN)
        stored = found["metadata"]
        assert stored["annotations"] == {names.SOURCE: "yunikorn:root.users.ann"}
        assert found["spec"]["reclaim"] == {"overMaxDelay": names.NEVER}
        assert found["spec"]["parent"] == "root-users"
        assert stored["labels"] == {names.DIALECT: "yunikorn"}
        scene.double.remove(paths.PODS, "team", "one")
        ask(scene.double, "one")
        scene.double.remove(paths.PODS, "team", "two")
        scene.double.remove(paths.PODS, "team", "one")
        await until(lambda: kept(scene.double) == alone)


async def test_a_queue_lingers_for_the_next_pod(scene: Scene) -> None:
    config(scene.double, BY_USER)
    async with writer_fixture.at_work(Process(scene)) as process:
        ask(scene.double, "one")
        await until(lambda: ANN in kept(scene.double))
        before = scene.double.object(paths.QUOTAS, HOME, ANN)["metadata"]["uid"]
        scene.double.remove(paths.PODS, "team", "one")
        await until(lambda: not process.source.pods.all())
        await process.more_cycles(2)
        assert ANN in kept(scene.double)
        ask(scene.double, "two")
        await process.more_cycles(2 * LINGER / PAUSE)
        assert scene.double.object(paths.QUOTAS, HOME, ANN)["metadata"]["uid"] == before


async def test_no_pod_gets_a_queue_that_the_rules_do_not_give_it(scene: Scene) -> None:
    config(scene.double, BY_USER)
    async with writer_fixture.at_work(Process(scene)) as process:
        await until(lambda: kept(scene.double) == {"root-users": None})
        ask(scene.double, "one", user="bob")
        ask(scene.double, "two", quota=naming.own(("root", "big")))
        await until(lambda: len(process.source.pods.all()) == 2)
        await process.more_cycles(3)
        assert kept(scene.double) == {"root-users": None}


async def test_a_pod_waits_for_its_queue_until_the_queue_is_known_to_be_missing(
    scene: Scene,
) -> None:
    process = Process(scene)
    source = process.source
    assert source.is_coming(ANN)
    assert not source.is_coming("team-a")
    config(scene.double, BY_USER)
    async with writer_fixture.at_work(process):
        await until(lambda: source.is_known)
        assert not source.is_coming(ANN)
        ask(scene.double, "one")
        await until(lambda: source.is_coming(ANN))


async def test_after_a_restart_the_queue_is_kept_though_the_rule_has_gone(scene: Scene) -> None:
    config(scene.double, BY_USER)
    async with writer_fixture.at_work(Process(scene)):
        ask(scene.double, "one")
        await until(lambda: ANN in kept(scene.double))
    edit(scene.double, BY_USER.replace("create: true, ", "").replace("vcore: 2", "vcore: 3"))
    before = scene.double.object(paths.QUOTAS, HOME, ANN)["metadata"]["uid"]
    async with writer_fixture.at_work(Process(scene)):
        await until(lambda: kept(scene.double) == {"root-users": None, ANN: "3"})
        assert scene.double.object(paths.QUOTAS, HOME, ANN)["metadata"]["uid"] == before
        scene.double.remove(paths.PODS, "team", "one")
        await until(lambda: kept(scene.double) == {"root-users": None})


async def test_a_pod_is_admitted_by_the_queue_that_is_made_for_it(unused_tcp_port: int) -> None:
    """Pods whose queue is not created, because of the rules or a taken name, are not admitted."""
    below_taken = naming.own(("root", "taken", "x"))
    async with ApiDouble() as double:
        for name in (HOME, "team", "yunikorn"):
            double.put(paths.NAMESPACES, {"metadata": {"name": name}})
        double.put(paths.QUOTAS, {"metadata": {"namespace": "team", "name": "root-taken"}})
        double.put(paths.NODES, {"metadata": {"name": "n-1"}, "status": ONE_NODE})
        rules = "placementrules: [{name: provided, create: true}, "
        taken = BY_USER.replace(
            "queues: [{name: users", "queues: [{name: taken, parent: true}, {name: users"
        ).replace("placementrules: [", rules)
        config(double, taken)
        ask(double, "one")
        ask(double, "two", quota=naming.own(("root", "big")))
        ask(double, "three", quota=below_taken, queue="root.taken.x")
        settings: dict[str, Any] = {"dialects": {"yunikorn": True}}
        async with controller(double, "one", unused_tcp_port, **settings):
            await until(lambda: released(double) == {"one", "two", "three"}, within=20)
            await until(lambda: len(told(double, "QuotaAdmitted")) == 3)
    assert [(pod, ANN in note) for pod, note in told(double, "QuotaAdmitted")] == [
        ("Pod one", True),
        ("Pod three", False),
        ("Pod two", False),
    ]


def released(double: ApiDouble) -> set[str]:
    return {
        pod["metadata"]["name"]
        for pod in double.objects(paths.PODS)
        if not pod["spec"].get("schedulingGates")
    }


async def test_the_whole_controller_follows_the_queues_and_reports_their_state(
    unused_tcp_port: int,
) -> None:
    async with ApiDouble() as double:
        for name in (HOME, "team", "yunikorn"):
            double.put(paths.NAMESPACES, {"metadata": {"name": name}})
        config(double, A_AND_B)
        settings: dict[str, Any] = {
            "dialects": {"yunikorn": True},
            "systemNamespaces": ["default", "kube-system"],
        }
        async with controller(double, "one", unused_tcp_port, **settings):
            await until(lambda: kept(double) == IN_STEP, within=20)
            assert await metric(unused_tcp_port) == "1.0"
            edit(double, "partitions: 5")
            async with asyncio.timeout(20):
                while await metric(unused_tcp_port) != "0.0":  # noqa: ASYNC110 - by HTTP
                    await asyncio.sleep(0.02)


async def metric(port: int) -> str:
    """Whether the configuration is good, according to the metrics."""
    async with (
        aiohttp.ClientSession() as client,
        client.get(f"http://127.0.0.1:{port}/metrics") as response,
    ):
        found = (await response.text()).partition('elasticquota_dialect_valid{dialect="yunikorn"} ')
    return found[2].partition("\n")[0]


async def test_access_lists_that_no_webhook_checks_leave_all_as_it_is(scene: Scene) -> None:
    config(scene.double, text("{name: a, submitacl: ann}"))
    async with writer_fixture.at_work(Process(scene, places_pods=False)) as process:
        await until(lambda: process.judged == [False])
        await until(lambda: len(told(scene.double, "QueuesBroken")) == 2)
        (_, fault), (_, head) = told(scene.double, "QueuesBroken")
        assert head.startswith("there is a fault in queues.yaml")
        assert fault.startswith(
            "partitions[0].queues[0].queues[0].submitacl: cannot be enforced with podAdmission "
            "policy"
        )
        assert kept(scene.double) == {}
