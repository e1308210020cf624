"""The fields that our definitions have; a test compares them with ``crds/``.

The API server drops every other field. So a definition of another version, or of another project,
lets only a part of what is written be seen.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota import names


FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    names.QUOTA_KIND: (
        "spec.min",
        "spec.max",
        "spec.pools",
        "spec.parent",
        "spec.isParent",
        "spec.lends",
        "spec.namespaces",
        "spec.weight",
        "spec.access",
        "spec.queue",
        "spec.reclaim",
        "spec.limits",
        "spec.nodeSelector",
        "spec.tree",
        "spec.paused",
        "status.observedGeneration",
        "status.tree",
        "status.parent",
        "status.request",
        "status.used",
        "status.admitted",
        "status.runtime",
        "status.min",
        "status.pods",
        "status.summary",
        "status.history",
        "status.hours",
        "status.turnover",
        "status.metering",
        "status.waitEstimate",
        "status.conditions",
    ),
    names.PROFILE_KIND: (
        "spec.enforcement",
        "spec.guaranteeUsage",
        "spec.capacity",
        "spec.pools",
        "spec.poolResources",
        "spec.quotaName",
        "spec.nodeSelector",
        "spec.quotaLabels",
        "spec.resourceRatio",
        "spec.resourceKeys",
        "spec.provisioning",
        "status.observedGeneration",
        "status.tree",
        "status.nodes",
        "status.capacity",
        "status.conditions",
    ),
}
"""By kind."""
