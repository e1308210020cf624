"""Kopf watches quotas with credentials of the test's choice, as it does in the controller."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import kopf

from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import QUOTAS
from elasticquota_operator import kopf_session, kopf_settings
from elasticquota_operator.main import Others


@contextlib.asynccontextmanager
async def quotas(credentials: Credentials) -> AsyncIterator[set[str]]:
    """The names of quotas that Kopf has shown so far."""
    seen: set[str] = set()
    registry, settings, stop = kopf.OperatorRegistry(), kopf.OperatorSettings(), asyncio.Event()
    kopf_settings.choose(settings)

    @kopf.on.login(registry=registry)
    async def login(**_: Any) -> kopf.AiohttpSession:
        return kopf_session.of(credentials)

    @kopf.on.event(QUOTAS.group, QUOTAS.version, QUOTAS.plural, registry=registry)
    async def quota(event: kopf.RawEvent, **_: Any) -> None:
        seen.add(event["object"]["metadata"]["name"])

    tasks = await kopf.spawn_tasks(
        registry=registry, settings=settings, clusterwide=True, standalone=True, stop_flag=stop
    )
    running = asyncio.create_task(kopf.run_tasks(tasks, ignored=Others()))
    try:
        yield seen
    finally:
        stop.set()
        await running
