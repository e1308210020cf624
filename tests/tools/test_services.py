"""Connections to a Service's port go to its Ready pods."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from local_cluster import api, ports
from local_cluster.process_node import services


def service(**spec: Any) -> api.Object:
    basis = {
        "type": "ExternalName",
        "externalName": "localhost",
        "selector": {"app": "web"},
        "ports": [{"port": 8443, "targetPort": "https"}],
    }
    return {"metadata": {"name": "web", "namespace": "shop"}, "spec": {**basis, **spec}}


def test_an_external_name_localhost_with_a_selector_is_a_route() -> None:
    assert services.routes([service()]) == {
        services.Route("shop", (("app", "web"),), 8443, "https")
    }
    assert services.routes([service(ports=[{"port": 80}])]) == {
        services.Route("shop", (("app", "web"),), 80, 80)
    }


def test_any_other_service_is_ignored() -> None:
    others = [
        service(type="ClusterIP"),
        service(externalName="example.com"),
        service(selector=None),
    ]
    assert services.routes(others) == set()


class OneService(api.Client):
    """An API server with one Service."""

    def __init__(self, known: api.Object) -> None:
        self._known = known

    async def get(self, path: str, query: object = None) -> api.Object:
        assert (path, query) == ("/api/v1/services", None)  # no field selector before 1.31
        return {"items": [self._known]}


@asynccontextmanager
async def greeter(ip: str, word: bytes) -> AsyncIterator[int]:
    """A server that answers each line with its word; yields its port."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(word + b" " + line)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, ip, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"you\n")
    answer = await reader.readline()
    writer.close()
    return answer


async def until_refused(port: int) -> None:
    for _ in range(200):
        try:
            await ask(port)
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            pass  # the connection was under way when the listener closed
        await asyncio.sleep(0.02)
    raise AssertionError("the port still answers")


async def until_answered(port: int) -> bytes:
    for _ in range(200):
        with suppress(OSError):
            return await ask(port)
        await asyncio.sleep(0.02)
    raise AssertionError("the port does not answer")


async def test_connections_take_turns_and_are_refused_without_a_ready_pod() -> None:
    reserved = ports.reserve()
    port = ports.number(reserved)
    ready: list[services.Backend] = []
    known = service(ports=[{"port": port, "targetPort": "https"}])

    def ready_pods(namespace: str, selector: Mapping[str, str]) -> list[services.Backend]:
        assert (namespace, selector) == ("shop", {"app": "web"})
        return list(ready)

    proxy = services.Proxy(OneService(known), ready_pods)
    running = asyncio.create_task(proxy.run())
    async with greeter("127.0.0.1", b"one") as first, greeter("127.0.0.1", b"two") as second:
        await until_refused(port)
        ready += [services.Backend("127.0.0.1", {"https": p}) for p in (first, second)]
        proxy.readiness_changed()
        await until_answered(port)
        answers = [await ask(port) for _ in range(4)]
        assert sorted(set(answers)) == [b"one you\n", b"two you\n"]
        assert answers[0] == answers[2] != answers[1] == answers[3]

        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"first\n")
        assert (await reader.readline()).endswith(b"first\n")
        ready.clear()
        proxy.readiness_changed()
        await until_refused(port)
        # A connection to a terminating pod drains.
        writer.write(b"last\n")
        assert (await reader.readline()).endswith(b"last\n")
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    reserved.close()
