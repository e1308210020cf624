"""The HTTPS listener that the API server calls: bodies in, bodies out, and limits on both.

Down: see the failure policies in ``quota_admission`` and ``pod_admission``. Stale and raced: it
holds no state but the certificate, which can be renewed while connections are open.
What is no review is answered with 400 and a sentence; 413 and 408 are for bodies that are too large
or too slow. Requests beyond the limit wait in the socket, where they cost nothing.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from aiohttp import web

from elasticquota.wire import review
from elasticquota_webhooks.reviews import Reviews, UnavailableError


LARGEST_BODY: Final = 7 * 1024 * 1024
"""Bytes: an object and its old state, 3 MiB each at most, and what is around them."""
READ_SECONDS: Final = 5.0
AT_ONCE: Final = 64
DRAIN_SECONDS: Final = 10.0
"""What open requests get to end when the server stops."""


class Server:
    """Serves `routes` (path -> reviews) on `address`; port 0 takes any free port."""

    def __init__(
        self,
        routes: Mapping[str, Reviews],
        tls: ssl.SSLContext,
        *,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self.listening = False
        self._tls = tls
        self._read_seconds = read_seconds
        self._slots = asyncio.Semaphore(AT_ONCE)
        app = web.Application(client_max_size=LARGEST_BODY)
        for path, reviews in routes.items():
            app.router.add_post(path, self._handler(reviews))
        # Compressed bodies are not unpacked: nobody sends them, and they could unpack to anything.
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=DRAIN_SECONDS, auto_decompress=False
        )

    async def start(self, address: str, port: int) -> int:
        """Listen; returns the port."""
        await self._runner.setup()
        await web.TCPSite(self._runner, address, port, ssl_context=self._tls).start()
        self.listening = True
        bound: int = self._runner.addresses[0][1]
        return bound

    async def stop(self) -> None:
        """Take no new connections, let open requests end, close."""
        await self._runner.cleanup()

    def _handler(self, reviews: Reviews) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            if request.content_type != "application/json":
                raise web.HTTPUnsupportedMediaType(text="the body must be application/json")
            async with self._slots:
                try:
                    async with asyncio.timeout(self._read_seconds):
                        body = await request.read()
                except TimeoutError:
                    text = f"the body must arrive within {self._read_seconds:g} seconds"
                    raise web.HTTPRequestTimeout(text=text) from None
                try:
                    answer = await reviews.answer(body)
                except review.ReviewError as error:
                    raise web.HTTPBadRequest(text=str(error)) from None
                except UnavailableError as error:
                    raise web.HTTPServiceUnavailable(
                        text=f"not ready: {error}", headers={"Retry-After": "1"}
                    ) from None
            return web.Response(body=answer, content_type="application/json")

        return handle
