"""Reads a stored quota with its status, as the verbs show it to who may read no more."""

from collections.abc import Mapping
from typing import Any

import msgspec

from elasticquota import resources
from elasticquota.model.quota import Figures, Quota
from elasticquota.model.reclaim_record import ReclaimHistory
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.quota import quotas, reclaim_records, wait_estimates
from elasticquota_cli.why.parts import report


class PublishedQuota(Struct, frozen=True):
    """A quota with its status; texts are empty, and others None, where it has nothing usable."""

    quota: Quota
    figures: Figures | None
    tree: str
    parent: str
    verdict: report.VerdictRow | None
    pods: report.QuotaPods | None
    estimate: WaitEstimate | None
    """When its waiting pods may start."""
    history: ReclaimHistory
    """What it lost and won by evictions in the last day."""
    min: Resources = field(default_factory=lambda: resources.EMPTY)
    """Its min in force; less than that of the spec where nodes do not back it."""

    @property
    def waiting(self) -> int:
        """How many pods wait in it and below it; 0 where the status does not say."""
        return self.pods.waiting if self.pods else 0


def read(document: Mapping[str, Any]) -> PublishedQuota | None:
    """The quota in a stored document; None if it is not understood."""
    status = fields.mapping(document.get("status"), "status", [])
    try:
        stored = msgspec.convert({**document, "status": status}, quotas.StoredQuota)
    except msgspec.ValidationError:
        return None
    return PublishedQuota(
        quota=quotas.read(stored),
        figures=quotas.figures(stored),
        tree=fields.text(status.get("tree")),
        parent=fields.text(status.get("parent")),
        verdict=_verdict(status.get("conditions")),
        pods=_counts(status.get("pods")),
        estimate=wait_estimates.read_estimate(status),
        history=reclaim_records.read_history(status),
        min=amounts.stored(status.get("min")),
    )


def _verdict(conditions: object) -> report.VerdictRow | None:
    for found in conditions if isinstance(conditions, list) else ():
        if isinstance(found, dict) and found.get("type") == "Accepted":
            accepted = found.get("status") == "True"
            return report.VerdictRow(
                accepted, fields.text(found.get("reason")), fields.text(found.get("message"))
            )
    return None


def _counts(written: object) -> report.QuotaPods | None:
    counts = fields.mapping(written, "pods", [])
    admitted, gated = counts.get("admitted"), counts.get("gated")
    if fields.is_count(admitted) and fields.is_count(gated):
        return report.QuotaPods(admitted, gated)
    return None
