"""Failed calls to the API server, refused or not answered, as one kind of error.

``status`` is the HTTP code; 0 means that there was no usable answer. The reason then is
``Unreachable`` (refused, reset, name not found), ``Untrusted`` (the server's certificate is not
signed by the CA that we trust), ``Timeout``, ``TooLarge`` or ``Undecodable``.
"""

import contextlib
import os
import re
import socket
import ssl
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import msgspec

from elasticquota.structs import Struct
from elasticquota_kube.client.rest.session import SessionAnswer


TOO_LARGE: Final = "TooLarge"
TIMEOUT: Final = "Timeout"
UNTRUSTED: Final = "Untrusted"
UNREACHABLE: Final = "Unreachable"
UNDECODABLE: Final = "Undecodable"
_NOT_TLS: Final = ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
"""What OpenSSL says about a server that speaks plain HTTP."""
_TOO_LARGE_TO_STORE: Final = re.compile(
    r"etcdserver: request is too large|trying to send message larger than max"
)
"""What etcd, and the API server's connection to it, say of a write (500) that is larger than
``--max-request-bytes``, 1.5 MiB unless it is set."""
_OF_A_WEBHOOK: Final = re.compile(r"admission webhook \"[^\"]*\" denied|failed calling webhook")
"""A webhook chooses the code of its refusals, and one that fails is a 500 of the API server."""


class StatusCause(Struct, frozen=True):
    """One entry of ``status.details.causes``."""

    reason: str = ""
    message: str = ""
    field: str = ""


class ApiError(Exception):
    """A call failed; `retry_after` (seconds) is set when the server sent it."""

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        causes: tuple[StatusCause, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, reason, message)
        self.status = status
        self.reason = reason
        self.message = message
        self.causes = causes
        self.retry_after = retry_after

    def __str__(self) -> str:
        code = f"{self.status} " if self.status else ""
        return f"{code}{self.reason}: {self.message}"

    @property
    def is_not_found(self) -> bool:
        return self.status == HTTPStatus.NOT_FOUND

    @property
    def is_conflict(self) -> bool:
        """Another client wrote or created first."""
        return self.status == HTTPStatus.CONFLICT

    @property
    def is_gone(self) -> bool:
        """The requested history is no longer kept: list again."""
        return self.status == HTTPStatus.GONE or self.reason == "Expired"

    @property
    def is_invalid(self) -> bool:
        """The object is invalid; a JSON patch whose ``test`` failed has this code too."""
        return self.status == HTTPStatus.UNPROCESSABLE_ENTITY

    @property
    def is_forbidden(self) -> bool:
        return self.status == HTTPStatus.FORBIDDEN

    @property
    def is_unauthorized(self) -> bool:
        return self.status == HTTPStatus.UNAUTHORIZED

    @property
    def is_throttled(self) -> bool:
        return self.status == HTTPStatus.TOO_MANY_REQUESTS

    @property
    def is_unreachable(self) -> bool:
        """No answer came; whether a write was carried out is unknown."""
        return self.status == 0

    @property
    def is_too_large(self) -> bool:
        """The answer was larger than the request allowed."""
        return self.reason == TOO_LARGE

    @property
    def is_too_large_to_store(self) -> bool:
        """The object with this write would be larger than the store takes."""
        return bool(_TOO_LARGE_TO_STORE.search(self.message))

    @property
    def concerns_object(self) -> bool:
        """The server serves, and refuses this one object, whatever the code says.

        It is too large for the store, a webhook denies it or fails for it, or its answer cannot be
        read.
        """
        return (
            (HTTPStatus.BAD_REQUEST <= self.status < 500 and not self.is_throttled)
            or self.reason in (TOO_LARGE, UNDECODABLE)
            or self.is_too_large_to_store
            or _OF_A_WEBHOOK.search(self.message) is not None
        )

    @property
    def is_unserved(self) -> bool:
        """The server could not serve the call; it says nothing about the object."""
        return not self.concerns_object and (
            self.is_unreachable
            or self.is_throttled
            or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        )

    @property
    def is_transient(self) -> bool:
        """The same call may succeed later without a change of the object.

        The server may serve again, or the webhook that fails for the object may answer.
        """
        return self.is_unserved or (
            self.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not self.is_too_large_to_store
        )

    def has_cause(self, reason: str) -> bool:
        return any(cause.reason == reason for cause in self.causes)


