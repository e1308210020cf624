"""Writes events for ``kubectl describe``; a repeated event is written only once.

An event repeated within ten minutes (same object, reason and note) is dropped. Recording never
blocks: a full queue drops events. Warnings are written first, so that the events of evictions do
not wait behind those of thousands of admissions. Other events are written at a limited rate after
the first hundred. While writes need the API server (``yields``) they have a lower rate from the
first event on. They are dropped when a hundred of their namespace are waiting, so that evictions
and admissions come before events, late news is not written, and many pods in one namespace do not
delay the events of others. While the API server is away, an event is retried for about 15 seconds;
one that is given up or refused is logged and counted.
"""

import asyncio
import itertools
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

import structlog

from elasticquota_kube.client import retry
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.paths import EVENTS


QUEUE: Final = 5000
"""Events that wait to be written, one after the other; hundreds of pods may be evicted at once."""
NEWS: Final = 100
"""Largest number of these that are no warnings, for one namespace: four seconds of writing."""
SILENCE: Final = 600.0
"""Seconds for which a repeated event is dropped."""
ATTEMPTS: Final = 6
BURST: Final = 100
PACE: Final = 25.0
"""Events a second that are no warnings, after ``BURST`` in a row."""
LOW_PACE: Final = 5.0
"""The same without a burst, while other writes need the API server."""
_REMEMBERED: Final = 10_000
_NOTE: Final = 1024  # bytes, the API's limit; so is the next
_NAME: Final = 253
_NO_NAMESPACE: Final = "default"  # for events about cluster-wide objects, by the API's rule

_Place = tuple[bool, int, Document]
"""In the queue: whether it is written after warnings, a serial number, and the event."""

Fate = Literal["written", "failed", "dropped", "repeated"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Regarding:
    """The object an event is about; `namespace` is empty outside namespaces."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


class Recorder:
    """Writes events as `component` (such as ``elasticquota.dev/controller``) in task `run()`."""

    def __init__(
        self,
        api: Api,
        component: str,
        instance: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: retry.Backoff = retry.jittered,
        yields: Callable[[], bool] = lambda: False,
        on_fate: Callable[[Fate], None] = lambda _fate: None,
    ) -> None:
        self._api = api
        self._component = component
        self._instance = instance
        self._clock = clock
        self._wait = wait
        self._yields = yields
        self._on_fate = on_fate
        self._queue: asyncio.PriorityQueue[_Place] = asyncio.PriorityQueue(QUEUE)
        self._numbers = itertools.count()
        self._said: OrderedDict[tuple[str, str, str], float] = OrderedDict()
        self._news: Counter[str] = Counter()
        """By namespace, events that are no warnings and are queued or being written."""
        self._free_at = 0.0
        """When a whole burst is available again, by ``clock``."""

    def record(
        self,
        regarding: Regarding,
        reason: str,
        note: str,
        *,
        action: str,
        type: Literal["Normal", "Warning"] = "Normal",  # noqa: A002 - the field's own name
    ) -> None:
        """Queue one event: `reason` and `action` in CamelCase, `note` a sentence with numbers."""
        can_wait, namespace = type == "Normal", regarding.namespace
        if self._queue.full() or (can_wait and self._news[namespace] >= NEWS):
            self._on_fate("dropped")
        elif self._was_said((regarding.uid, reason, note)):
            self._on_fate("repeated")
        else:
            event = self._manifest(regarding, reason, note, action, type)
            self._queue.put_nowait((can_wait, next(self._numbers), event))
            if can_wait:
                self._news[namespace] += 1

    async def run(self) -> None:
        """Write queued events until cancelled."""
        while True:
            can_wait, number, event = await self._queue.get()
            try:
                pause = self._pause() if can_wait else 0.0
                if pause:
                    self._queue.put_nowait((can_wait, number, event))
                    await asyncio.sleep(min(pause, 1 / PACE))  # a warning may be queued meanwhile
                else:
                    self._on_fate(await self._write(event))
                    if can_wait:
                        self._news[event["regarding"]["namespace"]] -= 1
                        self._news = +self._news  # drops namespaces with a count of 0
            finally:
                self._queue.task_done()

    def _pause(self) -> float:
        """Seconds until the next event that is no warning may be written; 0: now, and it counts."""
        now = self._clock()
        pace, burst = (LOW_PACE, 0) if self._yields() else (PACE, BURST)
        pause = self._free_at - now - burst / pace
        if pause > 0:
            return pause
        self._free_at = max(self._free_at, now) + 1 / pace
        return 0.0

    async def _write(self, event: Document) -> Fate:
        for failures in itertools.count(1):
            try:
                await self._api.create(EVENTS, event["metadata"]["namespace"], event)
            except ApiError as error:
                if error.is_conflict and failures > 1:
                    break  # the answer to the first try was lost
                if not error.is_transient or failures == ATTEMPTS:
                    log.warning("event not written", reason=event["reason"], why=str(error))
                    return "failed"
                await asyncio.sleep(error.retry_after or self._wait(failures))
            else:
                break
        return "written"

    async def flush(self) -> None:
        """Wait until all queued events have been tried; `run()` must be running."""
        await self._queue.join()

    def _was_said(self, words: tuple[str, str, str]) -> bool:
        now = self._clock()
        while self._said:
            oldest, when = next(iter(self._said.items()))
            if now - when < SILENCE and len(self._said) <= _REMEMBERED:
                break
            del self._said[oldest]
        if words in self._said:
            return True
        self._said[words] = now
        return False

    def _manifest(
        self, regarding: Regarding, reason: str, note: str, action: str, kind: str
    ) -> Document:
        return {
            "apiVersion": EVENTS.api_version,
            "kind": "Event",
            "metadata": {
                # A name that was cut may end in characters that are not allowed at the end.
                "name": f"{regarding.name[: _NAME - 17].rstrip('-.')}.{secrets.token_hex(8)}",
                "namespace": regarding.namespace or _NO_NAMESPACE,
            },
            "eventTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "reportingController": self._component,
            "reportingInstance": self._instance[:128],
            "type": kind,
            "reason": reason,
            "action": action,
            "note": note.encode()[:_NOTE].decode(errors="ignore"),
            "regarding": {
                "apiVersion": regarding.api_version,
                "kind": regarding.kind,
                "namespace": regarding.namespace,
                "name": regarding.name,
                "uid": regarding.uid,
            },
        }
