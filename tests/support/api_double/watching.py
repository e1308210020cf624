"""One open watch: where it starts, what it sends, and how it ends."""

import asyncio
import json
from typing import Any

from aiohttp import web

from api_double import refusals, selectors
from api_double.faults import Faults
from api_double.kinds import Kind
from api_double.store import Change, Store


Document = dict[str, Any]


class Watch:
    """Serves one watch request until its time is over, it is closed, or the client leaves."""

    def __init__(
        self, store: Store, faults: Faults, kind: Kind, namespace: str, query: dict[str, str]
    ) -> None:
        self.kind = kind
        self._store = store
        self._faults = faults
        self._namespace = namespace
        self._query = query
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def check(self) -> None:
        """Refuse what the API server refuses before it begins to stream."""
        selectors.check(self.kind.resource, self._query)
        if self._query.get("sendInitialEvents") == "true":
            if not self._faults.watch_list:
                raise refusals.invalid(
                    "ListOptions.meta.k8s.io is invalid: sendInitialEvents: Forbidden: "
                    "sendInitialEvents is forbidden for watch unless the WatchList feature gate "
                    "is enabled"
                )
            if self._query.get("resourceVersionMatch") != "NotOlderThan":
                raise refusals.invalid(
                    "ListOptions.meta.k8s.io is invalid: resourceVersionMatch: Forbidden: "
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
                )
        if self._has_expired() and not self._faults.gone_in_stream:
            raise refusals.expired(self._query["resourceVersion"])

    async def serve(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        self._store.listeners.append(self._on_change)
        try:
            self._begin()
            async with asyncio.timeout(float(self._query.get("timeoutSeconds", "1800"))):
                await self._send(request, response)
        except TimeoutError:
            pass
        finally:
            self._store.listeners.remove(self._on_change)
        return response

    def say(self, line: bytes) -> None:
        """Send one line as it is."""
        self._lines.put_nowait(line + b"\n")

    def bookmark(self, *, initial: bool = False) -> None:
        """Send how far the client has got; `initial` ends the initial events."""
        if self._query.get("allowWatchBookmarks") != "true":
            return
        meta: Document = {"resourceVersion": str(self._store.version)}
        if initial:
            meta["annotations"] = {"k8s.io/initial-events-end": "true"}
        api_version = self.kind.resource.api_version
        self._event(
            "BOOKMARK", {"kind": self.kind.kind, "apiVersion": api_version, "metadata": meta}
        )

    def close(self) -> None:
        """End the watch cleanly."""
        self._lines.put_nowait(None)

    async def _send(self, request: web.Request, response: web.StreamResponse) -> None:
        while (line := await self._lines.get()) is not None:
            await self._faults.talking.wait()
            for content, breaks in self._faults.lines(line):
                await response.write(content)
                if breaks and request.transport is not None:
                    request.transport.close()
                    return

    def _has_expired(self) -> bool:
        version = self._query.get("resourceVersion", "")
        return version not in ("", "0") and int(version) < self._store.oldest

    def _begin(self) -> None:
        version = self._query.get("resourceVersion", "")
        streams_list = self._query.get("sendInitialEvents") == "true"
        if self._has_expired():
            self._event("ERROR", refusals.expired(version).status)
            self.close()
        elif streams_list or version in ("", "0"):
            for obj in self._store.of(self.kind).values():
                if self._selects(obj):
                    self._event("ADDED", obj)
            if streams_list and not self._faults.silent_watch_list:
                self.bookmark(initial=True)
        else:
            for change in self._store.history:
                if change.version > int(version):
                    self._on_change(change)

    def _on_change(self, change: Change) -> None:
        if change.resource != self.kind.resource:
            return
        was = change.before is not None and self._selects(change.before)
        is_now = change.type != "DELETED" and self._selects(change.after)
        if is_now:
            self._event("MODIFIED" if was else "ADDED", change.after)
        elif was:
            self._event("DELETED", change.after)

    def _selects(self, obj: Document) -> bool:
        if self._namespace not in ("", obj["metadata"].get("namespace", "")):
            return False
        return selectors.matches(obj, self._query)

    def _event(self, kind: str, obj: Document) -> None:
        self.say(json.dumps({"type": kind, "object": obj}, separators=(",", ":")).encode())
