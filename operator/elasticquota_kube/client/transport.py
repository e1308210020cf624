"""An HTTP session with the API server, with deadlines, tokens and safe retries.

A call that the server throttles (429, 503 with Retry-After) is repeated if its method is idempotent
and the deadline allows it. Everything else is the caller's decision. No cache, no rate limit.
"""

import asyncio
import copy
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

import aiohttp
import yarl
from aiohttp.connector import Connection
from multidict import CIMultiDict

from elasticquota_kube.client import errors
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.errors import ApiError


OnCall = Callable[[str, str, int, float], None]
"""Called after every attempt: verb, plural of the resource, HTTP code (0 = no answer), seconds."""

BeforeSend = Callable[[str], None]
"""Called with the HTTP method once the connection stands; an error keeps the request from it."""

TIMEOUT: Final = 10.0
_ATTEMPTS: Final = 3
_IDEMPOTENT: Final = frozenset({"GET", "PUT", "DELETE"})
_THROTTLED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


OnWarning = Callable[[str], None]
"""Called with the text of each warning that an answer carries, such as those of webhooks."""

_WARNING: Final = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')
"""A header Warning (RFC 7234 5.5); other codes than 299 are not from Kubernetes."""


def _not_read(_warning: str) -> None:
    """The default `OnWarning`: do nothing."""


def _ignored(_verb: str, _resource: str, _code: int, _seconds: float) -> None:
    """The default `OnCall`: do nothing."""


def _checked(before_send: BeforeSend) -> type[aiohttp.ClientRequest]:
    """Return requests that call `before_send`; opening a connection takes long enough to matter."""

    class CheckedRequest(aiohttp.ClientRequest):
        async def send(self, conn: Connection) -> aiohttp.ClientResponse:
            before_send(self.method)
            return await super().send(conn)

    return CheckedRequest


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; `verb` and `resource` are passed to `OnCall`."""

    verb: str
    resource: str
    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    most: int | None = None
    """Largest answer in bytes; reading a larger one stops there. None: no limit."""
    accept: str = ""
    """Accept header of this request; empty: that of the session."""


class Transport:
    """A session to use in ``async with``; `timeout` (seconds) bounds a whole `send`."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        on_call: OnCall = _ignored,
        on_warning: OnWarning = _not_read,
        before_send: BeforeSend | None = None,
        timeout: float = TIMEOUT,
        manager: str = "elastic-quota-operator",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.manager = manager
        self._credentials = credentials
        self._on_call = on_call
        self._on_warning = on_warning
        self._request_class = _checked(before_send) if before_send else aiohttp.ClientRequest
        self._timeout = timeout
        self._sleep = sleep
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        # No limit on connections: each watch keeps one, and callers bound their own concurrency.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers={"User-Agent": self.manager, "Accept": "application/json"},
            proxy=self._credentials.proxy,
            request_class=self._request_class,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def within(self, seconds: float) -> Self:
        """Return the same open session with another deadline for its calls."""
        other = copy.copy(self)
        other._timeout = seconds  # noqa: SLF001 - a copy of ourselves
        return other

    async def send(self, request: Request) -> bytes:
        """Return the body of the answer; raises `ApiError` for codes of 400 and more.

        Raises an error with reason ``TooLarge`` for an answer of more than ``request.most`` bytes.
        """
        deadline = time.monotonic() + self._timeout
        attempts = _ATTEMPTS if request.method in _IDEMPOTENT else 1
        renewed = False
        while True:
            try:
                return await self._attempt(request, deadline)
            except ApiError as error:
                if error.is_unauthorized and not renewed and self._credentials.renew():
                    renewed = True
                    continue
                attempts -= 1
                pause = error.retry_after
                if attempts == 0 or error.status not in _THROTTLED or pause is None:
                    raise
                if time.monotonic() + pause >= deadline:
                    raise
            await self._sleep(pause)

    async def stream(self, request: Request, *, quiet: float) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a long answer as they arrive, until the server ends it.

        Raises an `ApiError` with reason ``Timeout`` after `quiet` seconds without a byte.
        """
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT, sock_read=quiet)
        started = time.monotonic()
        code = 0
        try:
            async with self._open(request, timeout) as response:
                code = response.status
                self._on_call(request.verb, request.resource, code, time.monotonic() - started)
                if code >= HTTPStatus.BAD_REQUEST:
                    if code == HTTPStatus.UNAUTHORIZED:
                        self._credentials.renew()
                    raise await _refusal(response)
                async for chunk in response.content.iter_any():
                    yield chunk
        except (aiohttp.ClientError, OSError) as error:
            if code == 0:
                self._on_call(request.verb, request.resource, 0, time.monotonic() - started)
            raise self._failed(error) from error
        except RuntimeError as error:
            # aiohttp raises this for a connection that was closed between two reads.
            if code == 0:
                raise
            raise self._failed(error) from error

    async def _attempt(self, request: Request, deadline: float) -> bytes:
        started = time.monotonic()
        timeout = aiohttp.ClientTimeout(total=max(deadline - started, 0.001))
        code = 0
        try:
            async with self._open(request, timeout) as response:
                self._warn(response)
                if response.status >= HTTPStatus.BAD_REQUEST:
                    refusal = await _refusal(response)
                    code = response.status
                    raise refusal
                content = await _body(response, request.most)
                code = response.status
                return content
        except (aiohttp.ClientError, OSError) as error:
            raise self._failed(error) from error
        finally:
            self._on_call(request.verb, request.resource, code, time.monotonic() - started)

    def _open(
        self, request: Request, timeout: aiohttp.ClientTimeout
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("the API is used inside its own 'async with' block only")
        headers = CIMultiDict(self._credentials.headers)
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        if request.accept:
            headers["Accept"] = request.accept
        tls, token = self._credentials.tls, self._credentials.token.current()
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
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

    def _warn(self, response: aiohttp.ClientResponse) -> None:
        for header in response.headers.getall("Warning", ()):
            for text in _WARNING.findall(header):
                self._on_warning(re.sub(r"\\(.)", r"\1", text))

    def _failed(self, error: Exception) -> ApiError:
        """The error to raise when no answer came."""
        if self._credentials.tls is not None and errors.is_distrust(error):
            self._credentials.tls.forget()
        return errors.unreachable(error)


async def _body(response: aiohttp.ClientResponse, most: int | None) -> bytes:
    if most is None:
        return await response.read()
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > most:
            response.close()  # the rest is not read
            raise errors.too_large(most)
    return bytes(content)


async def _refusal(response: aiohttp.ClientResponse) -> ApiError:
    content = await response.read()
    return errors.from_response(response.status, content, response.headers.get("Retry-After"))
