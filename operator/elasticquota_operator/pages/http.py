"""The controller's own pages: is it ready, and what are its figures. Plain HTTP.

Ready means that the caches were filled and a decision was made; a standby is ready too. Whether it
is alive Kopf answers, on a port of its own (``handlers``).
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import structlog
from aiohttp import web

from elasticquota_kube import listening, scrape_access
from elasticquota_operator.pages.metrics import Telemetry


LOOPBACK: Final = "127.0.0.1"

log = structlog.get_logger(__name__)


def application(
    ready: asyncio.Event,
    telemetry: Telemetry,
    more: Iterable[web.RouteDef] = (),
    access: scrape_access.ScrapeAuthorizer = scrape_access.ANYONE,
) -> web.Application:
    """``/readyz`` and ``/metrics``, which ``access`` may refuse, and ``more``."""

    async def readyz(_: web.Request) -> web.Response:
        if ready.is_set():
            return web.Response(text="ok\n")
        return web.Response(text="the caches are not filled yet\n", status=503)

    one_scrape = asyncio.Lock()

    async def metrics(request: web.Request) -> web.Response:
        denied = await access.denied(request)
        if denied is not None:
            return web.Response(status=denied.status, text=denied.text)
        # In a thread of its own: a decision does not wait for the text of a thousand quotas.
        async with one_scrape:
            body = await asyncio.to_thread(telemetry.exposition)
        return web.Response(
            body=body,
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    app = web.Application()
    app.add_routes(
        [
            web.get("/readyz", readyz),
            web.get("/metrics", metrics),
            *more,
        ]
    )
    return app


async def serve(app: web.Application, hosts: Sequence[str], port: int) -> web.AppRunner:
    """Listen on ``hosts`` and, for ``kubectl port-forward``, on the pod's loopback interface.

    The caller cleans the runner up. Raises ``OSError`` when one of them cannot be listened on.
    """
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    for host in hosts:
        await web.TCPSite(runner, host, port).start()
    if not {listening.IPV4, LOOPBACK}.intersection(hosts):
        try:
            await web.TCPSite(runner, LOOPBACK, port).start()
        except OSError as error:
            # In the node's network another process may have the port; only a debug page is lost.
            log.warning("not listening for port-forward", why=str(error))
    return runner
