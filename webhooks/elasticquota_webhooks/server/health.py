"""Serves plain HTTP for the kubelet and Prometheus: /healthz, /readyz, /metrics.

Alive: the event loop answers, and no watch is silent while the API server can be reached
(``liveness``). Ready: this replica can judge, so the Service may send it reviews. A replica that
stops is not ready from the first moment, and still answers reviews.
"""

from collections.abc import Callable, Sequence

from aiohttp import web

from elasticquota_kube import liveness, scrape_access
from elasticquota_webhooks.reviews.metrics import Metrics


Probe = Callable[[], str]
"""Returns what is missing; empty when fine."""


class Health:
    """Serves the probes; ready when no probe of ``readiness`` returns a reason."""

    def __init__(
        self,
        metrics: Metrics,
        readiness: tuple[Probe, ...],
        heartbeats: liveness.Heartbeats = dict,
        access: scrape_access.ScrapeAuthorizer = scrape_access.ANYONE,
    ) -> None:
        self._metrics = metrics
        self._alive = liveness.Liveness(heartbeats)
        self._readiness = readiness
        self._access = access
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._text)
        self._runner = web.AppRunner(app, access_log=None)

    def missing(self) -> list[str]:
        """Why this replica is not ready; empty when it is."""
        return [reason for probe in self._readiness if (reason := probe())]

    async def start(self, hosts: Sequence[str], port: int) -> int:
        """Listen on each of ``hosts``; returns the port of the first."""
        await self._runner.setup()
        for host in hosts:
            await web.TCPSite(self._runner, host, port).start()
        bound: int = self._runner.addresses[0][1]
        return bound

    async def stop(self) -> None:
        """Close the listeners."""
        await self._runner.cleanup()

    async def _healthz(self, _request: web.Request) -> web.Response:
        silent = self._alive.silent()
        if silent:
            lines = [f"{name}: nothing heard for {age} s\n" for name, age in silent.items()]
            return web.Response(status=503, text="".join(lines))
        return web.Response(text="ok\n")

    async def _readyz(self, _request: web.Request) -> web.Response:
        missing = self.missing()
        if missing:
            return web.Response(status=503, text="".join(f"{reason}\n" for reason in missing))
        return web.Response(text="ok\n")

    async def _text(self, request: web.Request) -> web.Response:
        denied = await self._access.denied(request)
        if denied is not None:
            return web.Response(status=denied.status, text=denied.text)
        return web.Response(
            body=self._metrics.text(),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )
