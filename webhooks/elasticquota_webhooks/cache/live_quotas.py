"""Catches up with the API server before a replica refuses.

A parent and its child in one ``kubectl apply`` are judged a few milliseconds apart and often by two
replicas; the second may not know the parent yet, nor the profile whose root the parent is. Before
it refuses, it waits until its caches show every quota and profile that the API server has at this
moment, and judges again. Refusals during a reading share the next one, so at most one reading is
under way.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from elasticquota.wire.admission.review import Response
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_webhooks.cache.caches import Caches


log = structlog.get_logger(__name__)

SECONDS: Final = 2.0
"""Reading and waiting together; the API server gives a review ten."""


class LiveQuotas:
    """Compares the caches that ``followers`` fill with the state in ``api``."""

    def __init__(self, api: Api, *followers: Reflector[Any]) -> None:
        self._api = api
        self._followers = followers
        self.seconds = SECONDS
        self._turn = asyncio.Lock()
        self._begun = 0
        self._done = 0

    async def judged(self, caches: Caches, judge: Callable[[], Awaitable[Response]]) -> Response:
        """The answer of ``judge``, which is asked again with newer ``caches`` before it refuses."""
        response = await judge()
        if response.allowed:
            return response
        try:
            await self.catch_up()
        except (ApiError, TimeoutError) as error:
            log.warning("refused by what is known", error=str(error) or "no answer in time")
            return response
        caches.distrust()
        return await judge()

    async def catch_up(self) -> None:
        """Wait until the caches are as new as the API server was at the time of the call.

        Raises ``ApiError`` and ``TimeoutError``.
        """
        came = self._begun
        async with asyncio.timeout(self.seconds), self._turn:
            if self._done > came:
                return  # another call began to read after this one came
            self._begun += 1
            for follower in self._followers:
                await self._follow(follower)
            self._done = self._begun

    async def _follow(self, follower: Reflector[Any]) -> None:
        known = frozenset(follower.known)
        shown = await self._read(follower.resource)
        gone = known - shown.keys()
        newest = max(shown.values(), default=0)
        while follower.position < newest or not gone.isdisjoint(follower.known):
            await follower.moved()

    async def _read(self, resource: Resource) -> dict[tuple[str, str], int]:
        """ResourceVersions by namespace and name; they grow with every write (KEP-5504)."""
        found: dict[tuple[str, str], int] = {}
        async for page in self._api.pages(resource, metadata_only=True):
            for raw in page.items or ():
                meta = watch_lines.head(raw).metadata
                found[meta.namespace, meta.name] = int(meta.resource_version)
        return found
