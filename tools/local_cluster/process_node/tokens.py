"""Requests a pod's own ServiceAccount tokens, and renews each at four fifths of its life."""

import asyncio
from typing import Any

from local_cluster import api


_RENEW_AFTER = 0.8
_DEFAULT_SECONDS = 3600


class Tokens:
    """The tokens of one pod, by audience and lifetime."""

    def __init__(self, client: api.Client, pod: api.Object) -> None:
        self._client = client
        metadata = pod["metadata"]
        account = pod["spec"].get("serviceAccountName", "default")
        namespace = metadata["namespace"]
        self._path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        self._bound_to = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
        self._held: dict[tuple[str, int], tuple[float, bytes]] = {}

    async def token(self, source: dict[str, Any]) -> bytes:
        """The token for a ``serviceAccountToken`` volume source."""
        audience = source.get("audience", "")
        seconds = int(source.get("expirationSeconds", _DEFAULT_SECONDS))
        now = asyncio.get_running_loop().time()
        renew_at, token = self._held.get((audience, seconds), (0.0, b""))
        if now < renew_at:
            return token
        answer = await self._client.create(self._path, self._request(audience, seconds))
        token = str(answer["status"]["token"]).encode()
        self._held[audience, seconds] = (now + seconds * _RENEW_AFTER, token)
        return token

    def _request(self, audience: str, seconds: int) -> api.Object:
        return {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {
                "audiences": [audience] if audience else [],
                "expirationSeconds": seconds,
                "boundObjectRef": self._bound_to,
            },
        }
