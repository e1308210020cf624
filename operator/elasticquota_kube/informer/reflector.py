"""Keeps a copy of one resource in line with the API server, and drops what is gone there.

First it reads everything that exists (WatchList, or pages if the server does not support that),
then it follows changes. Each full read ends with a sweep: what was not read is deleted from the
copy, because after a gap in a watch the server does not report what was deleted during it. A new
full read follows expired history (410, as a response or inside the stream), a silent stream, and
lines that are no events; a lost connection alone does not cause one.

While the API server is away the copy stays as it is and is stale: `last_heard` says since when.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Final, Generic, Protocol, TypeVar

import msgspec
import structlog

from elasticquota.wire.codec import shallow
from elasticquota_kube.client import retry
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_kube.informer.watch_lines import ObjectKey


__all__ = ["ObjectKey", "Reflector", "Sink"]

QUIET: Final = 70.0
"""Seconds of silence after which a watch counts as dead; bookmarks arrive every minute."""


class WatchedObject(Protocol):
    """An object with metadata that identify it."""

    @property
    def metadata(self) -> watch_lines.ObjectMetadata: ...


T = TypeVar("T", bound=WatchedObject)
_Name = tuple[str, str]  # namespace and name
T_contra = TypeVar("T_contra", contravariant=True)

log = structlog.get_logger(__name__)


class Sink(Protocol[T_contra]):
    """Stores the copy. Called in the event loop of the reflector; must not raise."""

    def upsert(self, obj: T_contra, /) -> object:
        """Store a new or changed object; the same state may arrive twice."""

    def delete(self, key: ObjectKey, /) -> object:
        """Remove an object; it may be one that could never be decoded."""

    def synced(self) -> None:
        """Called after each full read, when everything that exists has been delivered."""


def report_undecodable(kind: str, key: ObjectKey | None, error: Exception) -> None:
    """Log that an object (None: unknown which) cannot be decoded."""
    name = "unknown" if key is None else f"{key.namespace}/{key.name}".lstrip("/")
    log.warning("undecodable object", kind=kind, object=name, why=str(error))


class Reflector(Generic[T]):
    """Follows `resource` and updates `sink`; start `run()` as a task.

    `kind` is a msgspec type with the fields that the caller needs. An object that does not have its
    shape is poison: it is reported, and its last state stays in the sink.
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
        wait: retry.Backoff = retry.jittered,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
        on_poison: Callable[[Resource], None] = lambda _resource: None,
        known: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        """``known``: what an earlier reflector left in ``sink``, as its ``known``."""
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
        self._loop = retry.Loop(wait)
        self._on_restart = on_restart
        self._on_poison = on_poison
        self._known = dict[_Name, str](known or {})  # the uid of each object that exists
        self._seen: set[_Name] | None = None  # the objects of the full read under way
        self._position = ""  # resourceVersion to continue from; empty: read everything
        self._streams_lists = True
        self._next_batch = asyncio.Event()

    @property
    def position(self) -> int:
        """ResourceVersion up to which the copy is complete; 0 during a full read."""
        return int(self._position) if self._position.isdecimal() else 0

    @property
    def known(self) -> Mapping[_Name, str]:
        """Uids of everything in the copy and of what could not be decoded; a live view."""
        return self._known

    async def moved(self) -> None:
        """Wait until more data has arrived."""
        await self._next_batch.wait()

    async def run(self) -> None:
        """Follow the resource until cancelled."""
        await self._loop.run(self._follow, self._failed, errors=(ApiError, msgspec.MsgspecError))

    def _failed(self, error: Exception, seconds: float) -> None:
        if isinstance(error, ApiError):
            why = error.reason
            self._learn(error)
        else:
            why = "Garbage"
            self._quarantine(None, error)
            self._position = ""
        self._on_restart(self.resource, why)
        log.info(
            "watch broken",
            resource=self.resource.plural,
            why=why,
            failures=self._loop.failures,
            retry_seconds=round(seconds, 1),
        )

    def _learn(self, error: ApiError) -> None:
        """Decide from an error where to continue."""
        if error.status:
            self.last_answered = self._clock()  # a refusal; a restart would not change it
        if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
            # Not every server supports sendInitialEvents.
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
        self._on_restart(self.resource, "closed")

    async def _read_pages(self) -> None:
        position = ""
        async for page in self._api.pages_of(
            self._kind, self.resource, self._namespace, params=self._selectors
        ):
            for item in page.items or ():
                if isinstance(item, msgspec.Raw):
                    self._read(item)
                else:
                    self._take(item)
            self._heard()
            position = page.metadata.resource_version
        self._finish_reading(position)

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
        if not heard:  # back off from a server that ends watches at once
            raise ApiError(0, "closed", "the server ended the watch without a word")

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
                    # A server that ignored the request sends an ordinary bookmark this early.
                    self._streams_lists = False
                    raise ApiError(0, "NoWatchList", "the server does not end its initial events")
                self._finish_reading(version)
        else:
            version = self._read(event.content)
        if self._seen is None:
            self._position = version

    def _read(self, content: bytes | msgspec.Raw) -> str:
        """Store an object from its JSON; returns its resourceVersion."""
        try:
            obj = shallow.decode(self._decode, content)
        except msgspec.MsgspecError as error:
            head = watch_lines.head(content)
            self._meet(head.metadata)
            self._quarantine(head.key, error)
            return head.metadata.resource_version
        self._take(obj)
        return obj.metadata.resource_version

    def _quarantine(self, key: ObjectKey | None, error: Exception) -> None:
        self._on_poison(self.resource)
        report_undecodable(self.resource.plural, key, error)

    def _take(self, obj: T) -> None:
        self._meet(obj.metadata)
        self._sink.upsert(obj)

    def _meet(self, metadata: watch_lines.ObjectMetadata) -> None:
        """Record that an object exists."""
        name = (metadata.namespace, metadata.name)
        known = self._known.get(name)
        if known is None:
            # Intern the namespace: thousands of objects share it.
            name = (sys.intern(metadata.namespace), metadata.name)
            self._known[name] = metadata.uid
        elif known != metadata.uid:
            self._drop(ObjectKey(*name, known))
            self._known[name] = metadata.uid
        if self._seen is not None:
            self._seen.add(name)

    def _drop(self, key: ObjectKey) -> None:
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
            self._drop(ObjectKey(*name, self._known[name]))
        self._seen = None
        self._position = position
        self._heard()
        self.synced.set()
        self._sink.synced()

    def _heard(self) -> None:
        self.last_heard = self.last_answered = self._clock()
        self._loop.failures = 0
        self._next_batch.set()
        self._next_batch = asyncio.Event()
