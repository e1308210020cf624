"""An HTTP server that says of each path whether it is well, and a probe that asks it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web


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

    application = web.Application()
    application.router.add_get("/{name}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield well, runner.addresses[0][1]
    finally:
        await runner.cleanup()


def probe(port: int, name: str) -> dict[str, Any]:
    """A probe of a path, fifty times a second."""
    return {"httpGet": {"path": f"/{name}", "port": port}, "periodSeconds": 0.02}
