"""The double as an HTTP server on a free port of the loopback address."""

import asyncio
import copy
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from api_double import access, discovery, refusals, routing
from api_double.faults import Faults
from api_double.kinds import Kind
from api_double.refusals import Refusal
from api_double.routing import Target
from api_double.store import Document, Store
from api_double.verbs import Verbs
from api_double.watching import Watch
from elasticquota_kube import access_review
from elasticquota_kube.client.paths import NAMESPACES, Resource


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it arrived; `body` is the decoded JSON or None."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    accept: str = ""


class ApiDouble:
    """A small API server for tests; see the package's docstring for what it does and does not do.

    Use it as ``async with ApiDouble() as double``. `calls` lists every request, `faults` has the
    switches, every caller must send `token` (when set), and `tls` (when set) is used from the next
    `accept()` on.
    """

    def __init__(self) -> None:
        self.faults = Faults()
        self.calls: list[Call] = []
        self.token: str | None = None
        self.permits: Callable[[Document], bool] = lambda _: True
        """Answers a SubjectAccessReview by its spec."""
        self.tls: ssl.SSLContext | None = None
        self._store = Store()
        self._verbs = Verbs(self._store)
        self._watches: set[Watch] = set()
        self._runner: web.AppRunner | None = None
        self._port = 0
        for name in ("default", "kube-system"):
            self.put(NAMESPACES, {"metadata": {"name": name}})

    async def __aenter__(self) -> Self:
        await self.accept()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.faults.flowing.set()
        self.faults.talking.set()
        await self.refuse()

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self._port}"

    def kubeconfig(self, folder: Path) -> Path:
        """Write a kubeconfig for the double into `folder` and return its path."""
        return access.write_kubeconfig(folder, self.url, self.token or "any")

    # What a test may do to the objects, past all rules of the API.

    def serve(self, kind: Kind) -> None:
        """Serve one more kind."""
        self._verbs.kinds.append(kind)

    def end(self, resource: Resource) -> None:
        """Serve a kind no longer, and end its watches."""
        self._verbs.kinds.remove(self._kind(resource))
        self.close_watches(resource)

    def keep_only(self, resource: Resource, *fields: str) -> None:
        """Drop all other fields of a status: the definition does not have them."""
        self._verbs.kept[resource] = fields

    def drop(self, resource: Resource, field: str) -> None:
        """Drop a field of the spec: the definition does not have it."""
        self._verbs.dropped[resource] = field

    def put(self, resource: Resource, manifest: Document) -> Document:
        """Create an object or replace it whole, status included; its namespace is created too."""
        kind = self._kind(resource)
        manifest = copy.deepcopy(manifest)
        namespace = manifest["metadata"].get("namespace", "default") if kind.namespaced else ""
        manifest["metadata"] |= {"namespace": namespace} if namespace else {}
        if namespace and ("", namespace) not in self._store.of(self._kind(NAMESPACES)):
            self.put(NAMESPACES, {"metadata": {"name": namespace}})
        key = (namespace, manifest["metadata"]["name"])
        if key in self._store.of(kind):
            manifest |= {"apiVersion": resource.api_version, "kind": kind.kind}
            return copy.deepcopy(self._store.write(kind, key, manifest))
        return copy.deepcopy(self._store.create(kind, namespace, manifest, dry=False))

    def edit(
        self, resource: Resource, namespace: str, name: str, change: Callable[[Document], object]
    ) -> Document:
        """Let `change` alter the object in place, status included."""
        kind = self._kind(resource)
        obj = copy.deepcopy(self._store.get(kind, (namespace, name)))
        change(obj)
        return copy.deepcopy(self._store.write(kind, (namespace, name), obj))

    def remove(self, resource: Resource, namespace: str, name: str) -> None:
        """Delete an object at once, as the kubelet does with a pod that has ended."""
        kind = self._kind(resource)
        self.edit(resource, namespace, name, lambda obj: obj["metadata"].pop("finalizers", None))
        self._store.delete(kind, (namespace, name), grace=0)

    def object(self, resource: Resource, namespace: str, name: str) -> Document:
        """Return a copy of one object; KeyError when there is none."""
        return copy.deepcopy(self._store.of(self._kind(resource))[namespace, name])

    def objects(self, resource: Resource) -> list[Document]:
        """Return copies of all objects, in order of namespace and name."""
        return [
            copy.deepcopy(obj) for _, obj in sorted(self._store.of(self._kind(resource)).items())
        ]

    def refuse_eviction(self, namespace: str, name: str, refusal: Refusal | None) -> None:
        """Answer evictions of one pod with `refusal` until it is set to None."""
        if refusal is None:
            self._verbs.evictions.pop((namespace, name), None)
        else:
            self._verbs.evictions[namespace, name] = refusal

    # Faults that act at once; lasting ones are in `faults`.

    async def refuse(self) -> None:
        """Break every connection and refuse new ones, as a stopped server does."""
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                if connection.transport is not None:
                    connection.transport.abort()
            await self._runner.cleanup()
        self._runner = None

    async def accept(self) -> None:
        """Listen (again), on the same port as before; the objects are still there."""
        application = web.Application(client_max_size=8 << 20)
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(
            application,
            access_log=None,
            shutdown_timeout=0.1,
            handler_cancellation=True,  # a watch ends when its client leaves
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self.tls).start()
        self._port = self._runner.addresses[0][1]

    def expire_history(self) -> None:
        """Forget all history: watches from an older version and old continue tokens get 410."""
        self._store.version += 1
        self._store.oldest = self._store.version
        self._store.history.clear()

    def backup(self) -> Store:
        """The present state, for ``restore``."""
        return Store(self._store.version, objects=copy.deepcopy(self._store.objects))

    def restore(self, backup: Store) -> None:
        """Set objects and versions back to an earlier state; watches show nothing."""
        self._store.version, self._store.objects = backup.version, backup.objects
        self._store.history.clear()

    def close_watches(self, resource: Resource | None = None) -> None:
        """End watches cleanly."""
        for watch in self._chosen(resource):
            watch.close()

    def bookmark(self) -> None:
        """Send a bookmark to all watches."""
        for watch in self._watches:
            watch.bookmark()

    def say(self, resource: Resource, line: bytes) -> None:
        """Send a line of the test's own to the watches of `resource`."""
        for watch in self._chosen(resource):
            watch.say(line)

    def watches(self, resource: Resource | None = None) -> int:
        """Return how many watches are open."""
        return len(self._chosen(resource))

    def count(self, method: str, path: str = "") -> int:
        """Return how many requests came with `method`, `path` in their path, without watches."""
        return sum(
            call.method == method and path in call.path and "watch" not in call.query
            for call in self.calls
        )

    def _chosen(self, resource: Resource | None) -> list[Watch]:
        return [each for each in self._watches if resource in (None, each.kind.resource)]

    def _kind(self, resource: Resource) -> Kind:
        return next(kind for kind in self._verbs.kinds if kind.resource == resource)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        body = json.loads(content) if content else None
        accept = request.headers.get("Accept", "")
        call = Call(request.method, request.path, dict(request.query), body, accept)
        self.calls.append(call)
        await self.faults.flowing.wait()
        if self.faults.latency:
            await asyncio.sleep(self.faults.latency)
        try:
            scripted = self.faults.take(request.method, request.path)
            if scripted is not None:
                raise scripted
            if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
                raise refusals.unauthorized()
            return await self._route(request, body)
        except Refusal as refusal:
            pause = {"Retry-After": str(refusal.pause)} if refusal.pause else {}
            return web.json_response(refusal.status, status=refusal.code, headers=pause)

    async def _route(self, request: web.Request, body: Any) -> web.StreamResponse:
        if request.path in ("/healthz", "/readyz", "/livez"):
            return web.Response(text="ok")
        found = discovery.document(self._verbs.kinds, request.path, self._verbs.kept)
        if found is not None:
            return web.json_response(found)
        if request.path == access_review.ACCESS_REVIEWS.list(None):
            status = {"allowed": self.permits(body["spec"])}
            return web.json_response({**body, "status": status}, status=201)
        target = routing.target(self._verbs.kinds, request.path)
        query = dict(request.query)
        if not target.name and request.method == "GET" and query.get("watch") in ("true", "1"):
            return await self._watch(request, target, query)
        code = 201 if request.method == "POST" else 200
        return web.json_response(self._do(request, target, query, body), status=code)

    def _do(  # noqa: PLR0911 - a table of verbs
        self, request: web.Request, target: Target, query: dict[str, str], body: Any
    ) -> Document:
        kind, key = target.kind, (target.namespace, target.name)
        dry = query.get("dryRun") == "All"
        match request.method, bool(target.name), target.subresource:
            case "GET", False, "":
                return self._verbs.list(kind, target.namespace, query)
            case "GET", True, ("" | "status"):
                return self._store.get(kind, key)
            case "POST", False, "":
                return self._verbs.create(kind, target.namespace, body, dry=dry)
            case "POST", True, "eviction":
                return self._verbs.evict(kind, key, body)
            case "PUT", True, ("" | "status") as subresource:
                return self._verbs.replace(kind, key, body, subresource, dry=dry)
            case "PATCH", True, ("" | "status") as subresource:
                return self._verbs.patch(
                    kind, key, request.content_type, body, subresource, dry=dry
                )
            case "DELETE", True, "":
                return self._verbs.delete(kind, key, body or {})
        raise Refusal(405, "MethodNotAllowed", "the server does not allow this method on it")

    async def _watch(
        self, request: web.Request, target: Target, query: dict[str, str]
    ) -> web.StreamResponse:
        watch = Watch(self._store, self.faults, target.kind, target.namespace, query)
        watch.check()
        self._watches.add(watch)
        try:
            return await watch.serve(request)
        except ConnectionError:
            raise asyncio.CancelledError from None  # the client left; no answer is possible
        finally:
            self._watches.discard(watch)
