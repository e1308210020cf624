"""A connection asks one thing after the other, and each gets its answer, within limits.

Large bodies are taken in from a few connections at a time; the others wait in their sockets. So a
client can keep itself waiting but cannot make us grow. Who stops in the middle of a request is sent
away. An idle connection is kept for longer than the API server keeps it (90 seconds), so that none
is closed that is about to be used.
"""

import asyncio
import select
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, cast

from elasticquota_webhooks.incoming import Asked, Body, Incoming


MOST_CONNECTIONS: Final = 2000
LARGE_AT_ONCE: Final = 4
READ_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 180.0
LINGER_SECONDS: Final = 2.0
"""How long somebody who was turned away may still send before the connection is cut."""


_BEGINNINGS: Final = {
    code: (
        f"HTTP/1.1 {code} {code.phrase}\r\nContent-Type: "
        f"{'application/json' if code == HTTPStatus.OK else 'text/plain; charset=utf-8'}\r\n"
        "Content-Length: "
    ).encode()
    for code in HTTPStatus
}


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON document for code 200, else a sentence for whoever looks why there is none."""

    code: HTTPStatus
    body: bytes
    header: bytes = b""
    """One more line of the head, with its end."""

    def encoded(self, *, last: bool) -> bytes:
        """The whole answer; after the ``last`` one the connection ends."""
        return b"%b%d\r\n%b%b\r\n%b" % (
            _BEGINNINGS[self.code],
            len(self.body),
            self.header,
            b"Connection: close\r\n" if last else b"",
            self.body,
        )


Route = Callable[[Body], Awaitable[Reply]]


@dataclass(slots=True, eq=False)
class House:
    """What the connections of one server share."""

    routes: dict[bytes, Route]
    turned_away: Callable[[int], None]
    """Told the code of each request that came to no route."""
    read_seconds: float = READ_SECONDS
    leaving: bool = False
    """Every answer is the last of its connection."""
    connections: set["Connection"] = field(default_factory=set)
    reading_large: set["Connection"] = field(default_factory=set)
    line: deque["Connection"] = field(default_factory=deque)
    """Who has a large body to send, in the order in which they came."""

    def sweep(self) -> None:
        """Send away whose time is over."""
        now = asyncio.get_running_loop().time()
        for connection in tuple(self.connections):
            connection.look_at_the_clock(now)


class Connection(asyncio.Protocol):
    """One request is answered at a time, and nothing is read meanwhile."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._clock = asyncio.get_running_loop().time
        self._incoming = Incoming(house.routes)
        self._answering: asyncio.Task[None] | None = None
        self._paused = False
        self._ends = False
        self._since = self._clock()
        """Of the request that is arriving, or of the silence."""

    @property
    def idle(self) -> bool:
        """Nothing was asked that has no answer."""
        return self._answering is None and not self._incoming.begun

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if len(self._house.connections) >= MOST_CONNECTIONS:
            self._transport.abort()
        else:
            self._house.connections.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        self._house.connections.discard(self)
        self._make_room()
        if self._answering is not None:
            self._answering.cancel()

    def data_received(self, data: bytes) -> None:
        if self._ends:
            return
        if not self._incoming.begun:
            self._since = self._clock()
        self._incoming.feed(data)
        if self._answering is None:
            self._go_on()
        else:
            self._pause(wanted=True)

    def look_at_the_clock(self, now: float) -> None:
        """End a request that does not arrive, or a silence that is too long."""
        if self._answering is not None or self in self._house.line:
            return
        quiet = now - self._since
        if self._ends and quiet > LINGER_SECONDS:
            self._transport.abort()
        elif self._incoming.begun and quiet > self._house.read_seconds:
            text = f"the body must arrive within {self._house.read_seconds:g} seconds"
            self._turn_away(HTTPStatus.REQUEST_TIMEOUT, text)
        elif quiet > IDLE_SECONDS:
            self._transport.close()

    def close(self) -> None:
        """End now if nothing is under way, else with the next answer.

        The API server does not send a review again that was cut off, so nothing that has reached
        this machine may be: what still waits in the socket is answered too.
        """
        if self.idle and not self._transport.is_closing() and not self._has_more():
            self._transport.close()

    def _has_more(self) -> bool:
        """Something has arrived that the event loop has not read yet."""
        waiting = select.poll()
        waiting.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return bool(waiting.poll(0))

    def abort(self) -> None:
        """End now."""
        self._transport.abort()

    def _go_on(self) -> None:
        """Do what can be done with what has come."""
        incoming, house = self._incoming, self._house
        if incoming.asked:
            asked = incoming.asked.popleft()
            self._answering = asyncio.create_task(self._answer(asked))
            return
        if incoming.refusal is not None:
            self._turn_away(incoming.refusal.code, incoming.refusal.sentence)
        elif incoming.large and self not in house.reading_large and self not in house.line:
            house.line.append(self)
            self._call_in()
        self._pause(wanted=self in house.line)

    async def _answer(self, asked: Asked) -> None:
        reply = await self._house.routes[asked.path](asked.body)
        del asked
        self._make_room()
        self._answering = None
        self._since = self._clock()
        self._ends = self._house.leaving
        self._transport.write(reply.encoded(last=self._ends))
        if self._ends:
            self._transport.close()
        else:
            self._go_on()

    def _turn_away(self, code: HTTPStatus, sentence: str) -> None:
        """Answer, and listen on for a moment: what is cut while it sends does not read answers."""
        self._make_room()
        self._house.turned_away(code)
        self._ends = True
        self._since = self._clock()
        self._transport.write(Reply(code, sentence.encode()).encoded(last=True))

    def _pause(self, wanted: bool) -> None:
        if wanted == self._paused or self._transport.is_closing():
            return
        self._paused = wanted
        if wanted:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _make_room(self) -> None:
        """No large body is expected from here any more."""
        if self in self._house.line:
            self._house.line.remove(self)
        elif self in self._house.reading_large:
            self._house.reading_large.remove(self)
            self._call_in()

    def _call_in(self) -> None:
        while self._house.line and len(self._house.reading_large) < LARGE_AT_ONCE:
            first = self._house.line.popleft()
            self._house.reading_large.add(first)
            first.take_in()

    def take_in(self) -> None:
        """It is this connection's turn to send its large body."""
        self._since = self._clock()
        self._pause(wanted=False)
