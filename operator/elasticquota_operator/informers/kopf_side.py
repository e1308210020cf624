"""Kopf set up to read and nothing else: what it is told, and what it calls.

This is the one file that knows Kopf. It is loaded by Kopf's own thread, when the first decision is
made: loading it takes a tenth of a second of the processor.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

import aiohttp
import kopf

from elasticquota_kube.client import errors, paths
from elasticquota_kube.client.credentials import Credentials


Carry = Callable[[str, str, Mapping[str, Any]], None]
"""Takes the plural of a kind, what happened, and the object."""


async def run(
    credentials: Credentials, carry: Carry, stop: threading.Event, ready: threading.Event
) -> None:
    """Follow quotas and profiles until ``stop`` is set; ``ready`` is when Kopf has begun."""
    _quieten()
    await kopf.operator(
        registry=_registry(credentials, carry),
        settings=_settings(),
        standalone=True,
        clusterwide=True,
        stop_flag=stop,
        ready_flag=ready,
    )


def _registry(credentials: Credentials, carry: Carry) -> kopf.OperatorRegistry:
    registry = kopf.OperatorRegistry()
    kopf.on.login(registry=registry)(_login(credentials))
    for resource in (paths.QUOTAS, paths.PROFILES):
        kopf.on.event(
            resource.group,
            resource.version,
            resource.plural,
            id=resource.plural,
            registry=registry,
        )(_handler(resource.plural, carry))
    return registry


def _handler(plural: str, carry: Carry) -> Callable[..., Any]:
    async def handle(event: Mapping[str, Any], **_: Any) -> None:
        carry(plural, event["type"] or "ADDED", dict(event["object"]))

    return handle


def _login(credentials: Credentials) -> Callable[..., Any]:
    async def login(**_: Any) -> kopf.AiohttpSession:
        """Our own session: it asks for the token at each request, so renewal needs no login.

        When the cluster's authority changes it closes, upon which Kopf logs in again.
        """
        tls, token = credentials.tls, credentials.token
        context = tls.current() if tls is not None else True

        async def bear(
            request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
        ) -> aiohttp.ClientResponse:
            if tls is not None and tls.current() is not context:
                await session.close()
                raise RuntimeError("the cluster's authority has changed")
            text = token.current()
            if text is not None:
                request.headers["Authorization"] = f"Bearer {text}"
            try:
                response = await handler(request)
            except aiohttp.ClientConnectionError as error:
                if tls is not None and errors.is_distrust(error):
                    tls.forget()
                raise
            if response.status == 401:
                token.forget()
            return response

        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context),
            headers={"User-Agent": "elastic-quota-operator/kopf"},
            proxy=credentials.proxy,
            middlewares=(bear,),
        )
        return kopf.AiohttpSession(server=credentials.server, aiohttp_session=session)

    return login


def _quieten() -> None:
    """Kopf says at level info that each event came; only its troubles are news."""
    logging.getLogger("kopf").setLevel(logging.WARNING)
    logging.getLogger("kopf._core.reactor.running").addFilter(_is_not_about_signals)
    logging.getLogger("kopf.objects").addFilter(_without_settings)


def _is_not_about_signals(record: logging.LogRecord) -> bool:
    """Kopf warns that it gets no signals in a thread; that is why it is in one."""
    return not record.getMessage().startswith("OS signals are ignored")


def _without_settings(record: logging.LogRecord) -> bool:
    """Every record about an object carries all settings."""
    record.__dict__.pop("settings", None)
    return True


class _NoComparison(kopf.DiffBaseStorage):
    """Kopf copies each object to find out what has changed, for handlers that we have none of."""

    def build(self, **_: Any) -> kopf.BodyEssence:
        return cast("kopf.BodyEssence", {})

    def fetch(self, **_: Any) -> kopf.BodyEssence | None:
        return None

    def store(self, **_: Any) -> None:
        """Nothing is kept on users' objects."""


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True  # both kinds are known, and watching CRDs would need rights
    settings.watching.server_timeout = 300
    settings.watching.connect_timeout = 10
    settings.watching.chunk_size = 500
    settings.watching.reconnect_backoff = 1
    settings.networking.request_timeout = 30
    settings.networking.connect_timeout = 10
    settings.networking.error_backoffs = (1, 2, 3, 5, 8)
    settings.networking.enforce_retry_after = True
    settings.persistence.diffbase_storage = _NoComparison()
    settings.persistence.finalizer = "elasticquota.dev/unused"
    settings.execution.max_workers = 1
    settings.process.ultimate_exiting_timeout = None  # the process is ours to end
    return settings
