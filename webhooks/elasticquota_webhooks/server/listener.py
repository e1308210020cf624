"""The HTTPS listener that the API server calls; it passes bodies on and limits connections.

Webhook down: see the failure policies in ``quota_admission`` and ``pod_admission``. Stale cache and
races: none, its only state is the certificate, which can be renewed while connections are open. A
request that is no review gets 400 and a sentence. When our own code fails, the answer is 500, so
that the failure policy decides, and the log says what happened.
"""

import asyncio
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from elasticquota.wire.admission import review
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import BrokenError, Reviews, UnavailableError
from elasticquota_webhooks.server.connection import Connection, Reply, Route, ServerState
from elasticquota_webhooks.server.incoming import Body
from elasticquota_webhooks.server.limits import USUAL, ConnectionLimits


AT_ONCE: Final = 64
"""Concurrent decisions of one kind; further reviews of that kind wait."""
BACKLOG: Final = 1024
HANDSHAKE_SECONDS: Final = 5.0
TLS_BUFFER: Final = 64 * 1024
"""Bytes that asyncio allocates and fills for each connection; its default is 256 KiB."""
DRAIN_SECONDS: Final = 10.0
"""How long open requests may still take when the server stops."""
_RETRY: Final = "Retry-After: 1\r\n"


class Server:
    """Serves `routes` (path -> reviews); port 0 takes any free port.

    `route` returns the key in `routes` for a requested path, or None for an unknown path.
    """

    def __init__(
        self,
        routes: Mapping[str, Reviews],
        tls: ssl.SSLContext,
        metrics: Metrics,
        route: Callable[[bytes], bytes | None],
        *,
        limits: ConnectionLimits = USUAL,
    ) -> None:
        self.listening = False
        self._tls = tls
        self._server_state = ServerState(
            {},
            route,
            lambda code: metrics.turned_away.labels(str(code)).inc(),
            limits,
        )
        self.serve(routes)
        self._listeners: list[socket.socket] = []
        self._acceptors: list[asyncio.Task[None]] = []
        self._sweeper: asyncio.Task[None] | None = None

    def serve(self, routes: Mapping[str, Reviews]) -> None:
        """Add routes, or replace those of the same path."""
        for path, reviews in routes.items():
            self._server_state.routes[path.encode()] = self._route(reviews)

    async def start(self, hosts: Sequence[str], port: int) -> int:
        """Listen on each of ``hosts``; returns the port of the first."""
        SSLProtocol.max_size = TLS_BUFFER
        loop = asyncio.get_running_loop()
        bound = await loop.create_server(asyncio.Protocol, hosts, port, start_serving=False)
        self._listeners = [each.dup() for each in bound.sockets]
        bound.close()
        for each in self._listeners:
            each.listen(BACKLOG)
            each.setblocking(False)
            self._acceptors.append(asyncio.create_task(self._accept(each)))
        self._sweeper = asyncio.create_task(self._sweep())
        self.listening = True
        first: int = self._listeners[0].getsockname()[1]
        return first

    def leave(self) -> None:
        """Close each connection with its next answer, so that clients go to another replica."""
        self._server_state.leaving = True

    async def stop(self) -> None:
        """Accept no new connections, let open requests end, close."""
        self.leave()
        for task in self._acceptors:
            task.cancel()
        await asyncio.gather(*self._acceptors, return_exceptions=True)
        for listener in self._listeners:
            listener.close()
        self._acceptors, self._listeners = [], []
        for each in tuple(self._server_state.connections):
            each.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while self._server_state.connections:  # noqa: ASYNC110 - no event says when
                    await asyncio.sleep(0.01)
        for each in tuple(self._server_state.connections):
            each.abort()
        if self._sweeper is not None:
            self._sweeper.cancel()

    async def _accept(self, listener: socket.socket) -> None:
        """Accept connections; checks for room before an unknown client's handshake costs time."""
        while True:
            try:
                client, peer = await asyncio.get_running_loop().sock_accept(listener)
            except OSError:  # no descriptor is free, or the client has gone
                await asyncio.sleep(0.1)
                continue
            connection = Connection(self._server_state, peer[0])
            if self._server_state.admit(connection):
                connection.greet(client, self._tls, HANDSHAKE_SECONDS)
            else:
                client.close()
            await asyncio.sleep(0)  # a burst of new connections must not delay reviews

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._server_state.limits.read_seconds / 10)
            self._server_state.sweep()

    def _route(self, reviews: Reviews) -> Route:
        slots = asyncio.Semaphore(AT_ONCE)

        async def answer(body: Body) -> Reply:
            try:
                async with slots:
                    return Reply(HTTPStatus.OK, await reviews.answer(body))
            except review.ReviewError as error:
                return Reply(HTTPStatus.BAD_REQUEST, str(error).encode())
            except UnavailableError as error:
                text = f"not ready: {error}"
                return Reply(HTTPStatus.SERVICE_UNAVAILABLE, text.encode(), _RETRY)
            except BrokenError as error:
                return Reply(HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode())

        return answer
