"""One event object for what is reported again: its series counts, and its note is the newest.

A repeated event is patched, not created again: ``kubectl describe`` shows it on one line as ``2s
(x7 over 6h)``, and the patch prolongs its life, which the API server ends after an hour
(``--event-ttl``). The name of the object follows from what the event is about, so a restarted
controller and the next leader continue the series.

The patch goes to the core API: that of ``events.k8s.io`` lets no note change.
"""

import hashlib
from datetime import UTC, datetime
from typing import Any, Final

from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.paths import CORE_EVENTS, EVENTS


_LEAST: Final = 2
"""The count of a series that was reported once before, by the API's rule."""
_NAME: Final = 253  # the API's limit
_HASH: Final = 16


def name(about: str, *identity: str) -> str:
    """The name of the event about the object of name ``about``; ``identity`` tells it from others.

    A name that was cut may end in characters that are not allowed at the end.
    """
    text = "\0".join(identity).encode(errors="replace")
    digest = hashlib.sha256(text).hexdigest()[:_HASH]
    return f"{about[: _NAME - _HASH - 1].rstrip('-.')}.{digest}"


def now() -> str:
    """The time as the API writes it, to the microsecond."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def write(api: Api, event: Document, count: int) -> int:
    """Create the event, or continue its series; return how often it was reported.

    ``count`` is how often it was reported before; 0: it is not known to be stored. Raises
    `ApiError`.
    """
    if count:
        try:
            return await _continue(api, event, {"count": max(_LEAST, count + 1)})
        except ApiError as error:
            if not error.is_not_found:
                raise  # else it expired
    try:
        await api.create(EVENTS, event["metadata"]["namespace"], event)
    except ApiError as error:
        if not error.is_conflict:
            raise
    else:
        return 1
    # A process before this one created it, or the answer to the first try was lost.
    reported = await _continue(api, event, {})
    return reported if reported >= _LEAST else await _continue(api, event, {"count": _LEAST})


async def _continue(api: Api, event: Document, series: dict[str, Any]) -> int:
    meta = event["metadata"]
    change = {"message": event["note"], "series": {**series, "lastObservedTime": now()}}
    stored = await api.patch(CORE_EVENTS, meta["namespace"], meta["name"], change)
    return int((stored.get("series") or {}).get("count") or 0)
