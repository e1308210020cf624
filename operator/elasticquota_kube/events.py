"""Writes events for ``kubectl describe``; a repeated event is one object with a series.

An event repeated within ten minutes (same object, reason and note) is dropped; later it continues
the series of the first one (``event_series``). Recording never
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
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Final, Literal

import structlog

from elasticquota import texts
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota_kube import event_series
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
REMEMBERED: Final = 20_000
"""Events whose series are known; of others the API server is asked. They are at most 10 MB."""
_NOTE: Final = 1024  # bytes, the API's limit
_NO_NAMESPACE: Final = "default"  # for events about cluster-wide objects, by the API's rule

_Place = tuple[bool, int, Document]
"""In the queue: whether it is written after warnings, a serial number, and the event."""

Fate = Literal["written", "failed", "dropped", "repeated"]

log = structlog.get_logger(__name__)


class _Said(Struct):
    """What was reported last by one event."""

    note: str
    at: float
    """By the recorder's clock."""
    count: int = 0
    """How often it was reported; 0: it is not known to be stored."""


class Regarding(Struct, frozen=True):
    """The object an event is about; `namespace` is empty outside namespaces."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    @staticmethod
    def pod(key: Key, uid: str) -> "Regarding":
        """A pod."""
        return Regarding("v1", "Pod", key.namespace, key.name, uid)


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
        self._said: OrderedDict[str, _Said] = OrderedDict()
        """By namespace and name of the event, the one that was reported last at the end."""
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
        latest: bool = False,
        silence: float = SILENCE,
    ) -> bool:
        """Queue one event: `reason` and `action` in CamelCase, `note` a sentence with numbers.

        ``latest``: an object has one event of this reason, whose note is the newest; otherwise each
        note is an event. ``silence``: seconds for which a repetition is dropped. Returns False when
        the event was dropped because too many wait.
        """
        can_wait, namespace = type == "Normal", regarding.namespace
        event = self._manifest(regarding, reason, note, action, type, latest=latest)
        if self._queue.full() or (can_wait and self._news[namespace] >= NEWS):
            self._on_fate("dropped")
            return False
        if self._was_said(event, silence):
            self._on_fate("repeated")
        else:
            self._queue.put_nowait((can_wait, next(self._numbers), event))
            if can_wait:
                self._news[namespace] += 1
        return True

    def said_at(self, regarding: Regarding, reason: str) -> float | None:
        """When the latest event of this reason was recorded, by ``clock``; None: not known."""
        name = event_series.name(regarding.name, regarding.uid, reason)
        said = self._said.get(f"{regarding.namespace or _NO_NAMESPACE}/{name}")
        return None if said is None else said.at

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
        said = self._said.get(_key(event)) or _Said(event["note"], self._clock())
        for failures in itertools.count(1):
            try:
                said.count = await event_series.write(self._api, event, said.count)
            except ApiError as error:
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

    def _was_said(self, event: Document, silence: float) -> bool:
        now, key = self._clock(), _key(event)
        said = self._said.setdefault(key, _Said("", now))
        if said.note == event["note"] and now - said.at < silence:
            return True
        said.note, said.at = event["note"], now
        self._said.move_to_end(key)
        if len(self._said) > REMEMBERED:
            self._said.popitem(last=False)
        return False

    def _manifest(
        self, regarding: Regarding, reason: str, note: str, action: str, kind: str, *, latest: bool
    ) -> Document:
        note = texts.printable(note[:_NOTE]).encode()[:_NOTE].decode(errors="ignore")
        identity = (regarding.uid, reason) if latest else (regarding.uid, reason, note)
        return {
            "apiVersion": EVENTS.api_version,
            "kind": "Event",
            "metadata": {
                "name": event_series.name(regarding.name, *identity),
                "namespace": regarding.namespace or _NO_NAMESPACE,
            },
            "eventTime": event_series.now(),
            "reportingController": self._component,
            "reportingInstance": self._instance[:128],
            "type": kind,
            "reason": reason,
            "action": action,
            "note": note,
            "regarding": {
                "apiVersion": regarding.api_version,
                "kind": regarding.kind,
                "namespace": regarding.namespace,
                "name": regarding.name,
                "uid": regarding.uid,
            },
        }


def _key(event: Document) -> str:
    return f"{event['metadata']['namespace']}/{event['metadata']['name']}"
