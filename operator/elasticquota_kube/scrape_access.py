"""Who may read the metrics: asks the API server, as its own components do for theirs.

The token of the client goes into a TokenReview. A SubjectAccessReview then says whether its user
may ``get`` the path. Answers are kept for a minute, for few clients, by a hash of the token. A lost
API server admits no client that it did not admit within the last minute.

Any pod may send tokens, as many as it likes. So refusals push no admitted client out, and few
unknown tokens are reviewed at the same time: the API server counts the reviews as our requests. An
admitted client does not wait for them when its minute is over.
"""

import hashlib
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

import structlog
from aiohttp import web

from elasticquota_kube import access_review
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


TOKEN_REVIEWS: Final = Resource("authentication.k8s.io", "v1", "tokenreviews")
KEPT: Final = 60.0
"""Seconds for which an answer of the API server is kept."""
_MOST: Final = 64
"""Clients of which an answer is kept, of those admitted and of those refused."""
AT_ONCE: Final = 4
"""Unknown tokens that are reviewed at the same time."""
_LONGEST: Final = 16_384
"""Characters of a token."""

log = structlog.get_logger(__name__)


class Denied(NamedTuple):
    """Why a scrape is refused."""

    status: int
    text: str


class ScrapeAuthorizer(Protocol):
    """Asked before each scrape."""

    async def denied(self, request: web.Request, /) -> Denied | None:
        """Return why the request is refused; None: it is not."""


class Anyone:
    """Refuses no client."""

    async def denied(self, _request: web.Request, /) -> Denied | None:
        """Return None."""
        return None


ANYONE: Final = Anyone()

_NO_TOKEN: Final = Denied(401, "send a bearer token of a service account in Authorization\n")
_UNKNOWN: Final = Denied(401, "the API server does not know this token\n")
_UNSURE: Final = Denied(503, "the API server did not answer who this is; try again\n")
_BUSY: Final = Denied(429, f"{AT_ONCE} unknown tokens are being reviewed already; try again\n")


class ScrapeAccess:
    """Decides by reviews of the API server; ``api`` may write while this process does not lead."""

    def __init__(self, api: Api, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._admitted: dict[bytes, float] = {}
        """Until when, by hash; those whose minute is over are still known."""
        self._refused: dict[bytes, tuple[float, Denied]] = {}
        self._under_way = 0

    async def denied(self, request: web.Request, /) -> Denied | None:
        """Return why the request is refused; None: its user may ``get`` the path."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        usable = scheme.lower() == "bearer" and 0 < len(token) <= _LONGEST and token.isascii()
        if not usable:
            return _NO_TOKEN
        key = hashlib.sha256(f"{request.path} {token}".encode()).digest()
        now = self._clock()
        if now < self._admitted.get(key, now):
            return None
        until, refusal = self._refused.get(key, (now, _UNKNOWN))
        if now < until:
            return refusal
        if key in self._admitted:
            return await self._asked(key, token, request.path)
        if self._under_way >= AT_ONCE:
            return _BUSY
        self._under_way += 1
        try:
            return await self._asked(key, token, request.path)
        finally:
            self._under_way -= 1

    async def _asked(self, key: bytes, token: str, path: str) -> Denied | None:
        """Ask the API server, and keep the answer."""
        try:
            answer = await self._reviewed(token, path)
        except ApiError as error:
            log.warning("cannot review who reads the metrics", why=str(error))
            return _UNSURE
        self._admitted.pop(key, None)
        self._refused.pop(key, None)
        until = self._clock() + KEPT
        if answer is None:
            _bound(self._admitted)
            self._admitted[key] = until
        else:
            _bound(self._refused)
            self._refused[key] = until, answer
        return answer

    async def _reviewed(self, token: str, path: str) -> Denied | None:
        asked: Document = {
            "apiVersion": TOKEN_REVIEWS.api_version,
            "kind": "TokenReview",
            "spec": {"token": token},
        }
        status = (await self._api.create(TOKEN_REVIEWS, None, asked)).get("status") or {}
        if not status.get("authenticated"):
            return _UNKNOWN
        user = status.get("user") or {}
        asked_of = {"path": path, "verb": "get"}
        if await access_review.allowed(self._api, user, nonResourceAttributes=asked_of):
            return None
        return Denied(403, f"{user.get('username', '')} may not get {path}\n")


def _bound(kept: dict[bytes, Any]) -> None:
    """Forget the oldest answer of too many."""
    if len(kept) >= _MOST:
        del kept[next(iter(kept))]
