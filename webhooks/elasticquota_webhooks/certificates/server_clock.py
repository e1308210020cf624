"""Keeps time by the API server's clock, because the API server checks the certificates by it.

The time comes from the answer to a SelfSubjectReview ("who am I"), which every account may create.
Between two answers our monotonic clock adds the time that has passed. So a replica whose own clock
is wrong or jumps issues certificates that the API server accepts, and never takes a valid authority
for an expired one. Where the request is not allowed, our own clock is used.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import structlog

from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.paths import Resource


_WHO_AM_I: Final = Resource("authentication.k8s.io", "v1", "selfsubjectreviews")
_REFUSED: Final = frozenset({403, 404})

log = structlog.get_logger(__name__)


class Clock(Protocol):
    """The clock by which certificates are checked."""

    async def ask(self) -> datetime:
        """The time from the source of this clock; raises ``ApiError``."""

    def now(self) -> datetime:
        """The time, without a request."""


class ServerClock:
    """The API server's clock."""

    def __init__(
        self,
        api: Api,
        *,
        own_time: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._own_time = own_time
        self._monotonic = monotonic
        self._answer: tuple[datetime, float] | None = None
        self._refused = False

    async def ask(self) -> datetime:
        """Ask for the API server's time, to the second; raises ``ApiError``."""
        before = self._monotonic()
        dated, why = None, "its answer is not dated"
        question = {"apiVersion": _WHO_AM_I.api_version, "kind": "SelfSubjectReview"}
        try:
            answer = await self._api.create(_WHO_AM_I, None, question)
            dated = answer.get("metadata", {}).get("creationTimestamp")
        except ApiError as error:
            if error.status not in _REFUSED:
                raise
            why = str(error)
        if dated is not None:
            self._answer = (datetime.fromisoformat(dated), before)
        elif not self._refused:
            log.warning("the API server does not tell its time, ours has to do", why=why)
            self._refused = True
        return self.now()

    def now(self) -> datetime:
        """The API server's time counted on from its last answer; our own before the first."""
        if self._answer is None:
            return self._own_time()
        then, when = self._answer
        return then + timedelta(seconds=self._monotonic() - when)
