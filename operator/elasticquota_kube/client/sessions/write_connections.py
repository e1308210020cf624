"""Connections that carry writes: HTTP/1.1 on asyncio, at a fifth of what aiohttp costs for a call.

A controller makes thousands of small writes when many jobs or pods start. They need no proxies,
streams, redirects, cookies, compression or limits on answers, so these are not here.
"""

import asyncio
import contextlib
import select
import ssl
import time
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode, urlsplit

import httptools

from elasticquota_kube.client import errors
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.sessions.session import Answer, BeforeSend, Headers, Request


KEPT: Final = 60.0
"""Seconds for which an idle connection is used again; the API server closes it after 90."""
_REPEATABLE: Final = frozenset({"PUT", "DELETE"})
"""Methods that may be sent twice (RFC 9110 9.2.2), as aiohttp does on a connection that it kept."""
_HTTPS: Final = 443
_HTTP: Final = 80


class _ClosedError(Exception):
    """The connection ended without an answer."""


class _NotHttpError(Exception):
    """What came is no HTTP answer."""


class WriteConnections:
    """Connections to one API server, in one event loop; each carries one request at a time."""

    def __init__(self, credentials: Credentials, before_send: BeforeSend | None = None) -> None:
        self._credentials = credentials
        self._before_send = before_send
        url = urlsplit(credentials.server)
        self._host = url.hostname or ""
        self._port = url.port or (_HTTPS if credentials.tls else _HTTP)
        self._at = url.netloc.rpartition("@")[2]
        self._prefix = url.path
        self._idle: list[_Connection] = []
        self._closed = False

    async def exchange(self, request: Request, headers: Headers, seconds: float) -> Answer:
        """Return the answer, whatever its status and size; errors are those of a ``Session``."""
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(request, self._message(request, headers))
        except _ClosedError as error:
            raise errors.closed() from error
        except _NotHttpError as error:
            text = f"{self._host}:{self._port} does not answer as an HTTP server"
            raise ApiError(0, errors.UNREACHABLE, text) from error
        except OSError as error:
            raise errors.unanswered(error, f"{self._host}:{self._port}") from error

    async def close(self) -> None:
        """Close the idle connections; the others end with their requests."""
        self._closed = True
        while self._idle:
            ending = self._idle.pop()
            ending.abort()
            await ending.ended.wait()

    async def _exchange(self, request: Request, message: bytes) -> Answer:
        kept = self._kept()
        if kept is not None and request.method in _REPEATABLE:
            # The server may have ended it for being idle just when we began to use it.
            with contextlib.suppress(_ClosedError):
                return await self._ask(kept, request.method, message)
            kept = None
        return await self._ask(kept or await self._new(), request.method, message)

    async def _ask(self, connection: "_Connection", method: str, message: bytes) -> Answer:
        try:
            if self._before_send is not None:
                self._before_send(method)
            return await connection.ask(message)
        finally:
            self._keep(connection)

    def _kept(self) -> "_Connection | None":
        tls = self._credentials.tls
        context = None if tls is None else tls.current()
        oldest = time.monotonic() - KEPT
        while self._idle and self._idle[0].idle_since < oldest:
            self._idle.pop(0).abort()
        while self._idle:
            found = self._idle.pop()
            if found.is_quiet and found.context is context:
                return found
            found.abort()  # the server is ending it, or its authority is not ours any more
        return None

    def _keep(self, connection: "_Connection") -> None:
        if connection.is_free and not self._closed:
            connection.idle_since = time.monotonic()
            self._idle.append(connection)
        else:
            connection.abort()  # its answer may still come, and would be taken for another one

    async def _new(self) -> "_Connection":
        tls = self._credentials.tls
        context = None if tls is None else tls.current()
        name = None if tls is None else (self._credentials.server_name or self._host)
        _, made = await asyncio.get_running_loop().create_connection(
            lambda: _Connection(context), self._host, self._port, ssl=context, server_hostname=name
        )
        return made

    def _message(self, request: Request, headers: Headers) -> bytes:
        query = f"?{urlencode(request.params)}" if request.params else ""
        body = request.body or b""
        lines = [
            f"{request.method} {self._prefix}{request.path}{query} HTTP/1.1",
            f"Host: {self._at}",
            *(f"{name}: {value}" for name, value in headers),
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join([*lines, "\r\n"]).encode() + body


class _Connection(asyncio.Protocol):
    """One connection, and the answer that is being read on it."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self.context = context
        self.idle_since = 0.0
        self.ended = asyncio.Event()
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._parser: httptools.HttpResponseParser
        self._body = bytearray()
        self._retry_after: str | None = None
        self._warnings: list[str] = []

    @property
    def is_free(self) -> bool:
        """Whether it stands and waits for no answer."""
        return self._transport is not None and self._waiting is None

    @property
    def is_quiet(self) -> bool:
        """Whether it is free and nothing comes on it, as its end would, which we may not have read.

        A write that goes to a server that is closing is an error, as it may have been carried out.
        """
        if not self.is_free or self._transport is None:
            return False
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poll.poll(0)

    async def ask(self, message: bytes) -> Answer:
        """Send a request and return its answer.

        Raises ``OSError``, ``ApiError`` for a part of an answer, `_ClosedError`, `_NotHttpError`.
        """
        if self._transport is None:
            raise _ClosedError
        self._parser = httptools.HttpResponseParser(self)
        self._begin()
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        self._transport.write(message)
        return await waiting

    def abort(self) -> None:
        """End it now."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    # -- as a protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self.ended.set()
        if isinstance(error, OSError):
            self._fail(error)
        else:
            self._fail(errors.torn() if self._body else _ClosedError())

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:  # what comes without a request is of no use
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            failure = _NotHttpError(str(error))
            failure.__cause__ = error
            self._fail(failure)
            self.abort()

    # -- as a parser's listener

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"retry-after":
                self._retry_after = value.decode("latin-1")
            case b"warning":
                self._warnings.append(value.decode(errors="replace"))

    def on_body(self, content: bytes) -> None:
        self._body += content

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < HTTPStatus.OK:  # the server says that it is at work; its answer comes later
            self._begin()
            return
        answer = Answer(status, bytes(self._body), self._retry_after, tuple(self._warnings))
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)
        if not self._parser.should_keep_alive():
            self.abort()

    def _begin(self) -> None:
        self._body = bytearray()
        self._retry_after = None
        self._warnings = []

    def _fail(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
