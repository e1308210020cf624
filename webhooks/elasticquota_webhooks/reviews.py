"""One review from bytes to bytes: read, decide, answer, and count what happened.

What cannot be read is the sender's fault and is told so; it never looks like a fault of ours.
"""

import time
from collections.abc import Awaitable, Callable

import structlog

from elasticquota.wire import review
from elasticquota.wire.review import Request, Response
from elasticquota_webhooks import replies
from elasticquota_webhooks.metrics import Metrics


Decide = Callable[[Request], Awaitable[Response]]

log = structlog.get_logger(__name__)


class UnavailableError(Exception):
    """There can be no answer now; the failure policy of the configuration decides instead."""


class Reviews:
    """Reviews of one ``kind`` (of metrics), answered by ``decide``."""

    def __init__(self, kind: str, decide: Decide, metrics: Metrics) -> None:
        self._kind = kind
        self._decide = decide
        self._metrics = metrics

    async def answer(self, body: bytes) -> bytes:
        """The answer to a review; raises ``review.ReviewError`` and `UnavailableError`."""
        started = time.perf_counter()
        request = review.decode(body)
        try:
            response = await self._decide(request)
        except review.ReviewError as error:
            response = replies.unreadable(request, str(error))
        self._count(request, response, time.perf_counter() - started)
        return review.encode(response)

    def _count(self, request: Request, response: Response, seconds: float) -> None:
        status = response.status
        code = str(status.code) if status is not None else "200"
        self._metrics.reviews.labels(self._kind, request.operation, code).inc()
        self._metrics.seconds.labels(self._kind).observe(seconds)
        for rule in response.rules:
            self._metrics.refusals.labels(rule).inc()
        if status is not None:
            log.info(
                "refused",
                kind=self._kind,
                operation=request.operation,
                code=status.code,
                user=request.user_info.username,
                message=status.message,
            )
