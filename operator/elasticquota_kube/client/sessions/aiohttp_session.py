"""The session of processes that stay: aiohttp, with as many connections as there are requests."""

import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Final

import aiohttp
import yarl
from aiohttp.connector import Connection

from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import (
    BeforeSend,
    Headers,
    SessionAnswer,
    SessionRequest,
)


_KEPT: Final = 60.0
"""Seconds for which an idle connection is used again; the API server closes it after 90."""
_CONNECT: Final = 10.0
"""Seconds within which the connection of a stream must stand."""
_PLAIN: Final = ("Accept-Encoding", "identity")
"""Of a stream: Kubernetes 1.37 would compress each event by itself, which costs both sides more
than it saves."""


class AiohttpSession:
    """Lives in one event loop."""

    def __init__(self, credentials: Credentials, before_send: BeforeSend | None = None) -> None:
        self._credentials = credentials
        # No limit on connections: each watch keeps one, and callers bound their own concurrency.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT),
            proxy=credentials.proxy,
            request_class=_checked(before_send) if before_send else aiohttp.ClientRequest,
        )

    async def close(self) -> None:
        await self._session.close()

    async def exchange(
        self, request: SessionRequest, headers: Headers, seconds: float
    ) -> SessionAnswer:
        timeout = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self._open(request, headers, timeout) as response:
                content = await _body(response, request.most)
        except (aiohttp.ClientError, OSError) as error:
            raise unanswered(error) from error
        return _answer(response, content)

    async def stream(
        self,
        request: SessionRequest,
        headers: Headers,
        quiet: float,
        on_status: Callable[[int], None],
    ) -> AsyncGenerator[bytes, None]:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=quiet)
        code = 0
        try:
            async with self._open(request, [*headers, _PLAIN], timeout) as response:
                code = response.status
                on_status(code)
                if code >= HTTPStatus.BAD_REQUEST:
                    raise errors.of(_answer(response, await response.read()))
                async for chunk in response.content.iter_any():
                    yield chunk
        except (aiohttp.ClientError, OSError) as error:
            if code == 0:
                on_status(0)
            raise unanswered(error) from error
        except RuntimeError as error:
            # aiohttp raises this for a connection that was closed between two reads.
            if code == 0:
                raise
            raise unanswered(error) from error

    def _open(
        self, request: SessionRequest, headers: Headers, timeout: aiohttp.ClientTimeout
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        tls = self._credentials.tls
        return self._session.request(
            request.method,
            yarl.URL(self._credentials.server + request.path, encoded=True),
            params=request.params,
            data=request.body,
            headers=headers,
            timeout=timeout,
            allow_redirects=False,
            ssl=tls.current() if tls is not None else True,
            server_hostname=self._credentials.server_name,
        )


def is_distrust(error: BaseException) -> bool:
    """Whether we refused the server's certificate; aiohttp wraps TLS errors."""
    return isinstance(error, ssl.SSLCertVerificationError | aiohttp.ClientConnectorCertificateError)


def unanswered(error: Exception) -> ApiError:
    """The error when no answer came; aiohttp wraps those of the system."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return errors.unanswered(error.certificate_error, f"{error.host}:{error.port}")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return errors.unanswered(socket.gaierror(error.errno, error.strerror), error.host)
    if isinstance(error, aiohttp.ClientConnectorError):
        return errors.unanswered(error.os_error, f"{error.host}:{error.port}")
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return errors.closed()
    if isinstance(error, aiohttp.ClientPayloadError):
        return errors.torn()
    return errors.unanswered(error, "the API server")


def _checked(before_send: BeforeSend) -> type[aiohttp.ClientRequest]:
    """Return requests that call `before_send`; opening a connection takes long enough to matter."""

    class CheckedRequest(aiohttp.ClientRequest):
        async def send(self, conn: Connection) -> aiohttp.ClientResponse:
            before_send(self.method)
            return await super().send(conn)

    return CheckedRequest


def _answer(response: aiohttp.ClientResponse, content: bytes) -> SessionAnswer:
    headers = response.headers
    warnings = tuple(headers.getall("Warning", ()))
    return SessionAnswer(response.status, content, headers.get("Retry-After"), warnings)


async def _body(response: aiohttp.ClientResponse, most: int | None) -> bytes:
    if most is None or response.status >= HTTPStatus.BAD_REQUEST:
        return await response.read()
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > most:
            response.close()  # the rest is not read
            raise errors.too_large(most)
    return bytes(content)
