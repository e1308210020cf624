"""A copy of one resource that follows the API server and never keeps what is gone there.

Everything that exists is read first (WatchList, or pages where the server cannot do that), then
changes are followed. Each reading ends with a sweep: what was not read is deleted from the copy,
for a gap in a watch tells nobody what vanished in it. History that expired (410, as a response or
inside the stream), a stream that falls silent, and lines that are no events lead to a new reading;
a lost connection alone does not.

When the API server is away the copy is stale and stays as it is: `last_heard` says since when.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, KeysView
from contextlib import aclosing
from http import HTTPStatus
from typing import Final, Generic, Protocol, TypeVar

import msgspec
import structlog

from elasticquota.wire.codec import shallow
from elasticquota_kube.client import backoff
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_kube.informer.watch_lines import Key


__all__ = ["Key", "Reflector", "Sink"]

QUIET: Final = 70.0
"""Seconds of silence after which a watch is taken for dead; bookmarks come every minute."""


class Manifest(Protocol):
    """An object that says which one it is."""

    @property
    def metadata(self) -> watch_lines.Metadata: ...


T = TypeVar("T", bound=Manifest)
_Name = tuple[str, str]  # namespace and name
T_contra = TypeVar("T_contra", contravariant=True)

log = structlog.get_logger(__name__)


class Sink(Protocol[T_contra]):
    """Where the copy is kept. Called in the event loop of the reflector; must not raise."""

    def upsert(self, obj: T_contra, /) -> None:
        """Take in a new or changed object; the same state may come twice."""

    def delete(self, key: Key, /) -> None:
        """Drop an object; it may be one that was only ever reported as poison."""

    def synced(self) -> None:
        """Everything that exists has been delivered; called after each whole reading."""

    def poison(self, key: Key | None, error: Exception, /) -> None:
        """An object (None: unknown which) could not be decoded; its last good state remains."""


class Reflector(Generic[T]):
    """Follows `resource` and tells `sink`; run `run()` as a task for as long as it shall live.

    `kind` is a msgspec type with the fields that the caller needs; an object that has not its
    shape is poison.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource,
        kind: type[T],
        sink: Sink[T],
        *,
        namespace: str | None = None,
        field_selector: str | None = None,
        label_selector: str | None = None,
        quiet: float = QUIET,
        clock: Callable[[], float] = time.monotonic,
        wait: backoff.Backoff = backoff.jittered,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
        on_poison: Callable[[Resource], None] = lambda _resource: None,
    ) -> None:
        self.resource = resource
        self.synced = asyncio.Event()
        self.last_heard = self.last_answered = clock()
        self._api = api
        self._kind = kind
        self._decode = msgspec.json.Decoder(kind).decode
        self._sink = sink
        self._namespace = namespace
        self._selectors = {
            name: text
            for name, text in (("fieldSelector", field_selector), ("labelSelector", label_selector))
            if text
        }
        self._quiet = quiet
        self._clock = clock
        self._wait = wait
        self._on_restart = on_restart
        self._on_poison = on_poison
        self._known: dict[_Name, str] = {}  # the uid of each object that is there
        self._seen: set[_Name] | None = None  # those met in the reading under way
        self._position = ""  # resourceVersion to go on from; empty: read everything
        self._streams_lists = True
        self._failures = 0
        self._next_batch = asyncio.Event()

    @property
    def position(self) -> int:
        """ResourceVersion up to which the copy is complete; 0 during a whole reading."""
        return int(self._position) if self._position.isdecimal() else 0

    @property
    def known(self) -> KeysView[_Name]:
        """Namespace and name of everything in the copy, and of what could not be decoded; live."""
        return self._known.keys()

    async def moved(self) -> None:
        """Until something more was heard."""
        await self._next_batch.wait()

    async def run(self) -> None:
        """Follow the resource until cancelled."""
        while True:
            try:
                await self._follow()
                why = "closed"
            except ApiError as error:
                why = error.reason
                self._learn(error)
            except msgspec.MsgspecError as error:
                why = "Garbage"
                self._quarantine(None, error)
                self._position = ""
                self._failures += 1
            self._on_restart(self.resource, why)
            if self._failures:
                pause = self._wait(self._failures)
                log.info(
                    "watch broken",
                    resource=self.resource.plural,
                    why=why,
                    failures=self._failures,
                    retry_seconds=round(pause, 1),
                )
                await asyncio.sleep(pause)

    def _learn(self, error: ApiError) -> None:
        """Decide from an error where to go on."""
        self._failures += 1
        if error.status:
            self.last_answered = self._clock()  # a refusal, which no new process would mend
        if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
            # Not every server knows sendInitialEvents.
            self._streams_lists = False
        refused = error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.GATEWAY_TIMEOUT)
        if error.is_gone or refused or error.reason == "Timeout":
            self._position = ""

    async def _follow(self) -> None:
        if not self._position:
            self._seen = set()
            if not self._streams_lists:
                await self._read_pages()
        await self._watch()

    async def _read_pages(self) -> None:
        token = ""
        while True:
            page = await self._api.page_of(
                self._kind, self.resource, self._namespace, params=self._selectors, token=token
            )
            for item in page.items or ():
                if isinstance(item, msgspec.Raw):
                    self._read(item)
                else:
                    self._take(item)
            self._heard()
            token = page.metadata.next
            if not token:
                break
        self._finish_reading(page.metadata.resource_version)

    async def _watch(self) -> None:
        params = {
            **self._selectors,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(random.randint(240, 300)),  # noqa: S311 - spreads reconnects
        }
        if self._position:
            params["resourceVersion"] = self._position
        else:
            params["sendInitialEvents"] = "true"
            params["resourceVersionMatch"] = "NotOlderThan"
        chunks = self._api.watch(self.resource, self._namespace, params=params, quiet=self._quiet)
        heard = False
        async with aclosing(chunks), aclosing(watch_lines.split(chunks)) as batches:
            async for lines in batches:
                for line in lines:
                    self._apply(watch_lines.parse(line))
                heard = True
                self._heard()
        if not heard:
            self._failures += 1  # a server that ends watches at once must not be hammered

    def _apply(self, event: watch_lines.Event) -> None:
        if event.type == "ERROR":
            raise event.error
        if event.type in ("BOOKMARK", "DELETED"):
            head = event.head
            version = head.metadata.resource_version
            if event.type == "DELETED":
                self._drop(head.key)
            elif self._seen is not None:
                if not event.ends_the_initial_events:
                    # An ordinary bookmark this early comes from a server that ignored the request.
                    self._streams_lists = False
                    raise ApiError(0, "NoWatchList", "the server does not end its initial events")
                self._finish_reading(version)
        else:
            version = self._read(event.content)
        if self._seen is None:
            self._position = version

    def _read(self, content: bytes | msgspec.Raw) -> str:
        """Take in what JSON says; returns its resourceVersion."""
        try:
            obj = shallow.decode(self._decode, content)
        except msgspec.MsgspecError as error:
            head = watch_lines.head(content)
            self._meet(head.metadata)
            self._quarantine(head.key, error)
            return head.metadata.resource_version
        self._take(obj)
        return obj.metadata.resource_version

    def _quarantine(self, key: Key | None, error: Exception) -> None:
        self._on_poison(self.resource)
        self._sink.poison(key, error)

    def _take(self, obj: T) -> None:
        self._meet(obj.metadata)
        self._sink.upsert(obj)

    def _meet(self, metadata: watch_lines.Metadata) -> None:
        """Know that an object is there."""
        name = (metadata.namespace, metadata.name)
        known = self._known.get(name)
        if known is None:
            # Thousands of objects share a namespace.
            name = (sys.intern(metadata.namespace), metadata.name)
            self._known[name] = metadata.uid
        elif known != metadata.uid:
            self._drop(Key(*name, known))
            self._known[name] = metadata.uid
        if self._seen is not None:
            self._seen.add(name)

    def _drop(self, key: Key) -> None:
        name = (key.namespace, key.name)
        if self._known.get(name) != key.uid:
            return
        del self._known[name]
        if self._seen is not None:
            self._seen.discard(name)
        self._sink.delete(key)

    def _finish_reading(self, position: str) -> None:
        seen = self._seen or set()
        for name in self._known.keys() - seen:
            self._drop(Key(*name, self._known[name]))
        self._seen = None
        self._position = position
        self._heard()
        self.synced.set()
        self._sink.synced()

    def _heard(self) -> None:
        self.last_heard = self.last_answered = self._clock()
        self._failures = 0
        self._next_batch.set()
        self._next_batch = asyncio.Event()
