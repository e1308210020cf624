"""A cluster like a company's: a tree of a thousand quotas, thousands of running pods, few waiting.

It has the real API server, a hundred kwok nodes, and the product installed from its chart without a
controller. The controller is a process of the benchmark, with the token of the chart's service
account, so that its start, its end and its memory can be measured. Running pods are created with
their node, which spares the scheduler; gated pods go the usual way.
"""

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import cluster_fixtures, local_fixture, measure
from benchmarks.controller_process import ControllerProcess
from benchmarks.local_fixture import Sights
from elasticquota import names
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.informer import reflector
from local_cluster import cluster, kubeconfig, product


QUOTAS: Final = 1_000
DEPARTMENTS: Final = 10
NODES: Final = 100
SPACE: Final = "teams"
_CPUS: Final = 128
"""Of each node."""

_OFFERED: Final = {"cpu": str(_CPUS), "memory": "512Gi", "pods": "500"}
_POOL: Final = {"pool": "estate"}
_ACCOUNTS: Final = paths.Resource("", "v1", "serviceaccounts")
_NEWCOMERS: Final = "newcomers"
"""The quota of the gated pods."""

_CONTROLLER: Final = f"{product.RELEASE}-controller"
_PATIENCE: Final = 300.0
_TO_RUN: Final = 900.0
"""Seconds until thousands of pods run that were created as fast as possible."""
_TOKEN_SECONDS: Final = 86_400
VALUES: Final = {
    "podAdmission": "policy",
    "controller": {"replicas": 0},
    "webhook": {"replicas": 1},
    "policy": {"breakGlassGroups": ["system:masters"]},
}


class _Status(msgspec.Struct):
    pods: dict[str, int] = msgspec.field(default_factory=dict)


class QuotaSeen(msgspec.Struct):
    """The fields of a quota that are read."""

    metadata: ObjectMeta
    status: _Status | None = None

    @property
    def pods(self) -> int:
        """Number of pods in its status."""
        return (self.status and self.status.pods.get("admitted")) or 0


class Figures:
    """Number of pods in the status of each quota; ``told`` is called with each change."""

    def __init__(self) -> None:
        self.pods: dict[str, int] = {}
        self.told: Any = lambda _quota, _pods: None

    def upsert(self, quota: QuotaSeen, /) -> None:
        name = quota.metadata.name
        if self.pods.get(name) != quota.pods:
            self.pods[name] = quota.pods
            self.told(name, quota.pods)

    def delete(self, key: reflector.ObjectKey, /) -> None:
        self.pods.pop(key.name, None)

    def synced(self) -> None:
        pass


