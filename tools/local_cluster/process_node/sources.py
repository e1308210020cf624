"""Reads ConfigMaps and Secrets as bytes by key."""

import base64

from local_cluster import api
from local_cluster.process_node import refusal


Data = dict[str, bytes]


class Sources:
    """Reads the objects that pods refer to, always from the API server."""

    def __init__(self, client: api.Client) -> None:
        self._client = client

    async def config_map(self, namespace: str, name: str) -> Data:
        """A ConfigMap's data. Raises ``RefusalError`` when it is missing."""
        found = await self._object(namespace, "configmap", name)
        text = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        return text | _decoded(found.get("binaryData"))

    async def secret(self, namespace: str, name: str) -> Data:
        """A Secret's data. Raises ``RefusalError`` when it is missing."""
        return _decoded((await self._object(namespace, "secret", name)).get("data"))

    async def _object(self, namespace: str, kind: str, name: str) -> api.Object:
        found = await self._client.find(f"/api/v1/namespaces/{namespace}/{kind}s/{name}")
        if found is None:
            raise refusal.config(f'{kind} "{name}" not found')
        return found


def _decoded(data: dict[str, str] | None) -> Data:
    return {key: base64.b64decode(value) for key, value in (data or {}).items()}
