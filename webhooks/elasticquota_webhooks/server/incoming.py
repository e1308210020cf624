"""Parses requests as their bytes arrive, and refuses unwanted bodies before they are stored.

The parser is llhttp, which accepts no ambiguous heads. The head states the length and type of the
body, so a body that is too large, compressed or of another type is refused before any of it comes.
"""

from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, NamedTuple

import httptools

from elasticquota.structs import Struct


LARGEST_BODY: Final = 7 * 1024 * 1024
"""Bytes: an object and its old state, 3 MiB each at most, and the review around them."""
LARGEST_HEAD: Final = 64 * 1024
LARGE: Final = 128 * 1024

Body = bytes | bytearray


class IncomingRequest(NamedTuple):
    """A complete request."""

    path: bytes
    body: Body


class RequestRefusal(Struct, frozen=True):
    """Why a request is not read further; nothing after it can be read either."""

    code: HTTPStatus
    sentence: str


class Incoming:
    """The requests of one connection; ``route`` returns the route of a path, or None."""

    def __init__(self, route: Callable[[bytes], bytes | None]) -> None:
        self.asked: deque[IncomingRequest] = deque()
        """Complete requests; the owner takes them out."""
        self.refusal: RequestRefusal | None = None
        self.begun = False
        """Set while a request has arrived in part."""
        self.large = False
        """Set while a body of more than ``LARGE`` bytes is expected."""
        self.proven = False
        """Set once a request came at a path that only the API server knows."""
        self._route = route
        self._parser = httptools.HttpRequestParser(self)
        self._fed = 0
        self._path = b""
        self._length: int | None = None
        self._kind = b""
        self._packed = b""
        self._in_head = True
        self._body: Body = b""

    def feed(self, data: bytes) -> None:
        """Parse the next bytes; does nothing after a refusal."""
        if self.refusal is not None:
            return
        self.begun = True
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._refuse(HTTPStatus.BAD_REQUEST, "the request must be plain HTTP/1.1")
        self._fed += len(data)
        if self._in_head and self._fed > LARGEST_HEAD:
            text = f"the head must not be larger than {LARGEST_HEAD} bytes"
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)

    # Callbacks of llhttp

    def on_message_begin(self) -> None:
        self._path = self._kind = self._packed = b""
        self._length, self._in_head = None, True

    def on_url(self, url: bytes) -> None:
        self._path += url

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"content-length":
                self._length = int(value)
            case b"content-type":
                self._kind = value.partition(b";")[0].strip().lower()
            case b"content-encoding":
                self._packed = value

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._path = self._path.partition(b"?")[0]  # the API server adds ?timeout=10s
        if self.refusal is None:
            self._judge_head()
        if self.refusal is not None:
            return
        self.large = (self._length or 0) > LARGE
        self._body = b""

    def on_body(self, data: bytes) -> None:
        if self.refusal is not None:
            return
        if len(data) == self._length:
            self._body = data
            return
        if not self._body:
            # The buffer grows with the data: a stated length is only a claim.
            self._body = bytearray()
        self._body += data

    def on_message_complete(self) -> None:
        self.begun = self.large = False
        self._in_head, self._fed = True, 0
        if self.refusal is None:
            self.asked.append(IncomingRequest(self._path, self._body))
        self._body = b""

    def _judge_head(self) -> None:
        route = self._route(self._path)
        if route is None:
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is reviewed at this path")
            return
        self.proven, self._path = True, route
        if self._parser.get_method() != b"POST":
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "reviews are sent by POST")
        elif self._kind != b"application/json" or self._packed not in (b"", b"identity"):
            # A compressed body could expand without limit, and the API server sends none.
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json")
        elif self._length is None:
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the head must have a Content-Length")
        elif self._length > LARGEST_BODY:
            text = f"the body must not be larger than {LARGEST_BODY} bytes"
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)

    def _refuse(self, code: HTTPStatus, sentence: str) -> None:
        if self.refusal is None:
            self.refusal = RequestRefusal(code, sentence)
        self._body = b""