class PodEvents(Sights):
    """``Sights`` that also counts every event of the watch."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def upsert(self, pod: local_fixture.PodSeen, /) -> None:
        self.count += 1
        super().upsert(pod)

    def delete(self, key: reflector.ObjectKey, /) -> None:
        self.count += 1
        super().delete(key)


class Estate:
    """A busy cluster; create it with ``opened``."""

    def __init__(self, api: Api, running: cluster.Cluster, folder: Path) -> None:
        self.api = api
        self.sights = PodEvents()
        self.figures = Figures()
        self.leaves = [f"team-{number:04}" for number in range(QUOTAS - DEPARTMENTS - 1)]
        self.account = f"system:serviceaccount:{product.NAMESPACE}:{_CONTROLLER}"
        self.audit_log = running.audit_log
        self._running = running
        self._folder = folder
        self._numbers = itertools.count()
        self.standing: dict[str, list[str]] = {leaf: [] for leaf in self.leaves}
        """Running pods, by quota."""

    def controller(self, identity: str) -> ControllerProcess:
        """A controller process that is not started yet."""
        return ControllerProcess(
            self._folder,
            self._folder / "controller.kubeconfig",
            identity=identity,
            namespace=product.NAMESPACE,
            configuration={"lease": {}},
        )

    async def credentials(self) -> None:
        """Write a kubeconfig for the controller's service account."""
        wanted: Document = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _TOKEN_SECONDS},
        }
        made = await self.api.create(
            _ACCOUNTS, product.NAMESPACE, wanted, name=_CONTROLLER, subresource="token"
        )
        token = self._folder / "token"
        token.write_text(made["status"]["token"])
        kubeconfig.for_token_file(
            self._folder / "controller.kubeconfig",
            api=self._running.api,
            authority=self._running.folder / "pki" / "ca.crt",
            token=token,
            namespace=product.NAMESPACE,
        )

    async def furnish(self) -> None:
        """Create namespace, nodes and profile; the running controller creates the root quota."""
        await self.api.create(paths.NAMESPACES, None, {"metadata": {"name": SPACE}})
        await cluster_fixtures.many(
            self.api.create(
                paths.NODES, None, cluster_fixtures.node(f"estate-{number:03}", _POOL, _OFFERED)
            )
            for number in range(NODES)
        )
        await self.api.create(
            paths.PROFILES, SPACE, cluster_fixtures.profile("estate", "estate", _POOL)
        )
        async with asyncio.timeout(_PATIENCE):
            while not (  # noqa: ASYNC110 - asked a few times
                await self.api.list(paths.QUOTAS, SPACE) and await self.api.list(_ACCOUNTS, SPACE)
            ):
                await asyncio.sleep(0.1)
        departments = [f"department-{number}" for number in range(DEPARTMENTS)]
        for name in departments:
            await self.api.create(paths.QUOTAS, SPACE, _quota(name, "estate", is_parent=True))
        await self.api.create(paths.QUOTAS, SPACE, _quota(_NEWCOMERS, "estate", is_parent=False))
        await cluster_fixtures.many(
            self.api.create(
                paths.QUOTAS,
                SPACE,
                _quota(leaf, departments[number % DEPARTMENTS], is_parent=False),
            )
            for number, leaf in enumerate(self.leaves)
        )

    async def fill(self, pods: int) -> None:
        """Create running pods up to this number, spread evenly."""
        there = sum(map(len, self.standing.values()))
        leaves = itertools.islice(itertools.cycle(self.leaves), there, pods)
        await cluster_fixtures.many(self.start(leaf) for leaf in leaves)
        await self.sights.until(lambda: len(self.sights.running) >= pods, _TO_RUN)

    async def start(self, quota: str) -> None:
        """Create one more running pod."""
        number = next(self._numbers)
        name = f"{quota}-{number}"
        self.standing[quota].append(name)
        pod = _pod(name, quota)
        pod["spec"]["nodeName"] = f"estate-{number % NODES:03}"
        await self.api.create(paths.PODS, SPACE, pod)

    async def stop(self, quota: str) -> None:
        """Delete one pod at once."""
        name = self.standing[quota].pop(0)
        await self.api.delete(paths.PODS, SPACE, name, grace_seconds=0)

    async def ask(self, name: str) -> None:
        """Create a pod that the API server holds with the gate."""
        await self.api.create(paths.PODS, SPACE, _pod(name, _NEWCOMERS))

    async def drop(self, name: str) -> None:
        """Delete a pod and wait until it is gone."""
        await self.api.delete(paths.PODS, SPACE, name, grace_seconds=0)
        await self.sights.until(lambda: name not in self.sights.created)

    async def quiet(self) -> None:
        """Wait until every status shows the running pods."""
        async with asyncio.timeout(_PATIENCE):
            while any(  # noqa: ASYNC110 - asked a few times
                self.figures.pods.get(leaf, 0) != len(self.standing[leaf]) for leaf in self.leaves
            ):
                await asyncio.sleep(0.2)


@asynccontextmanager
async def opened(values: Mapping[str, object] = VALUES) -> AsyncIterator[Estate]:
    """Yield a cluster with its quotas and without pods."""
    with (
        tempfile.TemporaryDirectory() as named,
        cluster.start(Path(named) / "local", say=measure.say) as running,
    ):
        product.install(running, values)
        async with (
            Api(credentials.load(Login(running.kubeconfig)), timeout=60) as api,
            asyncio.TaskGroup() as tasks,
        ):
            estate = Estate(api, running, Path(named))
            await estate.credentials()
            pods = reflector.Reflector(
                api, paths.PODS, local_fixture.PodSeen, estate.sights, namespace=SPACE
            )
            quotas = reflector.Reflector(
                api, paths.QUOTAS, QuotaSeen, estate.figures, namespace=SPACE
            )
            watching = [tasks.create_task(pods.run()), tasks.create_task(quotas.run())]
            with estate.controller("first"):
                measure.say(f"{QUOTAS:,} quotas")
                await estate.furnish()
            yield estate
            for task in watching:
                task.cancel()


def _pod(name: str, quota: str) -> Document:
    return cluster_fixtures.pod(name, SPACE, {names.QUOTA_NAME: quota}, _POOL)


def _quota(name: str, parent: str, *, is_parent: bool) -> Document:
    return cluster_fixtures.quota(name, parent, 0, NODES * _CPUS, is_parent=is_parent)
