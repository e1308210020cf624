"""A local cluster in which enforcement is measured: ten nodes, one tree, a controller on demand.

The tree is ``root`` > ``gate`` > the quotas of a case. Pods of the quotas can be created while the
max of ``gate`` is 0, and admitted by one edit. ``Sights`` watches all pods and records when each
was first seen ungated, running, and gone.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import msgspec
from prometheus_client.parser import text_string_to_metric_families

from benchmarks import cluster_fixtures, measure
from elasticquota import names
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.rest.session import SessionRequest
from elasticquota_kube.informer import reflector
from local_cluster import cluster, product
from local_cluster.cluster import Cluster


NODES: Final = 10
CPUS: Final = 32
"""Of each node."""

_NODE: Final = {"cpu": str(CPUS), "memory": "128Gi", "pods": "250"}
_EVERYTHING: Final = NODES * CPUS
_POOL: Final = {"pool": "measured"}

TEAMS: Final = "teams"
OUTSIDE: Final = "outside"
"""A namespace of pods that belong to no quota."""

GATE: Final = "example.com/measured"
"""The gate of the pods outside."""

KEPT: Final = {"kept": "yes"}
"""Labels of a pod that no case deletes and none watches."""

_CONTROLLER: Final = f"{product.RELEASE}-controller"
_PATIENCE: Final = 180.0
_STILL: Final = 2.0
"""Seconds without a call, after which the controller is at rest."""

_ACCOUNTS: Final = paths.Resource("", "v1", "serviceaccounts")


class _Spec(msgspec.Struct, rename="camel"):
    scheduling_gates: list[Any] | None = None


class _Status(msgspec.Struct):
    phase: str = ""


class PodSeen(msgspec.Struct):
    """The fields of a pod that are read."""

    metadata: ObjectMeta
    spec: _Spec
    status: _Status


class Sights:
    """When each pod was first seen in each state, by name. Seconds of ``perf_counter``."""

    def __init__(self) -> None:
        self.created: dict[str, float] = {}
        self.released: dict[str, float] = {}
        self.running: dict[str, float] = {}
        self.leaving: dict[str, float] = {}
        self._changed = asyncio.Event()

    def upsert(self, pod: PodSeen, /) -> None:
        now, name = time.perf_counter(), pod.metadata.name
        self.created.setdefault(name, now)
        if not pod.spec.scheduling_gates:
            self.released.setdefault(name, now)
        if pod.status.phase == "Running":
            self.running.setdefault(name, now)
        if pod.metadata.deleting:
            self.leaving.setdefault(name, now)
        self._changed.set()

    def delete(self, key: reflector.ObjectKey, /) -> None:
        for seen in (self.created, self.released, self.running):
            seen.pop(key.name, None)
        self.leaving.setdefault(key.name, time.perf_counter())
        self._changed.set()

    def synced(self) -> None:
        pass

    async def until(self, seen: Callable[[], bool], patience: float = _PATIENCE) -> None:
        """Wait until ``seen`` is true, at most ``patience`` seconds."""
        async with asyncio.timeout(patience):
            while not seen():
                self._changed.clear()
                await self._changed.wait()


class Playground:
    """A cluster to measure in; create it with ``opened``."""

    def __init__(self, api: Api, running: Cluster) -> None:
        self.api = api
        self.sights = Sights()
        self._running = running
        self._quotas: list[str] = []

    # -- quotas and pods

    async def gate(self, *, is_open: bool) -> None:
        """Set the max of ``gate`` to everything, or to 0."""
        cpus = {"cpu": str(_EVERYTHING) if is_open else "0"}
        change = {"spec": {"min": cpus, "max": cpus}}
        await self.api.patch(paths.QUOTAS, TEAMS, "gate", change)

    async def quotas(self, wanted: Mapping[str, int]) -> None:
        """Have exactly these quotas below ``gate``: name and min, in cpus."""
        while self._quotas:
            await self.api.delete(paths.QUOTAS, TEAMS, self._quotas[-1])
            self._quotas.pop()
        for name, low in wanted.items():
            await self.api.create(
                paths.QUOTAS, TEAMS, cluster_fixtures.quota(name, "gate", low, _EVERYTHING)
            )
            self._quotas.append(name)

    async def create(self, pods: Iterable[Document]) -> None:
        await cluster_fixtures.many(
            self.api.create(paths.PODS, pod["metadata"]["namespace"], pod) for pod in pods
        )

    async def clear(self) -> None:
        """Delete all pods but those that are kept, and forget what was seen."""
        params = {"gracePeriodSeconds": "0", "labelSelector": "kept!=yes"}
        for namespace in (TEAMS, OUTSIDE):
            await self._delete_all(paths.PODS, namespace, params)
        await self.sights.until(lambda: not self.sights.created)
        self.sights.leaving.clear()

    async def empty(self) -> None:
        """Delete what another case left: workloads with their pods, other pods, and quotas."""
        await self._delete_all(paths.DEPLOYMENTS, TEAMS, {"propagationPolicy": "Foreground"})
        async with asyncio.timeout(_PATIENCE):
            while await self.api.list(paths.DEPLOYMENTS, TEAMS):  # noqa: ASYNC110 - a few times
                await asyncio.sleep(0.5)
        await self.clear()
        await self.quotas({})
        await self.gate(is_open=True)

    async def _delete_all(
        self, resource: paths.Resource, namespace: str, params: Mapping[str, str]
    ) -> None:
        path = resource.list(namespace)
        asked = SessionRequest("deletecollection", resource.plural, "DELETE", path, params)
        await self.api.within(_PATIENCE).send(asked)

    # -- the controller

    async def controller(self, *, replicas: int) -> None:
        """Run this many replicas; returns once one leads, if there are any."""
        change = {"spec": {"replicas": replicas}}
        await self.api.patch(paths.DEPLOYMENTS, product.NAMESPACE, _CONTROLLER, change)
        async with asyncio.timeout(_PATIENCE):
            while True:
                pods = await self._controllers()
                if len(pods) == replicas and (not pods or await self._leads(pods)):
                    return
                await asyncio.sleep(0.2)

    async def calls(self) -> dict[tuple[str, str], int]:
        """Calls of the controller to the API server once it rests: (verb, resource) -> count."""
        before = await self.counted()
        async with asyncio.timeout(_PATIENCE):
            while True:
                await asyncio.sleep(_STILL)
                after = await self.counted()
                if after == before:
                    return after
                before = after

    async def counted(self) -> dict[tuple[str, str], int]:
        """Calls of the controllers until now."""
        found: dict[tuple[str, str], int] = {}
        for pod in await self._controllers():
            for labels, value in await self._metrics(pod, "elasticquota_api_calls_total"):
                place = (labels["verb"], labels["resource"])
                found[place] = found.get(place, 0) + int(value)
        return found

    async def processes(self) -> dict[str, int]:
        """The process ids of the control plane, this client and the controller, if one runs."""
        found = {"this client": os.getpid()}
        for name, component in self._running.components().items():
            found[name] = component.process.pid
        for pod in await self._controllers():
            pid = self._running.pod_pid(product.NAMESPACE, pod["metadata"]["name"], "controller")
            if pid is not None:
                found["controller"] = pid
        return found

    async def _controllers(self) -> list[Document]:
        pods = await self.api.list(paths.PODS, product.NAMESPACE)
        return [pod for pod in pods if pod["metadata"]["name"].startswith(f"{_CONTROLLER}-")]

    async def _leads(self, pods: list[Document]) -> bool:
        try:
            leaders = [await self._metrics(pod, "elasticquota_leader") for pod in pods]
        except (aiohttp.ClientError, KeyError):
            return False
        return any(value for found in leaders for _, value in found)

    async def _metrics(self, pod: Document, sample: str) -> list[tuple[dict[str, str], float]]:
        """Labels and values of the samples of that name."""
        page = f"http://{pod['status']['podIP']}:8080/metrics"
        async with aiohttp.ClientSession() as session, session.get(page) as answer:
            text = await answer.text()
        return [
            (found.labels, found.value)
            for family in text_string_to_metric_families(text)
            for found in family.samples
            if found.name == sample
        ]


@asynccontextmanager
async def opened(values: Mapping[str, object]) -> AsyncIterator[Playground]:
    """Yield a new cluster with the product installed with these values."""
    base = {"webhook": {"pods": {"excludedNamespaces": ["kube-node-lease", OUTSIDE]}}}
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster.start(Path(folder) / "local", say=measure.say) as running,
    ):
        product.install(running, product.overlaid(base, values))
        async with (
            Api(credentials.load(Login(running.kubeconfig))) as api,
            asyncio.TaskGroup() as tasks,
        ):
            ground = Playground(api, running)
            await _furnish(api)
            sights = reflector.Reflector(
                api, paths.PODS, PodSeen, ground.sights, label_selector="measured"
            )
            watching = tasks.create_task(sights.run())
            yield ground
            watching.cancel()


async def _furnish(api: Api) -> None:
    for namespace in (TEAMS, OUTSIDE):
        await api.create(paths.NAMESPACES, None, {"metadata": {"name": namespace}})
    for number in range(NODES):
        await api.create(paths.NODES, None, cluster_fixtures.node(f"node-{number}", _POOL, _NODE))
    await api.create(paths.PROFILES, TEAMS, cluster_fixtures.profile("pool", "root", _POOL))
    async with asyncio.timeout(_PATIENCE):
        while not (  # noqa: ASYNC110 - asked a few times
            await api.list(_ACCOUNTS, TEAMS)
            and await api.list(_ACCOUNTS, OUTSIDE)
            and await api.list(paths.QUOTAS, TEAMS)
        ):
            await asyncio.sleep(0.1)
    gate = cluster_fixtures.quota("gate", "root", _EVERYTHING, _EVERYTHING, is_parent=True)
    await api.create(paths.QUOTAS, TEAMS, gate)


def pod(name: str, quota: str | None, *, milli: int = 100) -> Document:
    """A pod of a quota, or one without a quota and with another controller's gate."""
    labels = {"measured": "yes", **({names.QUOTA_NAME: quota} if quota else {})}
    made = cluster_fixtures.pod(name, TEAMS if quota else OUTSIDE, labels, _POOL, milli)
    made["spec"]["schedulingGates"] = [] if quota else [{"name": GATE}]
    return made
