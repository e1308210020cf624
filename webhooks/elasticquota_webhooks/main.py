"""Runs the webhook process: caches, certificate, listener, probes and a graceful end.

A restarted process only reads from the API server, and is ready within a second or two. On SIGTERM
it reports that it is not ready, keeps answering while the Service removes it from its endpoints,
and then closes. An unexpected error in any part ends the whole process, and the kubelet restarts
it.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile
from elasticquota_kube import listening
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.scrape_access import ANYONE, ScrapeAccess
from elasticquota_webhooks.certificates import modes, timing
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.certificates.timing import Timing
from elasticquota_webhooks.replica import Replica
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.server.contact import Contact
from elasticquota_webhooks.server.health import Health
from elasticquota_webhooks.server.listener import Server
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


DRAIN_SECONDS: Final = 5.0
"""How long the Service may still send reviews to a replica that is shutting down."""

log = structlog.get_logger(__name__)


async def run(configuration: Configuration, file: Path | None = None) -> None:
    """Serve until SIGTERM or SIGINT, and reload ``file`` when it changes.

    Raises ``CredentialsError`` and ``OSError`` at the start.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    found = credentials.load()
    namespace = os.environ.get("POD_NAMESPACE") or found.namespace
    async with Api(found) as api:
        await serve(
            configuration, api, namespace, listening.hosts(), stop, DRAIN_SECONDS, file=file
        )


async def serve(
    configuration: Configuration,
    api: Api,
    namespace: str,
    hosts: Sequence[str],
    stop: asyncio.Event,
    drain_seconds: float,
    times: Timing = timing.NORMAL,
    *,
    file: Path | None = None,
) -> None:
    """Serve on ``hosts`` until ``stop`` is set, as the webhook of ``namespace``."""
    settings = configuration.webhook
    metrics = Metrics()
    replica = Replica(configuration, api, namespace, metrics)
    caches = replica.caches
    certificate = Certificate()
    paths_taken = WebhookPaths(times.linger)
    manager = modes.manager(settings, api, namespace, certificate, paths_taken, times)
    metrics.certificate_expires.set_function(certificate.expires)
    metrics.registry.register(manager)
    contact = Contact(api, namespace)

    server = Server(
        replica.table(),
        certificate.context,
        metrics,
        paths_taken.route,
    )

    def heartbeats() -> dict[str, float]:
        heard = {each.resource.plural: each.last_answered for each in replica.followers}
        return {**heard, "contact": contact.last_heard}

    health = Health(
        metrics,
        (
            lambda: "stopping" if stop.is_set() else "",
            lambda: "" if caches.filled else "quotas, profiles and namespaces are still being read",
            manager.missing,
            contact.missing,
            lambda: "" if server.listening else "not listening yet",
        ),
        heartbeats,
        ScrapeAccess(api) if configuration.metrics.authorization else ANYONE,
    )

    def reconfigure(changed: Configuration) -> None:
        replica.reconfigure(changed)
        server.serve(replica.table())

    async def listen() -> None:
        await manager.shown.wait()
        await server.start(hosts, settings.port)
        log.info("listening", addresses=list(hosts), port=settings.port)

    await health.start(hosts, settings.health_port)
    try:
        async with asyncio.TaskGroup() as group:
            following = [watch() for watch in replica.watches()]
            works = [*following, manager.run(), contact.run(), listen()]
            if file is not None:
                followed = ConfigurationFile(
                    file, configuration, reconfigure, metrics.config_valid.set
                )
                works.append(followed.run())
            tasks = [group.create_task(work) for work in works]
            await stop.wait()
            server.leave()
            await drain(drain_seconds)
            await server.stop()
            for task in tasks:
                task.cancel()
    finally:
        await server.stop()
        await health.stop()


async def drain(seconds: float) -> None:
    """Wait until the Service has removed this replica; no event says so, so the time is a guess."""
    log.info("stopping", drain_seconds=seconds)
    await asyncio.sleep(seconds)
