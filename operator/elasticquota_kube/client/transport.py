"""An HTTP session with the API server, with deadlines, tokens and safe retries.

A call that the server throttles (429, 503 with Retry-After) is repeated if its method is idempotent
and the deadline allows it. Everything else is the caller's decision. No cache, no rate limit.
"""

import asyncio
import copy
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.credentials.login import CredentialsError
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import (
    BeforeSend,
    Session,
    SessionRequest,
    StreamingSession,
)


OnCall = Callable[[str, str, int, float], None]
"""Called after every attempt: verb, plural of the resource, HTTP code (0 = no answer), seconds."""

TIMEOUT: Final = 10.0
_ATTEMPTS: Final = 3
_IDEMPOTENT: Final = frozenset({"GET", "PUT", "DELETE"})
_THROTTLED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


OnWarning = Callable[[str], None]
"""Called with the text of each warning that an answer carries, such as those of webhooks."""

_WARNING: Final = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')
"""A header Warning (RFC 7234 5.5); other codes than 299 are not from Kubernetes."""

_BROKEN: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What a header cannot have: control characters but the tab (RFC 9110 5.5)."""


def _not_read(_warning: str) -> None:
    """The default `OnWarning`: do nothing."""


def _ignored(_verb: str, _resource: str, _code: int, _seconds: float) -> None:
    """The default `OnCall`: do nothing."""


class Transport:
    """A session to use in ``async with``; `timeout` (seconds) bounds a whole `send`.

    A `brief` one is for programs that make few requests and end: it starts faster, and has no
    streams.
    """

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
        brief: bool = False,
    ) -> None:
        self.manager = manager
        self._credentials = credentials
        self._on_call = on_call
        self._on_warning = on_warning
        self._before_send = before_send
        self._timeout = timeout
        self._sleep = sleep
        self._brief = brief
        self._session: Session | None = None
        self._streams: StreamingSession | None = None

    async def __aenter__(self) -> Self:
        if self._brief and self._credentials.proxy is None:
            from elasticquota_kube.client.sessions.brief_session import BriefSession  # noqa: PLC0415 - only commands need it

            self._session = BriefSession(self._credentials, self._before_send)
        else:
            from elasticquota_kube.client.sessions.aiohttp_session import AiohttpSession  # noqa: PLC0415 - it loads slowly

            self._session = self._streams = AiohttpSession(self._credentials, self._before_send)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = self._streams = None

    def within(self, seconds: float) -> Self:
        """Return the same open session with another deadline for its calls."""
        other = copy.copy(self)
        other._timeout = seconds  # noqa: SLF001 - a copy of ourselves
        return other

    async def send(self, request: SessionRequest) -> bytes:
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

    async def stream(self, request: SessionRequest, *, quiet: float) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a long answer as they arrive, until the server ends it.

        Raises an `ApiError` with reason ``Timeout`` after `quiet` seconds without a byte.
        """
        if self._streams is None:
            raise RuntimeError("streams are there inside an 'async with' block, and not if brief")
        started = time.monotonic()

        def on_status(code: int) -> None:
            self._on_call(request.verb, request.resource, code, time.monotonic() - started)
            if code == HTTPStatus.UNAUTHORIZED:
                self._credentials.renew()

        try:
            async for chunk in self._streams.stream(
                request, self._headers(request), quiet, on_status
            ):
                yield chunk
        except ApiError as error:
            self._look_again(error)
            raise

    async def _attempt(self, request: SessionRequest, deadline: float) -> bytes:
        if self._session is None:
            raise RuntimeError("the API is used inside its own 'async with' block only")
        started = time.monotonic()
        code = 0
        try:
            answer = await self._session.exchange(
                request, self._headers(request), max(deadline - started, 0.001)
            )
            code = answer.status
        except ApiError as error:
            self._look_again(error)
            raise
        finally:
            self._on_call(request.verb, request.resource, code, time.monotonic() - started)
        self._warn(answer.warnings)
        if code >= HTTPStatus.BAD_REQUEST:
            raise errors.of(answer)
        return answer.content

    def _headers(self, request: SessionRequest) -> list[tuple[str, str]]:
        headers = [
            ("User-Agent", self.manager),
            ("Accept", request.accept or "application/json"),
            *self._credentials.headers,
        ]
        if request.body is not None:
            headers.append(("Content-Type", request.content_type))
        token = self._credentials.token.current()
        if token is not None:
            headers.append(("Authorization", f"Bearer {token}"))
        for name, value in headers:
            if _BROKEN.search(value):
                # Without the value, which may be a token; the HTTP clients' own errors show it.
                raise CredentialsError(
                    f"the credentials cannot be used: the value of the header {name} has a line "
                    "break or another control character. Remove it in the kubeconfig, the "
                    "credential plugin or --as"
                )
        return headers

    def _warn(self, warnings: Sequence[str]) -> None:
        for header in warnings:
            for text in _WARNING.findall(header):
                self._on_warning(re.sub(r"\\(.)", r"\1", text))

    def _look_again(self, error: ApiError) -> None:
        """Read the authority's file again after its server was refused."""
        if self._credentials.tls is not None and error.reason == errors.UNTRUSTED:
            self._credentials.tls.forget()
