"""Calls a webhook server as an API server does: on open connections, one request after another.

It uses a bare protocol with prepared bytes, so that the cost of the client is not measured.
"""

import asyncio
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.measure import Times


HEAD_ENDS: Final = b"\r\n\r\n"
LENGTH: Final = b"content-length:"


@dataclass(slots=True)
class Answers:
    """The answers of a run."""

    seconds: list[float] = field(default_factory=list)
    codes: dict[int, int] = field(default_factory=dict)
    allowed: int = 0
    lost: int = 0
    """Connections that ended before their answer."""
    took: float = 0.0

    @property
    def times(self) -> Times:
        return Times(tuple(self.seconds))

    @property
    def a_second(self) -> float:
        return len(self.seconds) / self.took


def request(path: str, body: bytes, host: str = "localhost") -> bytes:
    """A POST as Go's client writes it."""
    head = (
        f"POST {path}?timeout=10s HTTP/1.1\r\nHost: {host}\r\n"
        f"User-Agent: kube-apiserver-admission\r\n"
        f"Content-Length: {len(body)}\r\nAccept: application/json, */*\r\n"
        f"Content-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n"
    )
    return head.encode() + body


async def ask(
    port: int,
    bundle: str,
    requests: Sequence[bytes],
    count: int,
    connections: int,
    answers: Answers | None = None,
) -> Answers:
    """Send ``count`` requests in total, those of ``requests`` by turns."""
    answers = answers or Answers()
    turns = iter(range(count))
    trust = ssl.create_default_context(cadata=bundle)
    loop = asyncio.get_running_loop()
    asked = []
    started = time.perf_counter()
    for _ in range(connections):
        _, each = await loop.create_connection(
            lambda: _Connection(requests, turns, answers),
            "127.0.0.1",
            port,
            ssl=trust,
            server_hostname="localhost",
        )
        asked.append(each)
        # At once, as an API server does: the webhook cuts a connection that asks nothing for 10 s.
        each.ask()
    await asyncio.gather(*(each.done for each in asked))
    answers.took += time.perf_counter() - started
    return answers


class _Connection(asyncio.Protocol):
    def __init__(self, requests: Sequence[bytes], turns: Iterator[int], answers: Answers) -> None:
        self.done = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._turns = turns
        self._answers = answers
        self._buffer = b""
        self._asked = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        if not self.done.done():
            self._answers.lost += 1
            self.done.set_result(None)

    def ask(self) -> None:
        turn = next(self._turns, -1)
        if turn < 0:
            self.done.set_result(None)
            self._transport.close()
            return
        self._asked = time.perf_counter()
        self._transport.write(self._requests[turn % len(self._requests)])

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(HEAD_ENDS)
        if end < 0:
            return
        head = self._buffer[:end].lower()
        at = head.index(LENGTH) + len(LENGTH)
        length = int(head[at:].split(b"\r\n", 1)[0])
        if len(self._buffer) < end + 4 + length:
            return
        answers = self._answers
        answers.seconds.append(time.perf_counter() - self._asked)
        code = int(head[9:12])
        answers.codes[code] = answers.codes.get(code, 0) + 1
        answers.allowed += b'"allowed":true' in self._buffer or b'"allowed": true' in self._buffer
        self._buffer = b""
        self.ask()
