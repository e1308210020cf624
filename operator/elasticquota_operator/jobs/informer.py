"""Watch the jobs of one kind, once the API server serves it, and put them into the job cache."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from elasticquota.jobs.adapter import Adapter
from elasticquota.model.key import Key
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_operator.informers import wait_for_crd
from elasticquota_operator.informers.manifest_store import ManifestStore
from elasticquota_operator.jobs.controller import JobController


log = structlog.get_logger(__name__)


class _Metadata(msgspec.Struct, rename="camel", gc=False, omit_defaults=True):
    """The fields that decisions read; the others are dropped."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: Any = None
    annotations: Any = None
    owner_references: Any = None


class Manifest(msgspec.Struct, gc=False, omit_defaults=True):
    """A job of any kind."""

    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    spec: Any = None
    status: Any = None


class JobWatch:
    """An informer of jobs; ``run()`` is a task."""

    def __init__(
        self,
        api: Api,
        adapter: Adapter,
        controller: JobController,
        *,
        every: float = wait_for_crd.ASKS_EVERY,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        self.filled = asyncio.Event()
        """All jobs of the kind were read, or there was no such kind."""
        self._api = api
        self._adapter = adapter
        self._controller = controller
        self._every = every
        self._on_restart = on_restart
        self._store: ManifestStore | None = None

    async def run(self) -> None:
        """Watch until canceled."""
        group, plural = self._adapter.group, self._adapter.plural
        choices = [Resource(group, version, plural) for version in self._adapter.versions]
        resource = await wait_for_crd.first(
            self._api, choices, self._every, on_absent=self.filled.set
        )
        self._store = self._controller.store(self._adapter, resource)
        watch = Reflector(self._api, resource, Manifest, self, on_restart=self._on_restart)
        await watch.run()

    # -- as a sink

    def upsert(self, obj: Manifest, /) -> None:
        if self._store is not None:
            self._store.put(msgspec.to_builtins(obj))

    def delete(self, key: reflector.Key, /) -> None:
        stored = self._store and self._store.get(Key(key.namespace, key.name))
        if self._store is not None and stored and stored["metadata"]["uid"] == key.uid:
            self._store.drop(stored)

    def synced(self) -> None:
        self.filled.set()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning("not understood", kind=self._adapter.kind, object=str(key), why=str(error))
