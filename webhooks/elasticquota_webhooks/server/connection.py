"""Handles one connection: it answers one request after the other, within limits.

Large bodies are read from a few connections at a time; the others wait in their sockets, for some
seconds. So a client can delay itself but cannot use up our memory. A connection that stops in the
middle of a request is closed. An idle connection on which the API server has sent a review is kept
longer than the API server keeps it (90 seconds), so that none is closed just before its use.
Connections that have not shown the API server's token are few, and kept for seconds.
"""

import asyncio
import select
import socket
import ssl
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import cast

from elasticquota.structs import Struct, field
from elasticquota_webhooks.server.incoming import Body, Incoming, IncomingRequest
from elasticquota_webhooks.server.limits import USUAL, ConnectionLimits


class Reply(Struct, frozen=True):
    """A JSON document for code 200, else a sentence that says why there is none."""

    code: HTTPStatus
    body: bytes
    header: str = ""
    """One more header line, with its line end."""

    def encoded(self, *, last: bool) -> bytes:
        """The whole response; after the ``last`` one the connection ends."""
        kind = "application/json" if self.code == HTTPStatus.OK else "text/plain; charset=utf-8"
        closing = "Connection: close\r\n" if last else ""
        head = (
            f"HTTP/1.1 {self.code} {self.code.phrase}\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(self.body)}\r\n{self.header}{closing}\r\n"
        )
        return head.encode() + self.body


Route = Callable[[Body], Awaitable[Reply]]


class ServerState(Struct, eq=False):
    """What the connections of one server share."""

    routes: dict[bytes, Route]
    route: Callable[[bytes], bytes | None]
    """The route of a path; None when the path lacks the API server's token."""
    turned_away: Callable[[int], None]
    """Called with the status code of each request that reached no route."""
    limits: ConnectionLimits = USUAL
    leaving: bool = False
    """Set: every answer closes its connection."""
    connections: set["Connection"] = field(default_factory=set)
    """All connections, also those in the TLS handshake."""
    unproven: dict["Connection", None] = field(default_factory=dict)
    """Connections that have not yet shown the API server's token, the oldest first."""
    reading_large: set["Connection"] = field(default_factory=set)
    line: deque["Connection"] = field(default_factory=deque)
    """Connections that wait to send a large body, in order of arrival."""

    def known(self, path: bytes) -> bytes | None:
        """The route of ``path``, if it has a handler."""
        route = self.route(path)
        return route if route in self.routes else None

    def admit(self, connection: "Connection") -> bool:
        """Add a connection if there is room; an unproven one is closed to make room."""
        most = self.limits.connections
        if len(self.unproven) >= self.limits.unproven or len(self.connections) >= most:
            self._evict()
        if len(self.connections) >= most:
            return False
        self.connections.add(connection)
        self.unproven[connection] = None
        return True

    def forget(self, connection: "Connection") -> None:
        """Remove a connection that has ended."""
        self.connections.discard(connection)
        self.unproven.pop(connection, None)

    def _evict(self) -> None:
        """Cut the oldest unproven connection of the address that has most of them.

        So an unknown client pushes out its own connections first. Those of the API server, which
        sends a review as soon as it is connected, are the youngest of any address.
        """
        counts = Counter(each.peer for each in self.unproven)
        if counts:
            ((largest, _),) = counts.most_common(1)
            oldest = next(each for each in self.unproven if each.peer == largest)
            del self.unproven[oldest]
            oldest.abort()

    def sweep(self) -> None:
        """Close every connection whose time is over."""
        now = asyncio.get_running_loop().time()
        for connection in tuple(self.connections):
            connection.look_at_the_clock(now)


