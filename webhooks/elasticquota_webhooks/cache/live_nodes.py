"""Reads live from the API server which nodes two profiles select.

The replica keeps no copy of the nodes, because only a new profile or a new selector needs them. The
API server filters the nodes by the profile's selector, and reading ends when a message has enough
of them. It reads only metadata, for one review at a time.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from elasticquota.forest import violation
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.wire.admission import review
from elasticquota.wire.codec import selectors
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api


SECONDS: Final = 5.0
"""About half of what the API server gives a review; on a timeout the profile passes."""
_ENOUGH: Final = violation.SHOWN + 1


class LiveNodes:
    """Reads nodes; raises ``ApiError``, ``TimeoutError`` and ``review.ReviewError``."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._turns = asyncio.Semaphore(1)

    async def shared(self, profile: Profile, others: Sequence[Profile]) -> dict[Key, list[str]]:
        """By other profile, names of nodes that both select, at most about as many as are shown."""
        found: dict[Key, list[str]] = {other.key: [] for other in others}
        params = {"labelSelector": selectors.text(profile.selector)}
        async with asyncio.timeout(SECONDS), self._turns:
            async for page in self._api.pages(paths.NODES, params=params, metadata_only=True):
                for raw in page.items or ():
                    node = review.subject(raw, review.AnyObject, "a node").metadata
                    for other in others:
                        if other.selector.matches(node.labels or {}):
                            found[other.key].append(node.name)
                if all(len(names) >= _ENOUGH for names in found.values()):
                    break
        return found
