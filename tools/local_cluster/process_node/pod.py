"""Runs one pod: volumes, containers, status, removal. The chart's pods have no init containers."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local_cluster import api, folder, kubeconfig
from local_cluster.process_node import (
    container,
    environment,
    mounts,
    refusal,
    sources,
    status,
    tokens,
    volumes,
)


_REFRESH_SECONDS = 1.0
_RETRY_SECONDS = 0.5
_GONE = {404, 409}
"""Status codes of a status write when the pod was removed, or replaced by one of its name."""
_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a pod needs from its node."""

    client: api.Client
    place: folder.Folder
    host_ip: str
    changed: Callable[[], None]
    """Called whenever a container's state changes."""


class Pod:
    """A pod bound to this node, from when it is first seen until it is removed."""

    def __init__(self, manifest: api.Object, ip: str, around: Surroundings) -> None:
        metadata = manifest["metadata"]
        self.manifest = manifest
        self.namespace: str = metadata["namespace"]
        self.name: str = metadata["name"]
        self.uid: str = metadata["uid"]
        self.ip = ip
        self.leaving = False
        self._around = around
        self._folder = around.place.pods / self.uid
        self._since = manifest.get("status", {}).get("startTime") or api.timestamp()
        self._volumes = volumes.Volumes(
            manifest,
            self._folder / "volumes",
            known=sources.Sources(around.client),
            own_tokens=tokens.Tokens(around.client, manifest),
            pod_ip=ip,
        )
        spec = manifest["spec"]
        policy = spec.get("restartPolicy", "Always")
        self._policy = policy
        self._containers = [self._container(told, policy) for told in spec["containers"]]
        self._dirty = asyncio.Event()
        self._dirty.set()
        self._conditions: list[dict[str, Any]] = manifest.get("status", {}).get("conditions", [])
        self._tasks = [
            asyncio.create_task(self._run()),
            asyncio.create_task(self._refresh()),
            asyncio.create_task(self._publish()),
        ]

    @property
    def ready(self) -> bool:
        """Whether it may get connections."""
        return not self.leaving and all(each.state.ready for each in self._containers)

    @property
    def ports(self) -> Mapping[str, int]:
        """Container ports by name."""
        return {name: port for each in self._containers for name, port in each.ports.items()}

    def processes(self) -> dict[str, int]:
        """The process ids of its running containers, by ``namespace/pod/container``."""
        return {
            f"{self.namespace}/{self.name}/{each.state.name}": each.state.pid
            for each in self._containers
            if each.state.pid is not None
        }

    async def leave(self, grace: float) -> None:
        """End all containers within ``grace`` seconds; write the last status if possible."""
        self.leaving = True
        self._around.changed()
        run, *others = self._tasks
        await asyncio.gather(*(each.stop(grace) for each in self._containers))
        await asyncio.gather(run, return_exceptions=True)
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        with contextlib.suppress(api.ApiError):  # optional: the pod is about to be removed
            await self._write_status()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _container(self, told: dict[str, Any], policy: str) -> container.Container:
        former = self.manifest.get("status", {}).get("containerStatuses", [])
        return container.Container(
            told,
            pod_name=f"{self.namespace}/{self.name}",
            pod_ip=self.ip,
            policy=policy,
            grace=self.manifest["spec"].get("terminationGracePeriodSeconds", 30),
            plan=self._plan,
            changed=self._changed,
            former=next((one for one in former if one["name"] == told["name"]), None),
        )

    async def _run(self) -> None:
        await asyncio.gather(*(each.run() for each in self._containers))

    async def _refresh(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            try:
                await self._volumes.refresh()
            except (api.ApiError, refusal.RefusalError) as error:
                # The files that exist stay, as on a real node.
                print(f"{self.namespace}/{self.name}: volumes not refreshed: {error}", flush=True)

    async def _plan(self, told: dict[str, Any]) -> container.Plan:
        if "initContainers" in self.manifest["spec"]:
            raise refusal.config("the process node knows no init containers")
        await self._volumes.refresh()
        place = self._folder / told["name"]
        place.mkdir(parents=True, exist_ok=True)
        mounted = mounts.Mounts(
            {
                mount["mountPath"].rstrip("/"): self._volumes.place(mount["name"])
                / mount.get("subPath", "")
                for mount in told.get("volumeMounts", [])
            }
        )
        client = self._around.client
        base = environment.base(self.manifest, client.url, place, mounted)
        base["POD_IP"] = self.ip  # all pods share the network of this machine
        if (account := mounted.place(_ACCOUNT)) is not None:
            base["KUBECONFIG"] = str(self._kubeconfig(account))
        variables = environment.build(
            self.manifest, told, base=base, mounted=mounted, pod_ip=self.ip
        )
        log = self._around.place.pod_log(self.namespace, self.name, told["name"])
        return container.Plan(variables, mounted, place, log)

    def _kubeconfig(self, account: Path) -> Path:
        return kubeconfig.for_token_file(
            self._folder / "kubeconfig",
            api=self._around.client.url,
            authority=account / "ca.crt",
            token=account / "token",
            namespace=self.namespace,
        )

    def _changed(self) -> None:
        self._dirty.set()
        self._around.changed()

    async def _publish(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            try:
                await self._write_status()
            except api.ApiError as error:
                if isinstance(error, api.RejectedError) and error.code in _GONE:
                    return
                print(f"{self.namespace}/{self.name}: status not written: {error}", flush=True)
                await asyncio.sleep(_RETRY_SECONDS)
                self._dirty.set()

    async def _write_status(self) -> None:
        states = [each.state for each in self._containers]
        phase = status.phase(states, self._policy)
        self._conditions = status.conditions(
            states, pod_phase=phase, now=api.timestamp(), former=self._conditions
        )
        document: api.Object = {
            "phase": phase,
            "startTime": self._since,
            "hostIP": self._around.host_ip,
            "hostIPs": [{"ip": self._around.host_ip}],
            "podIP": self.ip,
            "podIPs": [{"ip": self.ip}],
            "conditions": self._conditions,
            "containerStatuses": [each.document() for each in states],
        }
        await self._around.client.strategic_merge(
            f"/api/v1/namespaces/{self.namespace}/pods/{self.name}/status",
            {"metadata": {"uid": self.uid}, "status": document},
        )
