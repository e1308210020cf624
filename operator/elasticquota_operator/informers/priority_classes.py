"""Priority classes, for jobs whose pods name one: admission looks them up only for pods."""

import asyncio
from collections.abc import Callable

import msgspec
import structlog

from elasticquota.jobs.job import Job
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_operator.informers import wait_for_crd


log = structlog.get_logger(__name__)


class Manifest(msgspec.Struct, rename="camel", gc=False):
    """A PriorityClass."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    value: int = 0
    global_default: bool = False


class PriorityClasses:
    """``run()`` as a task; a sink for its reflector."""

    def __init__(self, api: Api, touch: Callable[[], None]) -> None:
        self._api = api
        self._touch = touch
        self._classes: dict[str, Manifest] = {}
        self._watch = Reflector(api, paths.PRIORITY_CLASSES, Manifest, self)
        self.filled = asyncio.Event()
        """All classes were read, or may not be."""

    def of(self, job: Job) -> int:
        """The priority that the pods of ``job`` will have."""
        if job.priority is not None:
            return job.priority
        found = self._classes.get(job.priority_class)
        if found is None and not job.priority_class:
            defaults = (each for each in self._classes.values() if each.global_default)
            found = min(defaults, key=lambda each: each.value, default=None)
        return 0 if found is None else found.value

    async def run(self) -> None:
        """Watch until cancelled."""
        await wait_for_crd.first(self._api, [paths.PRIORITY_CLASSES], on_absent=self.filled.set)
        await self._watch.run()

    # -- as a sink

    def upsert(self, obj: Manifest, /) -> None:
        self._classes[obj.metadata.name] = obj
        self._touch()

    def delete(self, key: reflector.Key, /) -> None:
        if self._classes.pop(key.name, None) is not None:
            self._touch()

    def synced(self) -> None:
        self.filled.set()
        self._touch()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning("not understood", kind="PriorityClass", object=str(key), why=str(error))
