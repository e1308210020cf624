"""QuotaStatus -> the seven annotations in which Koordinator publishes a quota's figures (K 1.3, 6).

For tools that read them there. An annotation is written when it differs, zeros and the writing of
amounts aside, so absent, 0 and {} are the same; what was forged or cannot be read is written over.
Nothing reads them back but the webhook, which goes by ``non-preemptible-used`` to judge a resize.
"""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from elasticquota import names, resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.codec import amounts


def difference(status: QuotaStatus, stored: Mapping[str, str]) -> dict[str, str]:
    """The annotations of ``stored`` that say something else, as they should be."""
    return {
        key: msgspec.json.encode(resources.text(wanted)).decode()
        for key, wanted in _figures(status).items()
        if not _says(stored.get(key, ""), key, wanted)
    }


def _figures(status: QuotaStatus) -> dict[str, Resources]:
    return {
        names.RUNTIME: status.runtime,
        names.REQUEST: status.request,
        names.CHILD_REQUEST: status.child_request,
        names.GUARANTEED: status.guaranteed,
        names.ALLOCATED: status.allocated,
        names.NON_PREEMPTIBLE_REQUEST: status.non_preemptible_request,
        names.NON_PREEMPTIBLE_USED: status.non_preemptible_used,
    }


def _says(written: str, key: str, wanted: Resources) -> bool:
    return _read(written, key) == resources.positive(wanted)


@lru_cache(maxsize=1 << 13)
def _read(written: str, key: str) -> Resources | None:
    """Without zeros; None: cannot be read. What stands there stands there for many rounds."""
    faults: list[str] = []
    found = amounts.read_json(written, key, faults) or EMPTY
    return None if faults else resources.positive(found)
