"""Pods with owners, on a double of the API server and with a manual clock."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import writer_fixture
from api_double.kinds import Kind as Served
from elasticquota.jobs.adapter import JobKind
from elasticquota.jobs.kinds import table
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.reporting import kinds
from elasticquota.wire.codec.metadata import ObjectMeta, OwnerReference
from elasticquota.wire.kubernetes.pods import PodManifest, PodStatus
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Recorder
from elasticquota_kube.informer.reflector import ObjectKey
from elasticquota_operator.reporting.owner_reader import OwnerReader
from elasticquota_operator.reporting.pod_owners import PodOwners


class Event(NamedTuple):
    """An event in short."""

    about: str
    """``Kind/name``."""
    reason: str
    note: str
    times: int = 1


class Owned:
    """Objects and their pods; ``now`` is the clock of everything."""

    def __init__(self, scene: writer_fixture.Scene) -> None:
        self.scene = scene
        self.double = scene.double
        self.now = 0.0
        self.recorder = Recorder(scene.api, "elasticquota.dev/test", "test", clock=lambda: self.now)
        self.owners = PodOwners()
        self.table = kinds.table(table.table())
        self.reader = OwnerReader(scene.api, self.table, clock=lambda: self.now)
        for kind, served in self.table.items():
            if kind != kinds.POD:
                self.double.serve(
                    Served(Resource(kind.group, served.versions[0], served.plural), kind.kind)
                )

    def resource(self, group: str, kind: str) -> Resource:
        served = self.table[JobKind(group, kind)]
        return Resource(group, served.versions[0], served.plural)

    def put(
        self,
        api_version: str,
        kind: str,
        name: str,
        owner: Owner | None = None,
        namespace: str = "team",
    ) -> Owner:
        """Put an object into the double; returns a reference to it."""
        resource = self.resource(api_version.rpartition("/")[0], kind)
        manifest = {"metadata": {"namespace": namespace, "name": name, **references(owner)}}
        uid = self.double.put(resource, manifest)["metadata"]["uid"]
        return Owner(api_version, kind, name, uid)

    def deployment(self, name: str) -> tuple[Owner, Owner]:
        """A Deployment and its ReplicaSet."""
        top = self.put("apps/v1", "Deployment", name)
        return top, self.put("apps/v1", "ReplicaSet", f"{name}-5d9c", top)

    def see(
        self, owner: Owner | None, *pods: str, phase: str = "Pending", namespace: str = "team"
    ) -> None:
        """Show pods, as the watch would."""
        for pod in pods:
            self.owners.upsert(manifest(pod, owner, phase, namespace))

    def lose(self, *pods: str) -> None:
        """Show that pods are gone."""
        for pod in pods:
            self.owners.delete(ObjectKey("team", pod, f"uid-{pod}"))

    async def events(self) -> list[Event]:
        """All events, in the order of objects and reasons."""
        async with writer_fixture.at_work(self.recorder):
            await self.recorder.flush()
        return sorted(
            Event(
                f"{event['regarding']['kind']}/{event['regarding']['name']}",
                event["reason"],
                event["note"],
                event.get("series", {}).get("count", 1),
            )
            for event in self.double.objects(paths.EVENTS)
        )


def references(owner: Owner | None) -> dict[str, Any]:
    if owner is None:
        return {}
    return {
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Other", "name": "beside", "uid": "none"},
            {
                "apiVersion": owner.api_version,
                "kind": owner.kind,
                "name": owner.name,
                "uid": owner.uid,
                "controller": True,
            },
        ]
    }


def manifest(
    name: str, owner: Owner | None, phase: str = "Pending", namespace: str = "team"
) -> PodManifest:
    meta = ObjectMeta(name=name, namespace=namespace, uid=f"uid-{name}")
    if owner is not None:
        meta.owner_references = [
            OwnerReference(
                owner.kind,
                owner.name,
                controller=True,
                api_version=owner.api_version,
                uid=owner.uid,
            )
        ]
    return PodManifest(metadata=meta, status=PodStatus(phase=phase))


def wait(name: str, place: int = 1, quota: str = "team-a", message: str = "why") -> Wait:
    return Wait(Key("team", name), f"uid-{name}", quota, "QuotaExhausted", message, place)


@contextlib.asynccontextmanager
async def owned() -> AsyncIterator[Owned]:
    async with writer_fixture.scene() as scene:
        yield Owned(scene)
