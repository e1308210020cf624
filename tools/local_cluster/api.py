"""A small client of the API server: JSON in, JSON out, with a time limit of seconds.

It authenticates by client certificate and keeps no state, so a restarted or hanging API server
costs the caller one failed request and nothing else.
"""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

from local_cluster import certificates


Object = dict[str, Any]
"""A Kubernetes object as JSON."""

_SECONDS = 5.0
_MERGE = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"


class ApiError(Exception):
    """A request failed, for one of the two reasons below."""


class UnavailableError(ApiError):
    """The API server gave no answer: it is down, restarting or hangs."""


class RejectedError(ApiError):
    """The API server refused the request; ``code`` is the HTTP status."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Client:
    """Requests to one API server, as the identity of one certificate in the ``pki`` folder."""

    def __init__(self, url: str, pki: Path, identity: str) -> None:
        self.url = url
        context = certificates.trust(pki)
        context.load_cert_chain(pki / f"{identity}.crt", pki / f"{identity}.key")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=context, limit=20),
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.close()

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        """Read an object or a list. Raises ``ApiError``, as all methods do."""
        return await self._send("GET", path, query=query)

    async def find(self, path: str) -> Object | None:
        """Read an object that may not exist."""
        try:
            return await self._send("GET", path)
        except RejectedError as error:
            if error.code == 404:
                return None
            raise

    async def healthy(self) -> bool:
        """Whether the API server says that it is ready."""
        try:
            async with self._session.get(self.url + "/readyz") as answer:
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def create(self, path: str, body: Object) -> Object:
        return await self._send("POST", path, body=body)

    async def merge(self, path: str, body: Object) -> Object:
        """JSON merge patch: lists are replaced."""
        return await self._send("PATCH", path, body=body, kind=_MERGE)

    async def strategic_merge(self, path: str, body: Object) -> Object:
        """Strategic merge patch: conditions are merged by type."""
        return await self._send("PATCH", path, body=body, kind=_STRATEGIC)

    async def delete(self, path: str, options: Object) -> None:
        await self._send("DELETE", path, body=options)

    async def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        kind: str = "application/json",
    ) -> Object:
        try:
            async with self._session.request(
                method,
                self.url + path,
                params=query,
                data=None if body is None else json.dumps(body),
                headers=None if body is None else {"Content-Type": kind},
            ) as answer:
                content = await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnavailableError(
                f"{method} {path}: {str(error) or type(error).__name__}"
            ) from error
        try:
            document = json.loads(content)
        except ValueError:
            document = {"message": content.decode(errors="replace").strip()}
        if answer.status >= 400:
            raise RejectedError(answer.status, str(document.get("message", "")))
        if not isinstance(document, dict):
            raise UnavailableError(f"{method} {path}: the answer is no object")
        return document


def timestamp() -> str:
    """The current time in the format of the API."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def eventually(seconds: float, client: Client, path: str) -> bool:
    """Wait until an object exists; False when it does not within ``seconds``."""
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        try:
            if await client.find(path) is not None:
                return True
        except ApiError:
            pass
        await asyncio.sleep(0.1)
    return False