class _Details(msgspec.Struct, rename="camel"):
    causes: list[StatusCause] | None = None
    retry_after_seconds: int = 0


class Status(msgspec.Struct):
    """The ``Status`` object that the API server sends as the body of errors."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: _Details | None = None

    def error(self, code: int | None = None, retry_after: str | None = None) -> ApiError:
        """Convert it to an error; `code` and `retry_after` are from the HTTP response."""
        details = self.details or _Details()
        pause = float(details.retry_after_seconds) or None
        if retry_after is not None and retry_after.isdigit():
            pause = float(retry_after)
        status = code or self.code
        return ApiError(
            status,
            self.reason or _phrase(status),
            self.message or "no message",
            tuple(details.causes or ()),
            pause,
        )


_STATUS = msgspec.json.Decoder(Status)


def of(answer: SessionAnswer) -> ApiError:
    """Read the error out of an answer with a status of 400 or more."""
    try:
        status = _STATUS.decode(answer.content)
    except msgspec.MsgspecError:
        # Proxies and an API server that is starting answer in plain text.
        text = " ".join(answer.content[:500].decode(errors="replace").split())
        status = Status(message=text)
    return status.error(answer.status, answer.retry_after)


def unanswered(error: BaseException, where: str) -> ApiError:
    """The error when no answer came from ``where``, a host and its port, in words of one line."""
    if isinstance(error, TimeoutError):
        return ApiError(0, TIMEOUT, f"{where} did not answer in time")
    if isinstance(error, ssl.SSLCertVerificationError):
        text = f"certificate verify failed: {error.verify_message or error}"
        return ApiError(0, UNTRUSTED, f"the certificate of {where} is not trusted: {text}")
    return ApiError(0, UNREACHABLE, _plain(error, where))


def closed() -> ApiError:
    """The error when the server closed the connection without an answer."""
    return ApiError(0, UNREACHABLE, "the server closed the connection")


def torn() -> ApiError:
    """The error when the connection ended within an answer."""
    return ApiError(0, UNREACHABLE, "the connection broke before the answer was whole")


def _plain(error: BaseException, where: str) -> str:
    if isinstance(error, socket.gaierror):
        return f"there is no host {where.rpartition(':')[0] or where}: {error.strerror}"
    if isinstance(error, ssl.SSLError):
        if error.reason in _NOT_TLS:
            return f"{where} does not answer as a TLS server: is https:// right for it?"
        return f"the TLS connection to {where} failed: {(error.reason or str(error)).lower()}"
    if isinstance(error, OSError) and error.errno:
        return f"no connection to {where}: {os.strerror(error.errno)}"
    return str(error) or "the connection broke"


@contextlib.contextmanager
def ignore_not_found() -> Iterator[None]:
    """End the block without an error when its object is gone (404), as in controller-runtime.

    For writers: the watch shows that it is gone, and the next cycle decides again.
    """
    try:
        yield
    except ApiError as error:
        if not error.is_not_found:
            raise


def too_large(most: int) -> ApiError:
    """The error for an answer that was too large and was not read to its end."""
    return ApiError(0, TOO_LARGE, f"the answer has more than {most} bytes")


def undecodable(error: Exception) -> ApiError:
    """The error for an answer that could not be decoded."""
    return ApiError(0, UNDECODABLE, str(error))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.title().replace(" ", "")
    except ValueError:
        return "Unknown"
