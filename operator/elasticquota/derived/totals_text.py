"""What a tree offers, as the annotations of its root quota (K 1.3)."""

import json
from collections.abc import Mapping

from elasticquota import names, resources
from elasticquota.resources import Resources


def annotations(total: Resources, unschedulable: Resources) -> Mapping[str, str]:
    """Return both annotations; ``unschedulable`` is the part on nodes that take no new pods."""
    return {
        names.TOTAL_RESOURCE: one(total),
        names.UNSCHEDULABLE_RESOURCE: one(unschedulable),
    }


def one(amounts: Resources) -> str:
    """Return the value of one such annotation."""
    return json.dumps(resources.text(amounts), sort_keys=True, separators=(",", ":"))
