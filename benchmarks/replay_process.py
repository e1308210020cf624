"""Replays an API server in its own process: recorded lists, and pod events on demand.

``python -m benchmarks.replay_process pods nodes quotas`` listens on a free port of the loopback
with TLS, prints one line of JSON with a kubeconfig, and ends when its standard input does. It
supports lists in pages, WatchList, bookmarks, and enough of discovery for Kopf. Another client
always holds the Lease, so a controller that reads from here stays a standby, which decides and
writes nothing.

A line ``send COUNT`` on standard input sends the events of ``COUNT`` pods to every watch of pods,
as fast as they are read. ``expire stream`` and ``expire response`` end all watches because their
history is gone, by an event or by the answer to the next attempt. A line of JSON reports when it is
done.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from benchmarks import replay_lists
from benchmarks.cluster_lists import Cluster
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.certificates.serving_certificate import Certificate


HOST: Final = "localhost"
ADDRESS: Final = "127.0.0.1"
_VERSION: Final = replay_lists.FIRST_VERSION + 10_000_000
_CHUNK: Final = 1 << 16
_BOOKMARK_SECONDS: Final = 30.0

_EXPIRED: Final = {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410}
_EXPIRED_EVENT: Final = json.dumps({"type": "ERROR", "object": _EXPIRED}).encode() + b"\n"

_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"

_SERVED: Final = {
    resource.list(): (resource, kind)
    for resource, kind in (
        (paths.PODS, "Pod"),
        (paths.NODES, "Node"),
        (paths.NAMESPACES, "Namespace"),
        (paths.QUOTAS, "ElasticQuota"),
        (paths.PROFILES, "ElasticQuotaProfile"),
    )
}


class Replay:
    """The served objects, and the watches of pods."""

    def __init__(self, cluster: Cluster) -> None:
        self._pods = replay_lists.Pods(cluster)
        self._lists = replay_lists.lists(cluster)
        self._watches: set[web.StreamResponse] = set()
        self._expiry: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        """The last message of all current watches."""
        self._gone: set[Resource] = set()
        """Resources whose next continued watch gets the answer that its history is gone."""

    def application(self) -> web.Application:
        app = web.Application()
        for path, (resource, kind) in _SERVED.items():
            app.router.add_get(path, self._collection(resource, kind))
        app.router.add_get(f"{_LEASES}/{{name}}", _lease)
        app.router.add_get("/apis/{group}/{version}", _discovery)
        app.router.add_get("/api/v1", _discovery)
        app.router.add_get("/api", _cores)
        app.router.add_get("/apis", _groups)
        return app

    async def send(self, pods: int) -> dict[str, float]:
        """Send events to all watches of pods; returns the seconds until the last has been sent."""
        started, events, size = time.perf_counter(), 0, 0

        def counted() -> Iterator[tuple[bytes, bytes]]:
            nonlocal events, size
            for kind, document in self._pods.events(pods):
                events += 1
                size += len(document)
                yield kind, document

        for chunk in _chunks(counted()):
            for watch in self._watches:
                await watch.write(chunk)
        return {"events": events, "bytes": size, "seconds": time.perf_counter() - started}

    def expire(self, how: str) -> dict[str, float]:
        """End all watches, by ``stream`` or by ``response``."""
        ended, self._expiry = self._expiry, asyncio.get_running_loop().create_future()
        ended.set_result(_EXPIRED_EVENT if how == "stream" else b"")
        if how == "response":
            self._gone.update(resource for resource, _ in _SERVED.values())
        return {}

    def _objects(self, resource: Resource) -> Iterable[bytes]:
        return self._pods.all() if resource is paths.PODS else self._lists[resource.plural]

    def _collection(self, resource: Resource, kind: str) -> Handler:
        objects: list[bytes] = []

        async def answer(request: web.Request) -> web.StreamResponse:
            if "watch" in request.query:
                return await self._watch(request, resource, kind)
            if not objects:
                objects.extend(self._objects(resource))
            first = int(request.query.get("continue") or 0)
            limit = int(request.query.get("limit") or len(objects) or 1)
            more = str(first + limit) if first + limit < len(objects) else ""
            head = {"resourceVersion": str(_VERSION), "continue": more}
            opening = {"kind": f"{kind}List", "apiVersion": resource.api_version, "metadata": head}
            body = json.dumps(opening).encode()[:-1] + b',"items":['
            body += b",".join(objects[first : first + limit]) + b"]}\n"
            if not more:
                objects.clear()
            return web.Response(body=body, content_type="application/json")

        return answer

    async def _watch(
        self, request: web.Request, resource: Resource, kind: str
    ) -> web.StreamResponse:
        if "sendInitialEvents" not in request.query and resource in self._gone:
            self._gone.discard(resource)
            return web.json_response(_EXPIRED, status=HTTPStatus.GONE)
        expiry = self._expiry
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        if request.query.get("sendInitialEvents") == "true":
            for chunk in _chunks((b"ADDED", found) for found in self._objects(resource)):
                await response.write(chunk)
            await response.write(_bookmark(resource, kind, ends=True))
        if resource is paths.PODS:
            self._watches.add(response)
        try:
            while not (await asyncio.wait([expiry], timeout=_BOOKMARK_SECONDS))[0]:
                await response.write(_bookmark(resource, kind, ends=False))
            await response.write(expiry.result())
        finally:
            self._watches.discard(response)
        return response


def _chunks(events: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    for kind, document in events:
        lines += (b'{"type":"', kind, b'","object":', document, b"}\n")
        size += len(document)
        if size > _CHUNK:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def _bookmark(resource: Resource, kind: str, *, ends: bool) -> bytes:
    marks = {"annotations": {watch_lines.INITIAL_EVENTS_END: "true"}} if ends else {}
    metadata = {"resourceVersion": str(_VERSION), "creationTimestamp": None, **marks}
    found = {"kind": kind, "apiVersion": resource.api_version, "metadata": metadata}
    return json.dumps({"type": "BOOKMARK", "object": found}).encode() + b"\n"


async def _lease(request: web.Request) -> web.Response:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": "another", "leaseDurationSeconds": 15, "renewTime": now}
    metadata = {"name": request.match_info["name"], "resourceVersion": "1"}
    return web.json_response({"kind": "Lease", "metadata": metadata, "spec": spec})


async def _cores(_: web.Request) -> web.Response:
    return web.json_response({"kind": "APIVersions", "versions": ["v1"]})


async def _groups(_: web.Request) -> web.Response:
    groups = []
    for resource in (paths.QUOTAS, paths.PROFILES):
        version = {"groupVersion": resource.api_version, "version": resource.version}
        groups.append({"name": resource.group, "versions": [version], "preferredVersion": version})
    return web.json_response({"kind": "APIGroupList", "groups": groups})


async def _discovery(request: web.Request) -> web.Response:
    group = request.match_info.get("group", "")
    resources = [
        {"name": resource.plural, "singularName": kind.lower(), "kind": kind,
         "namespaced": kind not in ("Node", "Namespace"), "verbs": ["list", "watch", "patch"]}
        for resource, kind in _SERVED.values()
        if resource.group == group
    ]  # fmt: skip
    return web.json_response({"kind": "APIResourceList", "resources": resources})


def _kubeconfig(port: int, bundle: bytes) -> dict[str, object]:
    trusted = base64.b64encode(bundle).decode()
    server = {"server": f"https://{HOST}:{port}", "certificate-authority-data": trusted}
    return {
        "current-context": "replay",
        "contexts": [{"name": "replay", "context": {"cluster": "replay", "user": "replay"}}],
        "clusters": [{"name": "replay", "cluster": server}],
        "users": [{"name": "replay", "user": {"token": "replay"}}],
    }


async def _orders() -> AsyncIterator[tuple[str, str]]:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        word, argument = line.split()
        yield word, argument


async def run(cluster: Cluster) -> None:
    replay = Replay(cluster)
    signer = authority.create(datetime.now(UTC))
    certificate = Certificate()
    certificate.show(serving_certificate.issue(signer, (HOST,), datetime.now(UTC)))
    runner = web.AppRunner(replay.application(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, ADDRESS, 0, ssl_context=certificate.context)
    await site.start()
    port = runner.addresses[0][1]
    print(json.dumps(_kubeconfig(port, signer.bundle)), flush=True)
    async for word, argument in _orders():
        told = await replay.send(int(argument)) if word == "send" else replay.expire(argument)
        print(json.dumps(told), flush=True)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(run(Cluster(*map(int, sys.argv[1:4]))))
