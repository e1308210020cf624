"""Reads ConfigMaps and Secrets as bytes by key."""

import base64

from local_cluster import api
from local_cluster.process_node import refusal


Data = dict[str, bytes]


class Sources:
    """Reads the objects that pods refer to, always from the API server."""

    def __init__(self, client: api.Client) -> None:
        self._client = client

    async def config_map(self, namespace: str, name: str, *, optional: bool) -> Data:
        """A ConfigMap's data. Raises ``RefusalError`` when it is missing and not optional."""
        found = await self._client.find(f"/api/v1/namespaces/{namespace}/configmaps/{name}")
        if found is None:
            return _missing(f'configmap "{name}" not found', optional=optional)
        text = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        return text | _decoded(found.get("binaryData"))

    async def secret(self, namespace: str, name: str, *, optional: bool) -> Data:
        """A Secret's data. Raises ``RefusalError`` when it is missing and not optional."""
        found = await self._client.find(f"/api/v1/namespaces/{namespace}/secrets/{name}")
        if found is None:
            return _missing(f'secret "{name}" not found', optional=optional)
        return _decoded(found.get("data"))


def _decoded(data: dict[str, str] | None) -> Data:
    return {key: base64.b64decode(value) for key, value in (data or {}).items()}


def _missing(message: str, *, optional: bool) -> Data:
    if not optional:
        raise refusal.config(message)
    return {}
