"""Asks the API server below which parents a user may place quotas.

The permission is a verb of ours on the parent quota (``names.ADD_CHILD``). It is asked for without
a namespace: quota names are unique over all namespaces, and the policies, which ask the same, do
not know in which one the parent is. So only a ClusterRoleBinding gives it. Without a name it is the
permission on all parents.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from elasticquota import names
from elasticquota.validation import child_namespaces
from elasticquota_kube import access_review
from elasticquota_kube.client.api import Api


class LivePlacing:
    """Asks ``api``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def below(self, user: Mapping[str, Any], parents: Iterable[str]) -> frozenset[str]:
        """Return those of ``parents`` below which the user may place quotas.

        Raises ``ApiError`` and ``TimeoutError``.
        """
        return frozenset([parent for parent in parents if await self._may(user, parent)])

    async def _may(self, user: Mapping[str, Any], parent: str) -> bool:
        asked = {
            "group": names.QUOTA_GROUP,
            "resource": names.QUOTA_PLURAL,
            "name": "" if parent == child_namespaces.EVERY_PARENT else parent,
            "verb": names.ADD_CHILD,
        }
        return await access_review.allowed(self._api, user, resourceAttributes=asked)
