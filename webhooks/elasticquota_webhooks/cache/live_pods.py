"""Reads live from the API server which live pods a quota has.

The replica keeps no copy of the pods, because only two rare edits need them: the deletion of a
quota, and a leaf that becomes a parent. Finished pods do not count and are not read; of the others
only the metadata is. One reading at a time, of a few lists, in bounded time.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final

from elasticquota import names
from elasticquota.forest import violation
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.wire.admission import review
from elasticquota.wire.kubernetes import pods
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api


SECONDS: Final = 5.0
"""Waiting for other readings, and reading. Half of what the API server gives a review, because
catching up (`live_quotas`) may follow."""
MOST_NAMESPACES: Final = 8
"""How many namespaces are listed one by one; for more, one list of all pods is read."""
_TURNS: Final = 1
_LIVE: Final = "status.phase!=Succeeded,status.phase!=Failed"


class LivePods:
    """Reads pods; raises ``ApiError``, ``TimeoutError`` and ``review.ReviewError``."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.seconds = SECONDS
        self._turns = asyncio.Semaphore(_TURNS)

    async def of(self, quota: Quota, membership: Membership) -> tuple[tuple[Key, ...], bool]:
        """Pods of ``quota``, as many as a message needs, and whether there may be more."""
        found: dict[Key, None] = {}
        async with asyncio.timeout(self.seconds), self._turns:
            async for page, is_last in self._pages(quota):
                found.update(
                    (pod.key, None) for pod in page if membership.quota_of(pod) == quota.name
                )
                if len(found) > violation.SHOWN and not is_last:
                    return tuple(found), True
        return tuple(found), False

    async def _pages(self, quota: Quota) -> AsyncIterator[tuple[list[Pod], bool]]:
        """Yield pods by label in all namespaces, then all pods of the bound namespaces.

        When many namespaces are bound, yield all pods from one list. The flag marks the last page.
        """
        bound = set(quota.namespaces)
        if quota.name == quota.key.namespace:
            bound.add(quota.name)
        searches: list[tuple[str | None, Mapping[str, str]]] = [
            (None, {"labelSelector": f"{names.QUOTA_NAME}={quota.name}"}),
            *((namespace, {}) for namespace in sorted(bound)),
        ]
        if len(bound) > MOST_NAMESPACES:
            searches = [(None, {})]
        for number, (namespace, selector) in enumerate(searches, start=1):
            params = {**selector, "fieldSelector": _LIVE}
            async for page in self._api.pages(
                paths.PODS, namespace, params=params, metadata_only=True
            ):
                live = [
                    pods.read(review.subject(raw, pods.PodManifest, "a pod"))
                    for raw in page.items or ()
                ]
                yield live, not page.metadata.next and number == len(searches)
