"""Quotas and profiles as Kopf sees them, handed from Kopf's own thread to the main loop.

Kopf watches and calls us for every event; the handlers only carry the object to the main loop. They
return nothing and are plain ``on.event`` handlers, so Kopf writes nothing to users' objects: no
annotation, no finalizer, no status. Kopf runs in its own thread because, when it stops, it cancels
every task of its loop that it does not know.

Kopf never tells what vanished while a watch was down; ``sweep`` does.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from elasticquota_kube.client.credentials import Credentials


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
        try:
            from elasticquota_operator.informers import kopf_side  # noqa: PLC0415 - Kopf is loaded last

            asyncio.run(kopf_side.run(self._credentials, self._carry, self._stop, self.ready))
        except Exception:
            log.exception("kopf broke")
        finally:
            self._in_the_main_loop(self.ended.set)

    def _carry(self, plural: str, kind: str, manifest: Mapping[str, Any]) -> None:
        self._in_the_main_loop(self._deliver, plural, kind, manifest)

    def _in_the_main_loop(self, call: Callable[..., object], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # it is closed: nobody waits for us any more
            self._loop.call_soon_threadsafe(call, *arguments)
