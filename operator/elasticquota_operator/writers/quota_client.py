"""Create, change and remove stored ElasticQuotas, for the writers of quotas.

The API server's answer goes to the store at once, so that the next cycle already sees it.
"""

from collections.abc import Callable
from typing import Any

import structlog

from elasticquota.model.key import Key
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import QUOTAS
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context import manifest_store
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore


log = structlog.get_logger(__name__)


class QuotaClient:
    """``called`` says in the log what kind of quota it works on."""

    def __init__(self, api: Api, quotas: ManifestStore, called: str) -> None:
        self._api = api
        self._quotas = quotas
        self._log = log.bind(kind=called)
        self._dropped: dict[Key, tuple[object, Manifest]] = {}
        """By quota, the generation for which the API server stored nothing of a change."""

    async def put(
        self,
        key: Key,
        manifest: Callable[[], dict[str, Any]],
        patch: Callable[[Manifest], dict[str, Any] | None],
        **why: str,
    ) -> None:
        """Create it of ``manifest`` when it is missing, else patch what differs. `ApiError`.

        The definition of another project drops our fields of the spec. They would be written
        without end, so they are written again only when the spec is another.
        """
        stored = self._quotas.get(key)
        if stored is None:
            made = await self._api.create(QUOTAS, key.namespace, manifest())
            self._log.info("quota created", quota=str(key), **why)
        else:
            change = patch(stored)
            metadata = stored["metadata"]
            if change is None or self._dropped.get(key) == (metadata.get("generation"), change):
                return
            made = await self._api.patch(QUOTAS, key.namespace, key.name, change)
            if made["metadata"]["resourceVersion"] == metadata["resourceVersion"]:
                self._dropped[key] = (metadata.get("generation"), change)
                self._log.warning(
                    "the API server drops fields of the spec; is the definition of this version?",
                    quota=str(key),
                    fields=_fields(change),
                )
                return
            self._log.info("quota patched", quota=str(key), fields=_fields(change), **why)
        self._quotas.upsert(made)

    async def remove(self, key: Key, reason: str, *, uid: str | None = None) -> None:
        """Delete it, if it is (still) the one of ``uid``. `ApiError`, but not when it is gone."""
        stored = self._quotas.get(key)
        if stored is None or stored["metadata"].get("deletionTimestamp"):
            return
        only = uid or stored["metadata"]["uid"]
        try:
            answer = await self._api.delete(QUOTAS, key.namespace, key.name, uid=only)
        except ApiError as error:
            if not error.is_not_found:
                raise
            self._quotas.delete(manifest_store.identity(stored))
            return
        self._log.info("quota deleted", quota=str(key), reason=reason)
        if answer.get("kind") == "Status":
            # It is gone, and not only asked to go. A watch that is just beginning never says so.
            self._quotas.delete(manifest_store.identity(stored))


def _fields(patch: Manifest) -> list[str]:
    return [f"{part}.{field}" for part, fields in patch.items() for field in fields]
