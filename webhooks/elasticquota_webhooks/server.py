"""The HTTPS listener that the API server calls: bodies in, bodies out, and limits on both.

Down: see the failure policies in ``quota_admission`` and ``pod_admission``. Stale and raced: it
holds no state but the certificate, which can be renewed while connections are open.
What is no review is answered with 400 and a sentence. When our own code fails, the answer is 500,
so that the failure policy decides, and the log says what happened.
"""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from elasticquota.wire import review
from elasticquota_webhooks import connection
from elasticquota_webhooks.connection import Connection, House, Reply, Route
from elasticquota_webhooks.incoming import Body
from elasticquota_webhooks.metrics import Metrics
from elasticquota_webhooks.reviews import BrokenError, Reviews, UnavailableError


AT_ONCE: Final = 64
"""Decisions that wait for the API server at one time; the others wait for them."""
BACKLOG: Final = 1024
HANDSHAKE_SECONDS: Final = 10.0
DRAIN_SECONDS: Final = 10.0
"""What open requests get to end when the server stops."""
_RETRY: Final = b"Retry-After: 1\r\n"


class Server:
    """Serves `routes` (path -> reviews); port 0 takes any free port."""

    def __init__(
        self,
        routes: Mapping[str, Reviews],
        tls: ssl.SSLContext,
        metrics: Metrics,
        *,
        read_seconds: float = connection.READ_SECONDS,
    ) -> None:
        self.listening = False
        self._tls = tls
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._house = House(
            {},
            lambda code: metrics.turned_away.labels(str(code)).inc(),
            read_seconds,
        )
        self.serve(routes)
        self._listener: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None

    def serve(self, routes: Mapping[str, Reviews]) -> None:
        """Add routes, or replace those of the same path."""
        for path, reviews in routes.items():
            self._house.routes[path.encode()] = self._route(reviews)

    async def start(self, hosts: Sequence[str], port: int) -> int:
        """Listen on each of them; returns the port of the first."""
        self._listener = await asyncio.get_running_loop().create_server(
            lambda: Connection(self._house),
            hosts,
            port,
            ssl=self._tls,
            backlog=BACKLOG,
            ssl_handshake_timeout=HANDSHAKE_SECONDS,
        )
        self._sweeper = asyncio.create_task(self._sweep())
        self.listening = True
        bound: int = self._listener.sockets[0].getsockname()[1]
        return bound

    def leave(self) -> None:
        """Ask every client to go elsewhere with its next request; this one is answered."""
        self._house.leaving = True

    async def stop(self) -> None:
        """Take no new connections, let open requests end, close."""
        self.leave()
        if self._listener is not None:
            self._listener.close()
        for each in tuple(self._house.connections):
            each.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while self._house.connections:  # noqa: ASYNC110 - ends are told to nobody
                    await asyncio.sleep(0.01)
        for each in tuple(self._house.connections):
            each.abort()
        if self._sweeper is not None:
            self._sweeper.cancel()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._house.read_seconds / 10)
            self._house.sweep()

    def _route(self, reviews: Reviews) -> Route:
        async def answer(body: Body) -> Reply:
            try:
                async with self._slots:
                    return Reply(HTTPStatus.OK, await reviews.answer(body))
            except review.ReviewError as error:
                return Reply(HTTPStatus.BAD_REQUEST, str(error).encode())
            except UnavailableError as error:
                text = f"not ready: {error}"
                return Reply(HTTPStatus.SERVICE_UNAVAILABLE, text.encode(), _RETRY)
            except BrokenError as error:
                return Reply(HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode())

        return answer
