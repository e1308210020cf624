"""QuotaStatus -> the seven annotations in which Koordinator publishes a quota's figures (K 1.3, 6).

They are for tools that read them there. An annotation is written when its amounts differ; zeros and
notation do not matter, so absent, 0 and {} are equal. Forged and unreadable values are overwritten.
Only the webhook reads one of them: ``non-preemptible-used``, to check the resize of a pod.
"""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from elasticquota import names, resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.fault import Fault
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.codec import amounts


def difference(status: QuotaStatus, stored: Mapping[str, str]) -> dict[str, str]:
    """Return the correct values of the annotations whose amounts differ in ``stored``."""
    return {
        key: msgspec.json.encode(resources.text(wanted)).decode()
        for key, wanted in _figures(status).items()
        if _read(stored.get(key, ""), key) != resources.positive(wanted)
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


@lru_cache(maxsize=1 << 13)
def _read(written: str, key: str) -> Resources | None:
    """Without zeros; None if unreadable. Cached, because a value stays for many cycles."""
    faults: list[Fault] = []
    found = amounts.read_json(written, key, faults) or EMPTY
    return None if faults else resources.positive(found)
