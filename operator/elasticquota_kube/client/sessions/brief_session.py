"""The session of commands: the standard library's client, each request in a thread of its own.

It loads in a third of the time of aiohttp, which a command with one request would wait for. It has
no proxies and no streams. Connections are kept for the next request.
"""

import asyncio
import contextlib
import functools
import http.client
import select
import socket
import time
import zlib
from typing import Final
from urllib.parse import urlencode, urlsplit

from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import (
    BeforeSend,
    Headers,
    SessionAnswer,
    SessionRequest,
)


_GZIP: Final = 31
"""The window of zlib that reads gzip."""
_HTTPS: Final = 443


class BriefSession:
    """Connections to one API server, without a proxy."""

    def __init__(self, credentials: Credentials, before_send: BeforeSend | None = None) -> None:
        self._credentials = credentials
        self._before_send = before_send
        url = urlsplit(credentials.server)
        self._host = url.hostname or ""
        self._port = url.port or (_HTTPS if credentials.tls else http.client.HTTP_PORT)
        self._prefix = url.path
        self._idle: list[http.client.HTTPConnection] = []
        self._abandoned: set[http.client.HTTPConnection] = set()
        """Those of requests that are given up and whose thread is not done."""
        self._closed = False

    async def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    async def exchange(
        self, request: SessionRequest, headers: Headers, seconds: float
    ) -> SessionAnswer:
        connection = self._kept() or self._new()
        end = time.monotonic() + seconds
        keep = False
        loop = asyncio.get_running_loop()
        thread = loop.run_in_executor(None, self._exchange, connection, request, headers, end)
        try:
            async with asyncio.timeout(seconds):
                answer, keep = await asyncio.shield(thread)
        except http.client.RemoteDisconnected as error:
            raise errors.closed() from error
        except http.client.IncompleteRead as error:
            raise errors.torn() from error
        except http.client.BadStatusLine as error:
            text = f"{self._host}:{self._port} does not answer as an HTTP server"
            raise ApiError(0, errors.UNREACHABLE, text) from error
        except zlib.error as error:
            raise errors.undecodable(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise errors.unanswered(error, f"{self._host}:{self._port}") from error
        finally:
            if keep and not self._closed:
                self._idle.append(connection)
            else:
                await self._abandon(connection, thread)
        return answer

    async def _abandon(
        self,
        connection: http.client.HTTPConnection,
        thread: asyncio.Future[tuple[SessionAnswer, bool]],
    ) -> None:
        """Close the connection when its thread is done, also if the wait for that is cancelled.

        A request that is not sent yet is not sent any more: the thread sees that it is given up, or
        finds its socket shut down.
        """
        self._abandoned.add(connection)
        thread.add_done_callback(functools.partial(self._close, connection))
        if not thread.done():
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)
            await asyncio.wait([thread])

    def _close(
        self,
        connection: http.client.HTTPConnection,
        thread: asyncio.Future[tuple[SessionAnswer, bool]],
    ) -> None:
        self._abandoned.discard(connection)
        connection.close()
        if not thread.cancelled():
            thread.exception()  # it was reported, or is of a request that is not wanted any more

    def _kept(self) -> http.client.HTTPConnection | None:
        """A connection from an earlier request that the server has not closed."""
        while self._idle:
            found = self._idle.pop()
            # Nothing comes on an idle connection but its end.
            if not select.select([found.sock], [], [], 0)[0]:
                return found
            found.close()
        return None

    def _new(self) -> http.client.HTTPConnection:
        tls = self._credentials.tls
        if tls is None:
            return http.client.HTTPConnection(self._host, self._port)
        return http.client.HTTPSConnection(self._host, self._port, context=tls.current())

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        request: SessionRequest,
        headers: Headers,
        end: float,
    ) -> tuple[SessionAnswer, bool]:
        """The answer, and whether the connection can be kept."""
        self._connect(connection, end)
        if connection in self._abandoned:
            raise http.client.NotConnected
        if self._before_send is not None:
            self._before_send(request.method)
        query = f"?{urlencode(request.params)}" if request.params else ""
        path = f"{self._prefix}{request.path}{query}"
        connection.putrequest(request.method, path, skip_accept_encoding=True)
        connection.putheader("Accept-Encoding", "gzip")
        for name, value in headers:
            connection.putheader(name, value.encode())
        if request.body is not None:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        response = connection.getresponse()
        content = _body(response, request.most)
        warnings = tuple(response.headers.get_all("Warning", ()))
        answer = SessionAnswer(
            response.status, content, response.headers.get("Retry-After"), warnings
        )
        return answer, not response.will_close

    def _connect(self, connection: http.client.HTTPConnection, end: float) -> None:
        """Connect if it is new; ``connect()`` of the library takes no name of the server."""
        seconds = max(end - time.monotonic(), 0.001)
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
            return
        connection.sock = socket.create_connection((self._host, self._port), seconds)
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        tls = self._credentials.tls
        if tls is not None:
            name = self._credentials.server_name or self._host
            connection.sock = tls.current().wrap_socket(connection.sock, server_hostname=name)


def _body(response: http.client.HTTPResponse, most: int | None) -> bytes:
    """The body, which the server may have compressed; raises an error if it is too large."""
    compressed = response.headers.get("Content-Encoding") == "gzip"
    content = response.read() if most is None else response.read(most + 1)
    if response.length and (most is None or len(content) <= most):
        # A limited read does not say that the connection ended early.
        raise http.client.IncompleteRead(content, response.length)
    if compressed:
        reader = zlib.decompressobj(_GZIP)
        content = reader.decompress(content, 0 if most is None else most + 1)
    if most is not None and len(content) > most:
        raise errors.too_large(most)
    return content
