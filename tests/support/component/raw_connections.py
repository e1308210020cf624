"""Raw bytes over TLS to a `Door`: what a client can do to a connection that no HTTP client does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import webhook_fixture as doors
from elasticquota_webhooks.server import incoming
from webhook_fixture import Door, pod, review


LIMIT = 60
"""Seconds after which a test has waited long enough."""


class PendingQueue:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, *parts: bytes) -> None:
        self._writer.writelines(parts)

    async def answer(self) -> tuple[int, bytes, str]:
        """Code, head and text of the next answer."""
        async with asyncio.timeout(LIMIT):
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            body = await self._reader.readexactly(length)
        return int(head.split()[1]), head, body.decode()

    async def closed(self) -> bool:
        """Wait for the end; whether nothing came before it."""
        async with asyncio.timeout(LIMIT):
            try:
                return await self._reader.read() == b""
            except ConnectionResetError:
                return True


@asynccontextmanager
async def line(door: Door) -> AsyncIterator[PendingQueue]:
    reader, writer = await asyncio.open_connection(
        "127.0.0.1",
        int(door.url.rpartition(":")[2]),
        ssl=doors.trust(),
        server_hostname=doors.HOST,
        limit=incoming.LARGEST_BODY,
    )
    try:
        yield PendingQueue(reader, writer)
    finally:
        # A transport that outlives its event loop is an error of whichever test runs then.
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


def head(length: int, path: str = "/mutate/pod", *more: str, method: str = "POST") -> bytes:
    lines = (
        f"{method} /{doors.TOKEN}{path} HTTP/1.1",
        "Host: webhook",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        *more,
    )
    return "\r\n".join((*lines, "", "")).encode()


BODY = json.dumps(review(pod("a"))).encode()
WHOLE = head(len(BODY), "/mutate/pod?timeout=3s") + BODY
"""As the API server asks."""


async def half(door: Door, body: bytes) -> "asyncio.Task[None]":
    """A client that stops in the middle of a body and stays."""
    started = asyncio.Event()

    async def stay() -> None:
        async with line(door) as client:
            client.send(head(len(body)), body[: len(body) // 2])
            started.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stay())
    await started.wait()
    return task


async def one(door: Door, body: bytes) -> int:
    async with line(door) as client:
        client.send(head(len(body)), body)
        return (await client.answer())[0]
