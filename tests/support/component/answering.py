"""An HTTP server for one test, one that says of each path whether it is well, and a probe of it."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web


@asynccontextmanager
async def serving(
    answer: Callable[[web.Request], Awaitable[web.Response]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """A server that gives each request this answer; yields its address."""
    application = web.Application()
    application.router.add_route("*", "/{name:.*}", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def server() -> AsyncIterator[tuple[set[str], int]]:
    """The names of the paths that are well, to be changed, and the port; all others answer 503.

    ``moved`` answers 302.
    """
    well: set[str] = set()

    async def answer(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        good = 302 if name == "moved" else 200
        return web.Response(status=good if name in well else 503, headers={"Location": "/ill"})

    async with serving(answer) as address:
        yield well, int(address.rpartition(":")[2])


def probe(port: int, name: str) -> dict[str, Any]:
    """A probe of a path, fifty times a second."""
    return {"httpGet": {"path": f"/{name}", "port": port}, "periodSeconds": 0.02}
