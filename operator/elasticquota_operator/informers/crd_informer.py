"""An informer of a kind that may be installed later; its absence is no error, logged once.

The rest of the process does not wait for it, nor for a kind that we may not read.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

import structlog

from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Reflector, Sink


ASKS_EVERY: Final = 10.0
"""Seconds between two questions for a kind that is not served."""

M = TypeVar("M", bound=reflector.Manifest)

log = structlog.get_logger(__name__)


class CrdInformer(Generic[M]):
    """Follows the first of some resources that the API server knows; ``run()`` as a task."""

    def __init__(
        self,
        api: Api,
        resources: Sequence[Resource],
        kind: type[M],
        sink: Callable[[Resource], Sink[M]],
        *,
        namespace: str | None = None,
        every: float = ASKS_EVERY,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        """``sink`` makes the sink for the resource that is served."""
        self.filled = asyncio.Event()
        """All objects were read, or it turned out that they will not be read soon."""
        self._api = api
        self._resources = resources
        self._kind = kind
        self._sink = sink
        self._namespace = namespace
        self._every = every
        self._on_restart = on_restart
        self._reflector: Reflector[M] | None = None

    @property
    def has_synced(self) -> bool:
        """Whether all objects were read once."""
        return self._reflector is not None and self._reflector.synced.is_set()

    async def run(self) -> None:
        """Watch until canceled, once the API server serves the kind."""
        resource = await self._served()
        self._reflector = Reflector(
            self._api,
            resource,
            self._kind,
            self._sink(resource),
            namespace=self._namespace,
            on_restart=self._on_restart,
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._reflector.run())
            await self._reflector.synced.wait()
            self.filled.set()

    async def _served(self) -> Resource:
        said = False
        while True:
            for resource in self._resources:
                try:
                    await anext(self._api.pages(resource))
                except ApiError as error:
                    if error.is_forbidden:
                        self.filled.set()
                    if not error.is_not_found:
                        return resource  # whatever it is, a reflector knows how to go on
                else:
                    return resource
            if not said:
                said = True
                self.filled.set()
                kind = f"{self._resources[0].plural}.{self._resources[0].group}"
                log.info("not installed, waiting for it", definition=kind)
            await asyncio.sleep(self._every)
