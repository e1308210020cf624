"""Measures a valid review while unknown clients load the same server, and the server's memory.

Unknown clients know only the port. "half bodies" is measured once more with the path known, which
is the worst that the API server's own connections could do. The same is measured in the same minute
on a server without the limits (any number of clients, paths without a token).
"""

import asyncio
import contextlib
import math
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from benchmarks import load, measure, reviews, webhook_cases
from benchmarks.measure import WrongAnswerError
from benchmarks.table import Row, Target
from benchmarks.webhook_cases import WebhookReplica


STRANGERS = 2_000
SLOW = 12
COUNT = 4_000
CONNECTIONS = 4
LIMIT = 512.0
"""MiB: the memory limit in the chart."""

_HEAD = (
    b"POST /%b HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)


def all_cases() -> Iterator[Row]:
    """Without load, then each load on a new server; without and with limits by turns."""
    webhook_cases.leave_the_first_core()
    quiet: dict[str, float] = {}
    for pressure in ("quiet", "idle sockets", "half bodies", "half bodies, path known", "slow"):
        after = _measured("ours", pressure)
        before = _measured("unlimited", pressure)
        if pressure == "quiet":
            quiet = {"after": after[1]}
        name = f"strangers, {pressure}"
        yield Row(f"{name}: p50", after[0], "ms", each_leaf=before[0])
        yield Row(
            f"{name}: p99",
            after[1],
            "ms",
            None if pressure == "quiet" else Target(2 * quiet["after"]),
            each_leaf=before[1],
            note=f"unlimited: {before[3]} lost" if before[3] else "",
        )
        yield Row(f"{name}: memory", after[2], "MiB", Target(LIMIT), each_leaf=before[2])


def _measured(which: str, pressure: str) -> tuple[float, float, float, int]:
    measure.say(f"{which}: {pressure}")
    with WebhookReplica(which) as webhook:
        answers, lost = asyncio.run(_under(webhook, pressure))
        if which == "ours" and lost:
            raise WrongAnswerError(f"{lost} lost under {pressure}")
        times = answers.times
        if not answers.seconds:
            return math.inf, math.inf, webhook.resident() / 2**20, lost
        return times.median * 1e3, times.p99 * 1e3, webhook.resident() / 2**20, lost


async def _under(webhook: WebhookReplica, pressure: str) -> tuple[load.Answers, int]:
    requests = webhook.addressed(reviews.pods())
    await load.ask(webhook.port, webhook.bundle, requests, COUNT // 10, CONNECTIONS)
    async with _pressing(webhook, pressure):
        answers = load.Answers()
        lost = 0
        # Each round opens a new connection, as an API server does after a quiet while.
        for _ in range(10):
            try:
                async with asyncio.timeout(30):
                    await load.ask(
                        webhook.port, webhook.bundle, requests, COUNT // 10, CONNECTIONS, answers
                    )
            except (OSError, TimeoutError):
                lost += CONNECTIONS
        return answers, lost + answers.lost


@asynccontextmanager
async def _pressing(webhook: WebhookReplica, pressure: str) -> AsyncIterator[None]:
    """Connect unknown clients that stay as long as the server allows."""
    count, first = _stranger(webhook, pressure)
    writers: list[asyncio.StreamWriter] = []
    for at in range(0, count, 50):
        connected = await asyncio.gather(
            *(_connected(webhook, first) for _ in range(min(50, count - at)))
        )
        writers += [writer for writer in connected if writer is not None]
    slow = [asyncio.create_task(_dribble(each)) for each in writers if pressure == "slow"]
    try:
        yield
    finally:
        for task in slow:
            task.cancel()
        for writer in writers:
            writer.transport.abort()


def _stranger(webhook: WebhookReplica, pressure: str) -> tuple[int, bytes]:
    """The number of clients, and what each sends first."""
    known = webhook.addressed([b"POST /mutate/pod"])[0].removeprefix(b"POST /")
    body = b" " * 50_000
    match pressure:
        case "idle sockets":
            return STRANGERS, b""
        case "half bodies":
            return STRANGERS, _HEAD % (b"mutate/pod", 2 * len(body)) + body
        case "half bodies, path known":
            return STRANGERS, _HEAD % (known, 2 * len(body)) + body
        case "slow":
            return SLOW, _HEAD % (b"mutate/pod", 7_000_000)
        case _:
            return 0, b""


async def _connected(webhook: WebhookReplica, first: bytes) -> asyncio.StreamWriter | None:
    trust = ssl.create_default_context(cadata=webhook.bundle)
    with contextlib.suppress(OSError):
        async with asyncio.timeout(30):
            _, writer = await asyncio.open_connection(
                "127.0.0.1", webhook.port, ssl=trust, server_hostname="localhost"
            )
        writer.write(first)
        return writer
    return None


async def _dribble(writer: asyncio.StreamWriter) -> None:
    while not writer.transport.is_closing():
        writer.write(b" " * 1024)
        await asyncio.sleep(0.05)
