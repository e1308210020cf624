"""Runs exactly the pods that the API server reports as bound to this node.

It lists them three times a second; a LIST copes with a restarted API server, which a watch would
have to detect. While the API server gives no answer, everything that runs goes on.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from local_cluster import api, folder, state
from local_cluster.process_node import addresses, logserver, node, pod, services


_POLL_SECONDS = 0.3
_HASTE_SECONDS = 2.0


class Agent:
    """Does a kubelet's work: starts pods, runs them and removes them."""

    def __init__(self, client: api.Client, place: folder.Folder, network: str) -> None:
        self._client = client
        self._place = place
        self._addresses = addresses.Addresses(network)
        self._pods: dict[str, pod.Pod] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._proxy = services.Proxy(client, self._ready)
        self._around = pod.Surroundings(client, place, self._addresses.node, self._changed)
        self._logs = logserver.LogServer(place, self._runs)
        self._silent = False

    async def run(self) -> None:
        """Run the node until cancelled; then end every process of its pods."""
        self._bury_former()
        port = await self._logs.start(self._addresses.node)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(node.live(self._client, self._addresses.node, port))
                group.create_task(self._proxy.run())
                group.create_task(self._poll())
        finally:
            await asyncio.gather(*(each.leave(_HASTE_SECONDS) for each in self._pods.values()))
            await self._logs.stop()

    async def _poll(self) -> None:
        while True:
            try:
                answer = await self._client.get(
                    "/api/v1/pods", {"fieldSelector": f"spec.nodeName={node.NAME}"}
                )
            except api.ApiError as error:
                if not self._silent:
                    print(f"{api.timestamp()} no list of pods: {error}", flush=True)
                self._silent = True
            else:
                self._silent = False
                self._follow({one["metadata"]["uid"]: one for one in answer["items"]})
            await asyncio.sleep(_POLL_SECONDS)

    def _follow(self, bound: Mapping[str, api.Object]) -> None:
        # Pods that have an address get it before a new pod can take it.
        for uid, manifest in sorted(bound.items(), key=lambda item: not _address(item[1])):
            going = "deletionTimestamp" in manifest["metadata"]
            if uid in self._leaving:
                continue
            if uid in self._pods:
                self._pods[uid].manifest = manifest
            elif not going and manifest.get("status", {}).get("phase") in {"Succeeded", "Failed"}:
                continue
            elif not going:
                self._start(uid, manifest)
            if going:
                grace = manifest["metadata"].get("deletionGracePeriodSeconds", 0)
                self._leaving[uid] = asyncio.create_task(self._remove(uid, manifest, grace))
        for uid in set(self._pods) - set(bound) - set(self._leaving):
            self._leaving[uid] = asyncio.create_task(self._remove(uid, None, 0))

    def _start(self, uid: str, manifest: api.Object) -> None:
        try:
            ip = self._addresses.take(_address(manifest))
        except addresses.FullError as error:
            print(f"{api.timestamp()} {manifest['metadata']['name']}: {error}", flush=True)
            return
        self._pods[uid] = pod.Pod(manifest, ip, self._around)

    async def _remove(self, uid: str, manifest: api.Object | None, grace: float) -> None:
        """End the pod's processes, then delete its object; the next poll retries a failure."""
        try:
            if (one := self._pods.get(uid)) is not None:
                await one.leave(grace)
                del self._pods[uid]
                self._addresses.give_back(one.ip)
                self._changed()
            if manifest is not None:
                await self._delete(manifest)
        except api.ApiError as error:
            print(f"{api.timestamp()} pod not removed: {error}", flush=True)
        finally:
            del self._leaving[uid]

    async def _delete(self, manifest: api.Object) -> None:
        metadata = manifest["metadata"]
        try:
            await self._client.delete(
                f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}",
                {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}},
            )
        except api.RejectedError as error:
            if error.code not in {404, 409}:
                raise

    def _ready(self, namespace: str, selector: Mapping[str, str]) -> list[services.Backend]:
        return [
            services.Backend(one.ip, one.ports)
            for _, one in sorted(self._pods.items())
            if one.ready
            and one.namespace == namespace
            and selector.items() <= one.manifest["metadata"].get("labels", {}).items()
        ]

    def _runs(self, namespace: str, name: str) -> bool:
        return any((one.namespace, one.name) == (namespace, name) for one in self._pods.values())

    def _changed(self) -> None:
        running = {}
        for one in self._pods.values():
            for name, pid in one.processes().items():
                try:
                    running[name] = state.identify(pid)
                except ProcessLookupError:
                    continue
        state.write(self._place.containers, state.Containers(running=running))
        self._proxy.readiness_changed()

    def _bury_former(self) -> None:
        """End what an earlier process node left running in this folder."""
        for process in state.recorded_processes(self._place.containers):
            process.kill()


def _address(manifest: api.Object) -> str:
    return str(manifest.get("status", {}).get("podIP", ""))


async def serve(api_url: str, root: Path, network: str) -> None:
    """Run the process node of the cluster in ``root`` until cancelled."""
    place = folder.Folder(root)
    async with api.Client(api_url, place.pki, node.NAME) as client:
        await Agent(client, place, network).run()
