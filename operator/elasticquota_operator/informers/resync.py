"""The sweep lists quotas and profiles at the start and every minute, and repairs the shelves.

It is what makes a lost DELETED event cost a minute instead of for ever, and what says that the
shelves are full at the start.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import structlog

from elasticquota.model.key import Key
from elasticquota.wire.codec import shallow
from elasticquota_kube.client import backoff, errors
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_operator.informers.manifest_store import Manifest, ManifestStore


EVERY: Final = 60.0
"""Seconds between two sweeps."""

_WHOLE: Final = msgspec.json.Decoder(dict[str, Any])

log = structlog.get_logger(__name__)


class Resync:
    """Run ``run()`` as a task; ``synced`` is set after the first whole sweep."""

    def __init__(
        self,
        api: Api,
        stores: Mapping[Resource, ManifestStore],
        *,
        every: float = EVERY,
        wait: backoff.Backoff = backoff.jittered,
        on_repair: Callable[[str, int], None] = lambda _plural, _count: None,
    ) -> None:
        self.synced = asyncio.Event()
        self.last_heard = asyncio.get_running_loop().time()
        self._api = api
        self._stores = stores
        self._every = every
        self._wait = wait
        self._on_repair = on_repair

    async def run(self) -> None:
        """Sweep until cancelled."""
        failures = 0
        while True:
            try:
                for resource, store in self._stores.items():
                    await self._sweep(resource, store)
            except ApiError as error:
                failures += 1
                log.warning("sweep failed", why=_explained(error))
                await asyncio.sleep(self._wait(failures))
                continue
            failures = 0
            self.synced.set()
            self.last_heard = asyncio.get_running_loop().time()
            await asyncio.sleep(self._every)

    async def _sweep(self, resource: Resource, store: ManifestStore) -> None:
        known = store.start_sweep()
        listed: list[Manifest] = []
        async for page in self._api.pages(resource):
            listed.extend(_manifest(raw, store) for raw in page.items or ())
        repaired = store.finish_sweep(known, listed)
        if repaired and self.synced.is_set():
            self._on_repair(resource.plural, repaired)
            log.info("sweep was ahead of the watch", resource=resource.plural, objects=repaired)


def _manifest(raw: msgspec.Raw, store: ManifestStore) -> Manifest:
    """What the shelf has in this version already is not decoded: nearly always that is all."""
    try:
        head = watch_lines.head(raw).metadata
        stored = store.get(Key(head.namespace, head.name))
        if stored is not None and _version(stored) == (head.uid, head.resource_version):
            return stored
        return store.reduced(shallow.decode(_WHOLE.decode, raw))
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error


def _version(manifest: Manifest) -> tuple[object, object]:
    metadata = manifest["metadata"]
    return metadata.get("uid"), metadata.get("resourceVersion")


def _explained(error: ApiError) -> str:
    if error.is_not_found:
        return f"{error}; are the custom resource definitions installed?"
    return str(error)
