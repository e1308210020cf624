"""The resync lists quotas and profiles: whole at the start, then their metadata every minute.

It fills the stores before Kopf begins to watch, and it repairs them: Kopf does not report objects
that vanished while its watch was down. A lost DELETED event costs a minute. It reads only metadata,
and whole objects only where the store has another version.

These lists are consistent reads, so their versions grow. A list that is older than what was known
before it shows that etcd was restored to an earlier state. Then what is in memory is of a time that
never was, and watches from it show nothing: the process has to start again.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import structlog

from elasticquota.model.key import Key
from elasticquota.wire.codec import shallow
from elasticquota_kube.client import retry
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.informer import watch_lines
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore


EVERY: Final = 60.0
"""Seconds between two lists."""

_WHOLE: Final = msgspec.json.Decoder(dict[str, Any])

log = structlog.get_logger(__name__)


class _SetBackError(Exception):
    """The store of the API server was set back to an earlier state."""


class Resync:
    """Run ``run()`` as a task; ``synced`` is set after the first list of all kinds.

    ``on_set_back`` is called when the API server's store was set back to an earlier state.
    """

    def __init__(
        self,
        api: Api,
        stores: Mapping[Resource, ManifestStore],
        *,
        every: float = EVERY,
        wait: retry.Backoff = retry.jittered,
        on_repair: Callable[[str, int], None] = lambda _plural, _count: None,
        on_set_back: Callable[[], None] = lambda: None,
    ) -> None:
        self.synced = asyncio.Event()
        self.last_heard = asyncio.get_running_loop().time()
        self._api = api
        self._stores = stores
        self._every = every
        self._loop = retry.Loop(wait)
        self._on_repair = on_repair
        self._on_set_back = on_set_back
        self._positions: dict[Resource, int] = {}  # resourceVersion of the newest list

    async def run(self) -> None:
        """List until cancelled."""
        await self._loop.run(self._list_all, _failed)

    async def _list_all(self) -> None:
        """List all kinds, and wait until it is time for the next list."""
        try:
            for resource, store in self._stores.items():
                await self._list(resource, store)
        except _SetBackError:
            log.warning("the API server's store was set back to an earlier state; starting again")
            self._on_set_back()
        self.synced.set()
        self.last_heard = asyncio.get_running_loop().time()
        await asyncio.sleep(self._every)

    async def _list(self, resource: Resource, store: ManifestStore) -> None:
        first = not self.synced.is_set()
        known = store.start_list()
        listed: list[Manifest] = []
        refused: list[ApiError] = []
        async for page in self._api.pages(resource, metadata_only=not first):
            self._note_position(resource, page.metadata.resource_version)
            for raw in page.items or ():
                manifest = _stored(raw, store)
                if manifest is None:
                    manifest = (
                        _whole(raw, store)
                        if first
                        else await self._read(resource, raw, store, refused)
                    )
                if manifest is not None:
                    listed.append(manifest)
        if refused:
            count = len(refused)
            log.warning(
                "resync passed over", resource=resource.plural, objects=count, why=str(refused[0])
            )
        if store.is_ahead(known, listed):
            raise _SetBackError
        repaired = store.finish_list(known, listed)
        if repaired and not first:
            self._on_repair(resource.plural, repaired)
            log.info("resync was ahead of the watch", resource=resource.plural, objects=repaired)

    def _note_position(self, resource: Resource, version: str) -> None:
        position = int(version) if version.isdecimal() else 0
        if position < self._positions.get(resource, 0):
            raise _SetBackError
        self._positions[resource] = position

    async def _read(
        self,
        resource: Resource,
        raw: msgspec.Raw,
        store: ManifestStore,
        refused: list[ApiError],
    ) -> Manifest | None:
        """One object of which only the metadata was listed; None when it has gone since.

        What is known of it stays where the server answers, and the answer is no object: the other
        objects of the list need not wait for this one. Its error goes to ``refused``.
        """
        head = _head(raw)
        try:
            return await self._api.get(resource, head.namespace, head.name)
        except ApiError as error:
            if error.is_not_found:
                return None
            if not error.concerns_object:
                raise
            refused.append(error)
            return store.get(Key(head.namespace, head.name))


def _stored(raw: msgspec.Raw, store: ManifestStore) -> Manifest | None:
    """What the store has in this version already is not decoded: nearly always that is all."""
    head = _head(raw)
    found = store.get(Key(head.namespace, head.name))
    if found is None or _version(found) != (head.uid, head.resource_version):
        return None
    return found


def _whole(raw: msgspec.Raw, store: ManifestStore) -> Manifest:
    try:
        return store.reduced(shallow.decode(_WHOLE.decode, raw))
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error


def _head(raw: msgspec.Raw) -> watch_lines.ObjectMetadata:
    try:
        return watch_lines.head(raw).metadata
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error


def _version(manifest: Manifest) -> tuple[object, object]:
    metadata = manifest["metadata"]
    return metadata.get("uid"), metadata.get("resourceVersion")


def _failed(error: Exception, seconds: float) -> None:
    is_unknown = isinstance(error, ApiError) and error.is_not_found
    hint = "; are the custom resource definitions installed?" if is_unknown else ""
    log.warning("resync failed", why=f"{error}{hint}", retry_seconds=round(seconds, 1))
