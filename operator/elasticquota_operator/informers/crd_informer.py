"""An informer of a kind that may be installed later; its absence is no error, logged once.

The rest of the process does not wait for it, nor for a kind that we may not read. The first version
that is served counts. When an upgrade of the API server or of another system ends a version, the
next one that is served is followed, with what was known. A kind that is served in other versions
only is reported.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

import structlog

from elasticquota_kube.client import discovery
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Reflector, Sink


ASKS_EVERY: Final = 10.0
"""Seconds between two questions for a kind that is not served."""

OnUnread = Callable[[Sequence[Resource], tuple[str, ...]], None]
"""Called with what would be read, and with the versions that are served instead; (): none."""

M = TypeVar("M", bound=reflector.WatchedObject)

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
        on_unread: OnUnread = lambda _resources, _versions: None,
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
        self._on_unread = on_unread
        self._reflector: Reflector[M] | None = None
        self._lost = asyncio.Event()
        """The version that is followed is served no longer."""

    @property
    def has_synced(self) -> bool:
        """Whether all objects were read once."""
        return self._reflector is not None and self._reflector.synced.is_set()

    async def run(self) -> None:
        """Watch until canceled, once the API server serves the kind."""
        sinks: dict[Resource, Sink[M]] = {}
        while True:
            resource = await self._served()
            if resource not in sinks:
                sinks[resource] = self._sink(resource)
            await self._follow(resource, sinks[resource])

    async def _follow(self, resource: Resource, sink: Sink[M]) -> None:
        """Follow until the version is served no longer."""
        self._lost.clear()
        self._reflector = reflector = Reflector(
            self._api,
            resource,
            self._kind,
            sink,
            namespace=self._namespace,
            on_restart=self._restarted,
            known=None if self._reflector is None else self._reflector.known,
        )
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(reflector.run())
            filling = tasks.create_task(self._fill(reflector))
            await self._lost.wait()
            following.cancel()
            filling.cancel()

    async def _fill(self, reflector: Reflector[M]) -> None:
        await reflector.synced.wait()
        self._on_unread(self._resources, ())
        self.filled.set()

    def _restarted(self, resource: Resource, why: str) -> None:
        if why == "NotFound":
            self._lost.set()
        self._on_restart(resource, why)

    async def _served(self) -> Resource:
        """Wait until the API server serves the kind; return its first version."""
        said: tuple[str, ...] | None = None
        while True:
            resource = await self._first()
            if resource is not None:
                return resource
            others = await self._others(said or ())
            if others != said:
                said = others
                kind = f"{self._resources[0].plural}.{self._resources[0].group}"
                if others:
                    log.warning("served in no version that is read", definition=kind, served=others)
                else:
                    log.info("not installed, waiting for it", definition=kind)
                self._on_unread(self._resources, others)
            self.filled.set()
            await asyncio.sleep(self._every)

    async def _first(self) -> Resource | None:
        """The first of the resources that the API server knows."""
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
        return None

    async def _others(self, before: tuple[str, ...]) -> tuple[str, ...]:
        """The versions that are served instead of ours; ``before`` if that cannot be read."""
        first = self._resources[0]
        ours = {resource.version for resource in self._resources}
        try:
            return await discovery.instead(self._api, first.group, first.plural, ours)
        except ApiError:
            return before
