"""Serves the controller's pages while the process lives, also while it does not lead."""

import asyncio
from collections.abc import Sequence

import structlog
from aiohttp import web

from elasticquota_config.model import Configuration
from elasticquota_kube import scrape_access
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator.pages import http, ledger
from elasticquota_operator.pages.metrics import Telemetry


log = structlog.get_logger(__name__)


class PageServer:
    """``listen()`` once, then ``close()``."""

    def __init__(
        self,
        configuration: Configuration,
        who: Credentials,
        telemetry: Telemetry,
        objects: ledger.Items,
        ready: asyncio.Event,
    ) -> None:
        """``objects`` are those of ``/debug/ledger``; ``ready`` is set when they are complete."""
        self._port = configuration.controller.port
        self._reviews = Api(who) if configuration.metrics.authorization else None
        self._telemetry = telemetry
        self._objects = objects
        self._ready = ready
        self._runner: web.AppRunner | None = None

    async def listen(self, hosts: Sequence[str]) -> None:
        """Raises ``OSError`` when an address or the port is not available."""
        access: scrape_access.ScrapeAuthorizer = scrape_access.ANYONE
        if self._reviews is not None:
            access = scrape_access.ScrapeAccess(await self._reviews.__aenter__())
        more = [ledger.route(self._objects, self._ready)]
        pages = http.application(self._ready, self._telemetry, more, access)
        self._runner = await http.serve(pages, hosts, self._port)
        log.info("controller started", addresses=list(hosts), port=self._port)

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        if self._reviews is not None:
            await self._reviews.__aexit__(None, None, None)
