"""One HTTP request to the API server and its answer, and what carries requests out.

Two kinds of sessions do so: ``aiohttp_session`` for processes that stay, with many requests at the
same time and streams, and ``brief_session`` for commands, which loads three times as fast.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from elasticquota.structs import Struct, field


BeforeSend = Callable[[str], None]
"""Called with the HTTP method once the connection stands; an error keeps the request from it."""

Headers = Sequence[tuple[str, str]]
"""Names and values; the groups of an impersonation have one header each."""


class SessionRequest(Struct, frozen=True):
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
    """Accept header of this request; empty: JSON."""


class SessionAnswer(NamedTuple):
    """A whole answer."""

    status: int
    content: bytes
    retry_after: str | None = None
    warnings: tuple[str, ...] = ()
    """The headers ``Warning``, as they were sent."""


class Session(Protocol):
    """Connections to one API server."""

    async def exchange(
        self, request: SessionRequest, headers: Headers, seconds: float
    ) -> SessionAnswer:
        """Return the answer, whatever its status; raises `ApiError` when there is none in time."""

    async def close(self) -> None:
        """Close all connections."""


class StreamingSession(Session, Protocol):
    """A session that has streams, too."""

    def stream(
        self,
        request: SessionRequest,
        headers: Headers,
        quiet: float,
        on_status: Callable[[int], None],
    ) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a long answer as they arrive, until the server ends it.

        ``on_status`` is called once with the status, or with 0 when there is no answer. Raises
        `ApiError` for a status of 400 and more, and after ``quiet`` seconds without a byte.
        """
