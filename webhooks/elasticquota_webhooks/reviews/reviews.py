"""Handles one review from bytes to bytes: read, decide, answer and count it.

A review that cannot be read is the sender's error, and the answer says so; it is never reported as
a fault of the webhook. A fault of the webhook is never an answer: the log names the review and the
place in the code, but nothing of the object, which may hold anything.
"""

import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import structlog

from elasticquota import texts
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response, ReviewStatus
from elasticquota_webhooks.reviews import replies
from elasticquota_webhooks.reviews.metrics import Metrics


Decide = Callable[[AdmissionRequest], Awaitable[Response]]

_LONGEST_UID: Final = 64

log = structlog.get_logger(__name__)


class UnavailableError(Exception):
    """No answer is possible now; the failure policy of the configuration decides instead."""


class BrokenError(Exception):
    """Our own code failed; the failure policy of the configuration decides instead."""


class Reviews:
    """Answers reviews of one ``kind`` (a label of the metrics) with ``decide``."""

    def __init__(self, kind: str, decide: Decide, metrics: Metrics) -> None:
        self.decide = decide
        self._kind = kind
        self._tally = metrics.tally(kind)

    async def answer(self, body: bytes | bytearray) -> bytes:
        """The answer to the review in ``body``, encoded.

        Raises ``review.ReviewError``, `UnavailableError` and `BrokenError`.
        """
        started = time.perf_counter()
        operation, code = "", 400
        try:
            request = review.decode(body)
            operation = request.operation
            response, encoded = await self._decided(request)
            code = 200 if response.status is None else response.status.code
        except UnavailableError:
            code = 503
            raise
        except BrokenError:
            code = 500
            raise
        finally:
            self._tally.count(operation, code, time.perf_counter() - started)
        if response.status is not None:
            self._log(request, response.status, response.rules)
        return encoded

    async def _decided(self, request: AdmissionRequest) -> tuple[Response, bytes]:
        try:
            try:
                response = await self.decide(request)
            except review.ReviewError as error:
                response = replies.unreadable(request, str(error))
            return response, review.encode(response)
        except UnavailableError:
            raise
        except Exception as error:
            uid = texts.printable(request.uid[:_LONGEST_UID])
            log.error(  # noqa: TRY400 - the text of an exception may quote the object
                "a review met a fault of ours",
                kind=self._kind,
                uid=uid,
                operation=request.operation,
                error=type(error).__name__,
                at=[
                    f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
                    for frame in traceback.extract_tb(error.__traceback__)
                ],
            )
            text = f"the webhook failed at review {uid}; its log says where, please report it"
            raise BrokenError(text) from error

    def _log(self, request: AdmissionRequest, status: ReviewStatus, rules: Sequence[str]) -> None:
        self._tally.refused(rules)
        log.info(
            "refused",
            kind=self._kind,
            operation=request.operation,
            code=status.code,
            user=request.user_info.username,
            message=status.message,
        )
