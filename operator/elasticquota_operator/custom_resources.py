"""Quotas and profiles as Kopf sees them, handed from Kopf's own thread to the main loop.

Kopf watches and calls us for every event; the handlers only carry the object to the main loop. They
return nothing and are plain ``on.event`` handlers, so Kopf writes nothing to users' objects: no
annotation, no finalizer, no status. Kopf runs in its own thread because, when it stops, it cancels
every task of its loop that it does not know.

Kopf never tells what vanished while a watch was down; ``sweep`` does.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

import aiohttp
import kopf
import structlog

from elasticquota_kube import paths
from elasticquota_kube.credentials import Credentials


log = structlog.get_logger(__name__)


class Watcher:
    """Kopf in a thread; ``deliver(plural, type, manifest)`` is called in the loop it is made in."""

    def __init__(
        self, credentials: Credentials, deliver: Callable[[str, str, Mapping[str, Any]], None]
    ) -> None:
        self._credentials = credentials
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self.ready = threading.Event()
        self.ended = asyncio.Event()
        """Set when Kopf is no longer running, for whatever reason."""
        self._thread = threading.Thread(target=self._run, name="kopf", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Kopf begins to end."""
        self._stop.set()

    async def stop(self, patience: float = 5.0) -> None:
        """Ask Kopf to end; returns when it has, or after ``patience`` seconds."""
        self.ask_to_stop()
        if not self._thread.is_alive():
            return
        try:
            async with asyncio.timeout(patience):
                await self.ended.wait()
        except TimeoutError:
            log.warning("kopf did not stop in time")

    def _run(self) -> None:
        _quieten()
        try:
            asyncio.run(
                kopf.operator(
                    registry=self._registry(),
                    settings=_settings(),
                    standalone=True,
                    clusterwide=True,
                    stop_flag=self._stop,
                    ready_flag=self.ready,
                )
            )
        except Exception:
            log.exception("kopf broke")
        finally:
            self._in_the_main_loop(self.ended.set)

    def _registry(self) -> kopf.OperatorRegistry:
        registry = kopf.OperatorRegistry()
        kopf.on.login(registry=registry)(self._login)
        for resource in (paths.QUOTAS, paths.PROFILES):
            handler = self._handler(resource.plural)
            kopf.on.event(
                resource.group,
                resource.version,
                resource.plural,
                id=resource.plural,
                registry=registry,
            )(handler)
        return registry

    def _handler(self, plural: str) -> Callable[..., Any]:
        async def carry(event: Mapping[str, Any], **_: Any) -> None:
            self._in_the_main_loop(
                self._deliver, plural, event["type"] or "ADDED", dict(event["object"])
            )

        return carry

    def _in_the_main_loop(self, call: Callable[..., object], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # it is closed: nobody waits for us any more
            self._loop.call_soon_threadsafe(call, *arguments)

    async def _login(self, **_: Any) -> kopf.AiohttpSession:
        """Our own session: it asks for the token at each request, so renewal needs no login."""
        token = self._credentials.token

        async def bear(
            request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
        ) -> aiohttp.ClientResponse:
            text = token.current()
            if text is not None:
                request.headers["Authorization"] = f"Bearer {text}"
            response = await handler(request)
            if response.status == 401:
                token.forget()
            return response

        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._credentials.tls or True),
            headers={"User-Agent": "elastic-quota-operator/kopf"},
            middlewares=(bear,),
        )
        return kopf.AiohttpSession(server=self._credentials.server, aiohttp_session=session)


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
