"""Reads live from the API server which quotas of capacity scheduling a namespace has.

The replica keeps no copy of them: only a new quota needs it, and these are rare. One list of
metadata in one namespace, in bounded time.
"""

import asyncio
from typing import Final

from elasticquota.model.key import Key
from elasticquota.wire.admission import review
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api


SECONDS: Final = 3.0


class LiveCapacityQuotas:
    """Reads quotas; raises ``ApiError``, ``TimeoutError`` and ``review.ReviewError``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def of(self, namespace: str) -> tuple[Key, ...]:
        """The quotas of the namespace that are not being deleted; the first page is enough."""
        async with asyncio.timeout(SECONDS):
            async for page in self._api.pages(paths.CAPACITY_QUOTAS, namespace, metadata_only=True):
                found = [
                    review.subject(raw, review.AnyObject, "a quota").metadata
                    for raw in page.items or ()
                ]
                return tuple(meta.key for meta in found if not meta.deleting)
        return ()
