"""The resource-hours in the status of a quota, and back.

Totals are texts of whole numbers, in millicore-seconds for cpu and else in units times seconds: a
year of a petabyte is more than a Kubernetes quantity can hold. Reading is total: what is not as we
write it is left out, because a status may be edited.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from elasticquota import resources
from elasticquota.model import moments
from elasticquota.model.resource_hours import MOST_RESOURCES, ResourceHours, Totals
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.quota import wait_estimates


_TOTAL: Final = re.compile(r"[0-9]{1,36}", re.ASCII)
"""The schema allows 40 digits. No count gets near to 36, and an edited one must not grow beyond 40:
the API server would refuse the whole status."""


def document(found: ResourceHours) -> dict[str, Any]:
    """Return ``status.metering``."""
    return {
        "since": moments.text(found.since * 1000),
        "observedTime": moments.text(found.at * 1000),
        "borrowed": resources.text(found.borrowed),
        "lent": resources.text(found.lent),
        "borrowedSeconds": _texts(found.until_then.borrowed),
        "lentSeconds": _texts(found.until_then.lent),
    }


def read(status: Mapping[str, Any]) -> ResourceHours | None:
    """Return the resource-hours in the status of a quota; None if there are no usable ones."""
    written = status.get("metering")
    if not isinstance(written, Mapping):
        return None
    span = wait_estimates.read_span(written)
    if span is None:
        return None
    since, at = span
    return ResourceHours(
        since // 1000,
        at // 1000,
        resources.positive(amounts.stored(written.get("borrowed"))),
        resources.positive(amounts.stored(written.get("lent"))),
        Totals(_read(written.get("borrowedSeconds")), _read(written.get("lentSeconds"))),
    )


def _texts(totals: Resources) -> dict[str, str]:
    return {key: str(total) for key, total in sorted(totals.items())}


def _read(written: object) -> Resources:
    if not isinstance(written, Mapping):
        return {}
    return {
        key: int(text)
        for key, text in list(written.items())[:MOST_RESOURCES]
        if fields.is_name(key) and isinstance(text, str) and _TOTAL.fullmatch(text)
    }
