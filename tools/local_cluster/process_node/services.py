"""Forwards a Service of type ExternalName ``localhost`` with a selector to its Ready pods here.

The API server reaches a webhook's Service of that type by dialing 127.0.0.1 on the Service's port.
This proxy listens there as long as a pod of the selector is Ready: without one the connection is
refused, as behind a real Service without endpoints. Each connection goes to one pod, in turn, and
stays there until either side ends it, also while the pod terminates.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from local_cluster import api


_LIST_SECONDS = 1.0
_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Backend:
    """A Ready pod."""

    ip: str
    ports: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Route:
    """One port of one Service."""

    namespace: str
    selector: tuple[tuple[str, str], ...]
    listens: int
    target: int | str


Ready = Callable[[str, Mapping[str, str]], list[Backend]]
"""The Ready pods of a namespace that a selector matches, in a fixed order."""


def routes(services: Iterable[api.Object]) -> set[Route]:
    """The ports to listen on for these Services."""
    wanted = set()
    for service in services:
        spec = service["spec"]
        if spec.get("type") != "ExternalName" or spec.get("externalName") != "localhost":
            continue
        if not spec.get("selector"):
            continue
        selector = tuple(sorted(spec["selector"].items()))
        for port in spec.get("ports", []):
            target = port.get("targetPort") or port["port"]
            route = Route(service["metadata"]["namespace"], selector, port["port"], target)
            wanted.add(route)
    return wanted


class Proxy:
    """Listens for the Services of the cluster and hands connections to the pods of this node."""

    def __init__(self, client: api.Client, ready: Ready) -> None:
        self._client = client
        self._ready = ready
        self._routes: set[Route] = set()
        self._servers: dict[Route, asyncio.Server] = {}
        self._turns: dict[Route, int] = {}
        self._wake = asyncio.Event()
        self._told: set[Route] = set()

    def readiness_changed(self) -> None:
        """Check again at once which Services have Ready pods."""
        self._wake.set()

    async def run(self) -> None:
        """Follow Services and readiness until cancelled."""
        loop = asyncio.get_running_loop()
        list_at = loop.time()
        try:
            while True:
                if loop.time() >= list_at:
                    await self._list()
                    list_at = loop.time() + _LIST_SECONDS
                self._wake.clear()
                await self._settle()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(list_at):
                        await self._wake.wait()
        finally:
            for server in self._servers.values():
                server.close()

    async def _list(self) -> None:
        with contextlib.suppress(api.ApiError):
            answer = await self._client.get("/api/v1/services")
            self._routes = routes(answer["items"])

    async def _settle(self) -> None:
        for route in set(self._servers) - self._routes:
            self._servers.pop(route).close()
        for route in self._routes:
            wanted = bool(self._backends(route))
            if not wanted and route in self._servers:
                self._servers.pop(route).close()
            elif wanted and route not in self._servers:
                await self._listen(route)

    async def _listen(self, route: Route) -> None:
        async def hand_over(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._hand_over(route, reader, writer)

        try:
            self._servers[route] = await asyncio.start_server(hand_over, "127.0.0.1", route.listens)
            self._told.discard(route)
        except OSError as error:
            if route not in self._told:
                print(f"Service port {route.listens} of {route.namespace}: {error}", flush=True)
                self._told.add(route)

    def _backends(self, route: Route) -> list[Backend]:
        return self._ready(route.namespace, dict(route.selector))

    async def _hand_over(
        self, route: Route, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            backends = self._backends(route)
            if not backends:
                return
            turn = self._turns.get(route, 0)
            self._turns[route] = turn + 1
            backend = backends[turn % len(backends)]
            port = (
                route.target
                if isinstance(route.target, int)
                else backend.ports[route.target]  # absent: an error in the Service
            )
            there_reader, there_writer = await asyncio.open_connection(backend.ip, port)
            try:
                await asyncio.gather(_pump(reader, there_writer), _pump(there_reader, writer))
            finally:
                there_writer.transport.abort()
        except (OSError, KeyError) as error:
            print(f"Service port {route.listens}: {error!r}", flush=True)
        finally:
            writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
        await writer.drain()
