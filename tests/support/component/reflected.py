"""A reflector that copies pods of the double, and what a test wants to know of the copy."""

import asyncio
import contextlib
from collections.abc import MutableMapping, Sequence
from typing import Any

import msgspec

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.informer.reflector import ObjectKey, Reflector


class Meta(msgspec.Struct, rename="camel"):
    name: str
    namespace: str
    uid: str
    resource_version: str
    labels: dict[str, str] | None = None


class Spec(msgspec.Struct):
    size: int


class Pod(msgspec.Struct):
    metadata: Meta
    spec: Spec


class Copy:
    """A sink that keeps sizes by name, and records its calls."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.uids: dict[str, str] = {}
        self.deleted: list[str] = []
        self.readings = 0
        self.upserts = 0

    def upsert(self, pod: Pod) -> None:
        self.upserts += 1
        self.sizes[pod.metadata.name] = pod.spec.size
        self.uids[pod.metadata.name] = pod.metadata.uid

    def delete(self, key: ObjectKey) -> None:
        self.deleted.append(key.name)
        if self.uids.get(key.name) == key.uid:
            del self.sizes[key.name], self.uids[key.name]

    def synced(self) -> None:
        self.readings += 1


class Scene:
    """A double with pods a and b, and a reflector that retries without waiting."""

    def __init__(
        self, double: ApiDouble, api: Api, logs: Sequence[MutableMapping[str, Any]]
    ) -> None:
        self.double = double
        self.copy = Copy()
        self._logs = logs
        self.restarts: list[str] = []
        self.pauses: list[int] = []
        self.reflector: Reflector[Pod]
        self.api = api
        self._running: list[asyncio.Task[None]] = []
        self.put("a", 1)
        self.put("b", 2)

    def follow(self, **options: Any) -> None:
        def wait(failures: int) -> float:
            self.pauses.append(failures)
            return 0.01

        self.reflector = Reflector(
            self.api,
            paths.PODS,
            Pod,
            self.copy,
            wait=wait,
            on_restart=lambda _resource, why: self.restarts.append(why),
            **options,
        )
        self._running.append(asyncio.create_task(self.reflector.run()))

    async def synced(self, **options: Any) -> None:
        self.follow(**options)
        async with asyncio.timeout(5):
            await self.reflector.synced.wait()
        await self.watching()

    async def stop(self) -> None:
        for task in self._running:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def put(self, name: str, size: object, **labels: str) -> None:
        meta = {"namespace": "team", "name": name, "labels": labels}
        self.double.put(paths.PODS, {"metadata": meta, "spec": {"size": size}})

    def remove(self, name: str) -> None:
        self.double.remove(paths.PODS, "team", name)

    async def shows(self, **sizes: int) -> None:
        await until(lambda: self.copy.sizes == sizes)

    async def watching(self) -> None:
        await until(lambda: self.double.watches(paths.PODS) == 1)

    @property
    def poisoned(self) -> list[str]:
        """The objects that were reported, because they cannot be decoded."""
        found = [entry for entry in self._logs if entry["event"] == "undecodable object"]
        assert all((entry["kind"], bool(entry["why"])) == ("pods", True) for entry in found)
        return [entry["object"] for entry in found]

    @property
    def readings(self) -> int:
        """How often everything was read, in either way."""
        asked = [call for call in self.double.calls if call.path == "/api/v1/pods"]
        streamed = sum("sendInitialEvents" in call.query for call in asked)
        paged = sum("watch" not in call.query and "continue" not in call.query for call in asked)
        return streamed + paged
