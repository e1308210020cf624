"""Claims and devices are followed once the API server serves them, and never written."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from structlog.testing import capture_logs

import writer_fixture
from api_double import Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota.model.claims import ClaimingPod
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.informers.device_objects import DeviceObjects
from writer_fixture import Scene


def _of(plural: str) -> Resource:
    return Resource("resource.k8s.io", "v1", plural)


CLASSES, SLICES = _of("deviceclasses"), _of("resourceslices")
CLAIMS, TEMPLATES = _of("resourceclaims"), _of("resourceclaimtemplates")
GPU = "gpu.example.com.deviceclass.resource.k8s.io/devices"
POD = Key("team", "a")


def devices(scene: Scene, **options: Any) -> DeviceObjects:
    return DeviceObjects(scene.context(), every=0.01, **options)


def serve(scene: Scene) -> None:
    scene.double.serve(Kind(CLASSES, "DeviceClass", namespaced=False))
    scene.double.serve(Kind(SLICES, "ResourceSlice", namespaced=False))
    scene.double.serve(Kind(CLAIMS, "ResourceClaim", status=True))
    scene.double.serve(Kind(TEMPLATES, "ResourceClaimTemplate"))


def put_class(scene: Scene, expression: str = 'device.driver == "d.example.com"') -> None:
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    scene.double.put(CLASSES, {"metadata": {"name": "gpu.example.com"}, "spec": spec})


def put_slice(scene: Scene, count: int) -> None:
    spec = {
        "driver": "d.example.com",
        "nodeName": "node-0",
        "pool": {"name": "node-0", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{index}"} for index in range(count)],
    }
    scene.double.put(SLICES, {"metadata": {"name": "node-0"}, "spec": spec})


def put_claim(scene: Scene, count: int) -> None:
    exactly = {"deviceClassName": "gpu.example.com", "count": count}
    requests = [{"name": "gpu", "exactly": exactly}]
    metadata = {"namespace": "team", "name": "ours"}
    scene.double.put(CLAIMS, {"metadata": metadata, "spec": {"devices": {"requests": requests}}})


def see(scene: Scene, known: DeviceObjects) -> None:
    """A node, and a waiting pod with a claim, as the watches show them."""
    pods = ledger_handlers.of_pods(scene.ledger, scene.touch, devices=known.tracker)
    nodes = ledger_handlers.of_nodes(scene.ledger, scene.touch, known.tracker)
    ready = [{"type": "Ready", "status": "True"}]
    node = {"metadata": {"name": "node-0"}, "status": {"allocatable": {}, "conditions": ready}}
    nodes.upsert(msgspec.convert(node, nodes.kind))
    pod = {
        "metadata": {"namespace": "team", "name": "a", "uid": "u"},
        "spec": {
            "schedulingGates": [{"name": "elasticquota.dev/admission"}],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "ours"}],
        },
    }
    assert pods.upsert(msgspec.convert(pod, pods.kind))
    assert not pods.upsert(msgspec.convert(pod, pods.kind)), "the same pod is no news"


@asynccontextmanager
async def following(scene: Scene) -> AsyncIterator[DeviceObjects]:
    """It has read what there is, and a node and a pod are seen."""
    known = devices(scene)
    see(scene, known)
    async with writer_fixture.at_work(known):
        await until(lambda: all(each.is_set() for each in known.filled))
        yield known


def asked(scene: Scene, known: DeviceObjects) -> int:
    known.refresh()
    return scene.ledger.pods[POD].request.get(GPU, 0)


def offered(scene: Scene, known: DeviceObjects) -> int:
    known.refresh()
    return scene.ledger.nodes["node-0"].allocatable.get(GPU, 0)


def obstacle(scene: Scene, known: DeviceObjects) -> str:
    known.refresh()
    found = scene.ledger.pods[POD]
    assert isinstance(found, ClaimingPod)
    return found.obstacle


async def test_pods_and_nodes_have_their_devices_and_follow_changes(scene: Scene) -> None:
    serve(scene)
    put_class(scene)
    put_slice(scene, 4)
    put_claim(scene, 2)
    async with following(scene) as known:
        assert (asked(scene, known), offered(scene, known)) == (2, 4)
        put_slice(scene, 6)
        await until(lambda: offered(scene, known) == 6)
        await scene.api.delete(CLAIMS, "team", "ours")
        await until(lambda: "ResourceClaim team/ours does not exist" in obstacle(scene, known))
        put_claim(scene, 3)
        await until(lambda: asked(scene, known) == 3)
        assert obstacle(scene, known) == ""
    assert scene.touches > 4
    assert {call.method for call in scene.double.calls} == {"GET", "DELETE"}


async def test_a_server_without_devices_delays_nothing_until_it_serves_them(scene: Scene) -> None:
    async with following(scene) as known:
        assert (asked(scene, known), obstacle(scene, known)) == (0, "")
        serve(scene)
        put_claim(scene, 2)
        await until(lambda: asked(scene, known) == 2)


async def test_claims_that_may_not_be_read_hold_no_pod(scene: Scene) -> None:
    serve(scene)
    scene.double.faults.answer(Refusal(403, "Forbidden", "no"), times=1000, path="resourceclaims")
    async with following(scene) as known:
        assert (asked(scene, known), obstacle(scene, known)) == (0, "")


async def test_a_class_that_cannot_be_counted_is_logged_once_and_gets_an_event(
    scene: Scene,
) -> None:
    serve(scene)
    put_class(scene, 'ip("10.0.0.1").family() == 4')
    put_slice(scene, 4)
    leads: list[bool] = []
    known = DeviceObjects(scene.context(leading=lambda: bool(leads)), every=0.01)
    see(scene, known)
    with capture_logs() as logs:
        async with writer_fixture.at_work(known), writer_fixture.at_work(scene.recorder):
            await until(lambda: all(each.is_set() for each in known.filled))
            known.refresh()
            await scene.recorder.flush()
            assert scene.double.objects(paths.EVENTS) == [], "a standby writes nothing"
            leads.append(True)
            for _ in range(3):
                known.refresh()
            await scene.recorder.flush()
            (event,) = scene.double.objects(paths.EVENTS)
    said = [each for each in logs if each.get("device_class") == "gpu.example.com"]
    assert len(said) == 1
    assert "undeclared reference to 'ip'" in said[0]["why"]
    assert (event["reason"], event["type"]) == ("QuotaDevicesNotCounted", "Warning")
    assert event["regarding"]["name"] == "gpu.example.com"
    assert event["note"].endswith("; such devices do not count in quotas")


async def test_nothing_is_watched_when_devices_are_switched_off(scene: Scene) -> None:
    known = devices(scene, follows=False)
    assert list(known.filled) == []
    see(scene, known)
    assert asked(scene, known) == 0
    await known.run()
    assert scene.double.calls == []