class Connection(asyncio.Protocol):
    """Answers one request at a time, and reads nothing meanwhile."""

    def __init__(self, server_state: ServerState, peer: str) -> None:
        self.peer = peer
        self._server_state = server_state
        self._clock = asyncio.get_running_loop().time
        self._incoming = Incoming(server_state.known)
        self._transport: asyncio.Transport
        self._handshake_done = False
        self._greeting: asyncio.Task[None] | None = None
        self._answering: asyncio.Task[None] | None = None
        self._paused = False
        self._ends = False
        self._since = self._clock()
        """Start of the request that is arriving, or of the silence."""

    @property
    def idle(self) -> bool:
        """Whether every request has its answer."""
        return self._answering is None and not self._incoming.begun

    def greet(self, client: socket.socket, tls: ssl.SSLContext, seconds: float) -> None:
        """Shake hands within ``seconds``, then serve the connection."""
        self._greeting = asyncio.create_task(self._handshake(client, tls, seconds))
        self._greeting.add_done_callback(lambda _: self._greeted(client))

    def _greeted(self, client: socket.socket) -> None:
        if (
            not self._handshake_done
        ):  # perhaps not even begun, when another connection took the room
            self._server_state.forget(self)
            client.close()

    async def _handshake(self, client: socket.socket, tls: ssl.SSLContext, seconds: float) -> None:
        with suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self, client, ssl=tls, ssl_handshake_timeout=seconds
            )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._handshake_done = True

    def connection_lost(self, _: Exception | None) -> None:
        self._server_state.forget(self)
        self._make_room()
        if self._answering is not None:
            self._answering.cancel()

    def data_received(self, data: bytes) -> None:
        if self._ends:
            return
        if not self._incoming.begun:
            self._since = self._clock()
        self._incoming.feed(data)
        if self._incoming.proven:
            self._server_state.unproven.pop(self, None)
        if self._answering is None:
            self._go_on()
        else:
            self._pause(wanted=True)

    def look_at_the_clock(self, now: float) -> None:
        """End a request that does not arrive in time, or a silence that is too long."""
        if self._answering is not None or not self._handshake_done:
            return
        quiet = now - self._since
        proven, most = self._incoming.proven, self._server_state.limits
        if self in self._server_state.line:
            if quiet > most.line_seconds:
                text = f"{most.large_at_once} large reviews are read at a time; ask again"
                self._reject(HTTPStatus.SERVICE_UNAVAILABLE, text)
        elif self._ends and quiet > most.linger_seconds:
            self._transport.abort()
        elif self._incoming.begun and quiet > most.read_seconds:
            text = f"the body must arrive within {most.read_seconds:g} seconds"
            self._reject(HTTPStatus.REQUEST_TIMEOUT, text)
        elif quiet > (most.idle_seconds if proven else most.unproven_seconds):
            self._transport.close()

    def close(self) -> None:
        """End now if nothing is under way, else with the next answer.

        The API server does not send a review again that was cut off, so every review that has
        reached this machine is answered, also one that still waits in the socket.
        """
        if not self._handshake_done or not self.idle or self._transport.is_closing():
            return
        if not _has_more(self._transport):
            self._transport.close()

    def abort(self) -> None:
        """End now."""
        if self._handshake_done:
            self._transport.abort()
        elif self._greeting is not None:
            self._greeting.cancel()

    def _go_on(self) -> None:
        """Process what has arrived."""
        incoming, server_state = self._incoming, self._server_state
        if incoming.asked:
            asked = incoming.asked.popleft()
            self._answering = asyncio.create_task(self._answer(asked))
            return
        if incoming.refusal is not None:
            self._reject(incoming.refusal.code, incoming.refusal.sentence)
        elif (
            incoming.large
            and self not in server_state.reading_large
            and self not in server_state.line
        ):
            server_state.line.append(self)
            self._call_in()
        self._pause(wanted=self in server_state.line)

    async def _answer(self, asked: IncomingRequest) -> None:
        reply = await self._server_state.routes[asked.path](asked.body)
        del asked
        self._make_room()
        self._answering = None
        self._since = self._clock()
        self._ends = self._server_state.leaving
        self._transport.write(reply.encoded(last=self._ends))
        if self._ends:
            self._transport.close()
        else:
            self._go_on()

    def _reject(self, code: HTTPStatus, sentence: str) -> None:
        """Answer, and read on for a moment: a client that is cut while it sends reads no answer."""
        self._make_room()
        self._server_state.turned_away(code)
        self._ends = True
        self._since = self._clock()
        self._pause(wanted=False)
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
        """Note that no large body is expected on this connection any more."""
        if self in self._server_state.line:
            self._server_state.line.remove(self)
        elif self in self._server_state.reading_large:
            self._server_state.reading_large.remove(self)
            self._call_in()

    def _call_in(self) -> None:
        state = self._server_state
        while state.line and len(state.reading_large) < state.limits.large_at_once:
            first = state.line.popleft()
            state.reading_large.add(first)
            first.take_in()

    def take_in(self) -> None:
        """Read the large body, because it is this connection's turn."""
        self._since = self._clock()
        self._pause(wanted=False)


def _has_more(transport: asyncio.Transport) -> bool:
    """Whether data has arrived that the event loop has not read yet."""
    waiting = select.poll()
    waiting.register(transport.get_extra_info("socket"), select.POLLIN)
    return bool(waiting.poll(0))
