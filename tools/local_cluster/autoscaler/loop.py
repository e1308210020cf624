"""The loop: every half second, compare pods with nodes, make nodes, remove empty ones.

Only a pod that the scheduler has marked ``Unschedulable`` is demand; a pod with a scheduling gate
is not. Nor is a pod that uses a request: its nodes were made for the request, and the scheduler
refuses it until they are ready. A node is removed when no pod has been on it for
``unneededSeconds``. The real one also empties nodes that are used little, by evicting pods that fit
elsewhere; this one does not.
"""

import asyncio
import contextlib
import time
from typing import Any, Final

from local_cluster import api
from local_cluster.api import Object
from local_cluster.autoscaler import groups, provisioning
from local_cluster.autoscaler.fit import Room
from local_cluster.autoscaler.groups import GROUP_LABEL, Setting
from local_cluster.autoscaler.plan import Plan, plan


_EVERY: Final = 0.5
_REQUESTS: Final = "/apis/autoscaling.x-k8s.io/v1/provisioningrequests"
CANDIDATE: Final = "DeletionCandidateOfClusterAutoscaler"
DELETED: Final = "ToBeDeletedByClusterAutoscaler"


class Loop:
    """``run()`` until canceled."""

    def __init__(self, client: api.Client) -> None:
        self._client = client
        self._empty_since: dict[str, float] = {}
        self._told: set[tuple[str, str]] = set()
        self._numbers = 0

    async def run(self) -> None:
        while True:
            try:
                setting = groups.read(await self._client.find(groups.PATH))
                if setting.groups:
                    await self._round(setting)
            except (api.ApiError, ValueError, KeyError) as error:
                print(f"{api.timestamp()} {type(error).__name__}: {error}", flush=True)
            await asyncio.sleep(_EVERY)

    async def _round(self, setting: Setting) -> None:
        nodes = (await self._client.get("/api/v1/nodes"))["items"]
        pods = (await self._client.get("/api/v1/pods"))["items"]
        live = [each for each in pods if each["status"].get("phase") not in ("Succeeded", "Failed")]
        rooms = self._rooms(nodes, live)
        self._numbers = max([self._numbers, *map(_number_of, nodes)])
        sizes = {
            group.name: sum(_group_of(node) == group.name for node in nodes)
            for group in setting.groups
        }
        requests = await self._requests()
        rooms, booked = await self._book(requests, rooms, live)
        rooms = await self._answer(requests, rooms, setting, sizes)
        demand = [each for each in live if is_demand(each)]
        comes = await self._scale_up(demand, rooms, setting, sizes)
        await self._scale_down(nodes, live, setting, sizes, needed=booked or comes)

    @staticmethod
    def _rooms(nodes: list[Object], pods: list[Object]) -> list[Room]:
        rooms = {
            node["metadata"]["name"]: Room(node)
            for node in nodes
            if not _has_taint(node, DELETED) and not node["metadata"].get("deletionTimestamp")
        }
        for pod in pods:
            if (room := rooms.get(pod["spec"].get("nodeName", ""))) is not None:
                room.place(pod)
        return list(rooms.values())

    # -- more nodes

    async def _scale_up(
        self, pods: list[Object], rooms: list[Room], setting: Setting, sizes: dict[str, int]
    ) -> bool:
        """Return whether a pod is about to be placed."""
        found = plan(pods, rooms, setting.groups, sizes)
        before = dict(sizes)
        await self._carry_out(found, setting, sizes)
        growth = ", ".join(
            f"{group.name} {before[group.name]}->{sizes[group.name]} (max: {group.max})"
            for group in setting.groups
            if found.more[group.name]
        )
        for pod in found.placed:
            text = f"pod triggered scale-up: [{{{growth}}}]"
            await self._tell(pod, "TriggeredScaleUp", text)
        for pod in found.failed:
            text = f"pod didn't trigger scale-up: {_why(setting)}"
            await self._tell(pod, "NotTriggerScaleUp", text)
        return len(pods) > len(found.failed)

    async def _carry_out(self, found: Plan, setting: Setting, sizes: dict[str, int]) -> None:
        for group in setting.groups:
            for _ in range(found.more[group.name]):
                await self._client.create("/api/v1/nodes", group.node(self._number()))
                sizes[group.name] += 1
            if found.more[group.name]:
                print(f"{api.timestamp()} {group.name} has {sizes[group.name]} nodes", flush=True)

    def _number(self) -> int:
        """The number of a new node, which none before it had."""
        self._numbers += 1
        return self._numbers

    # -- fewer nodes

    async def _scale_down(
        self,
        nodes: list[Object],
        pods: list[Object],
        setting: Setting,
        sizes: dict[str, int],
        *,
        needed: bool,
    ) -> None:
        """``needed``: an empty node may be for pods that are on their way."""
        used = {pod["spec"].get("nodeName") for pod in pods}
        names = {group.name for group in setting.groups}
        for node in nodes:
            name, group = node["metadata"]["name"], _group_of(node)
            if group not in names or name in used or needed:
                if self._empty_since.pop(name, None) is not None:
                    await self._taint(node, None)
                continue
            since = self._empty_since.setdefault(name, time.monotonic())
            if time.monotonic() - since >= setting.unneeded_seconds:
                await self._remove(node)
                sizes[group] -= 1
            elif not _has_taint(node, CANDIDATE):
                await self._taint(node, {"key": CANDIDATE, "effect": "PreferNoSchedule"})

    async def _remove(self, node: Object) -> None:
        """Close the node, look again whether it is empty, and delete it."""
        name = node["metadata"]["name"]
        await self._taint(node, {"key": DELETED, "effect": "NoSchedule"})
        there = await self._client.get("/api/v1/pods", {"fieldSelector": f"spec.nodeName={name}"})
        if there["items"]:
            await self._taint(node, None)
            return
        with contextlib.suppress(api.RejectedError):
            await self._client.delete(f"/api/v1/nodes/{name}", {})
        self._empty_since.pop(name, None)
        print(f"{api.timestamp()} removed {name}", flush=True)

    async def _taint(self, node: Object, taint: Object | None) -> None:
        """Replace our taints by this one, or none."""
        taints = node["spec"].get("taints") or ()
        kept = [each for each in taints if each["key"] not in (CANDIDATE, DELETED)]
        ours = [] if taint is None else [{**taint, "value": str(int(time.time()))}]
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        with contextlib.suppress(api.RejectedError):
            await self._client.merge(path, {"spec": {"taints": [*kept, *ours]}})

    # -- requests

    async def _requests(self) -> list[Object]:
        """All requests, oldest first; none while the kind is not installed."""
        try:
            found: list[Object] = (await self._client.get(_REQUESTS))["items"]
        except api.RejectedError as error:
            if error.code == 404:
                return []
            raise
        return sorted(found, key=lambda each: str(each["metadata"]["creationTimestamp"]))

    async def _book(
        self, requests: list[Object], rooms: list[Room], pods: list[Object]
    ) -> tuple[list[Room], bool]:
        """The room without what is booked for requests, and whether anything is.

        A pod that uses a request and has a node stands for its part of the booking.
        """
        booked = False
        for request in requests:
            if not provisioning.is_booked(request):
                continue
            arrived = sum(provisioning.uses(pod, request) for pod in pods)
            left = (await self._pods_of(request) or [])[arrived:]
            booked = booked or bool(left)
            rooms = plan(left, rooms, (), {}).rooms
        return rooms, booked

    async def _answer(
        self, requests: list[Object], rooms: list[Room], setting: Setting, sizes: dict[str, int]
    ) -> list[Room]:
        """Answer open requests; return the room that is left."""
        for request in requests:
            pods = await self._pods_of(request) if provisioning.is_open(request) else None
            if pods is None:
                continue
            text = "ProvisioningRequest is accepted by the autoscaler"
            await self._set(request, "Accepted", "True", "Accepted", text)
            found, status, reason, text = provisioning.answer(
                request, pods, rooms, setting.groups, sizes
            )
            if found is not None:
                await self._carry_out(found, setting, sizes)
                rooms = found.rooms
            await self._set(request, "Provisioned", status, reason, text)
        return rooms

    async def _pods_of(self, request: Object) -> list[Object] | None:
        """The pods of a request; None while a template is missing."""
        namespace = request["metadata"]["namespace"]
        path = f"/api/v1/namespaces/{namespace}/podtemplates"
        listed = (await self._client.get(path))["items"]
        templates = {each["metadata"]["name"]: each for each in listed}
        try:
            return provisioning.pods_of(request, templates)
        except KeyError:
            return None

    async def _set(
        self, request: Object, kind: str, status: str, reason: str, message: str
    ) -> None:
        """Set a condition, unless it says the same already."""
        metadata = request["metadata"]
        listed = (request.get("status") or {}).get("conditions") or []
        if provisioning.conditions(request).get(kind) == status:
            return
        fresh = {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": api.timestamp(),
            "observedGeneration": metadata.get("generation", 1),
        }
        kept = [each for each in listed if each["type"] != kind]
        request["status"] = {"conditions": [*kept, fresh]}
        path = _REQUESTS.replace(
            "/provisioningrequests",
            f"/namespaces/{metadata['namespace']}/provisioningrequests/{metadata['name']}/status",
        )
        with contextlib.suppress(api.RejectedError):
            await self._client.merge(path, {"status": request["status"]})

    async def _tell(self, pod: Object, reason: str, message: str) -> None:
        """Write an event about a pod, once."""
        metadata = pod["metadata"]
        if (metadata["uid"], reason) in self._told:
            return
        self._told.add((metadata["uid"], reason))
        about = {key: metadata[key] for key in ("namespace", "name", "uid")}
        event: dict[str, Any] = {
            "metadata": {"generateName": f"{metadata['name']}.", "namespace": about["namespace"]},
            "involvedObject": {"apiVersion": "v1", "kind": "Pod", **about},
            "reason": reason,
            "message": message,
            "type": "Normal",
            "source": {"component": "cluster-autoscaler"},
            "firstTimestamp": api.timestamp(),
            "lastTimestamp": api.timestamp(),
            "count": 1,
        }
        with contextlib.suppress(api.RejectedError):
            await self._client.create(f"/api/v1/namespaces/{about['namespace']}/events", event)


def is_demand(pod: Object) -> bool:
    """Whether a node is to be made for the pod: the scheduler found none, and no request did."""
    metadata = pod["metadata"]
    if pod["spec"].get("nodeName") or metadata.get("deletionTimestamp"):
        return False
    if provisioning.CONSUME in (metadata.get("annotations") or {}):
        return False
    return any(
        each["type"] == "PodScheduled"
        and each["status"] == "False"
        and each.get("reason") == "Unschedulable"
        for each in pod["status"].get("conditions") or ()
    )


def _why(setting: Setting) -> str:
    out = sum(group.is_out_of_stock for group in setting.groups)
    full = len(setting.groups) - out
    parts = [f"{out} in backoff after failed scale-up"] if out else []
    return ", ".join([*parts, *([f"{full} max node group size reached"] if full else [])])


def _number_of(node: Object) -> int:
    number = node["metadata"]["name"].rpartition("-")[2]
    return int(number) if _group_of(node) and number.isdigit() else 0


def _group_of(node: Object) -> str:
    labels = node["metadata"].get("labels") or {}
    return str(labels.get(GROUP_LABEL, ""))


def _has_taint(node: Object, key: str) -> bool:
    return any(each["key"] == key for each in node["spec"].get("taints") or ())
