"""What the nodes of a tree offer, as the annotations of its root quota (K 1.3)."""

import json
from collections.abc import Mapping

from elasticquota import names, resources
from elasticquota.resources import Resources


def annotations(total: Resources, unschedulable: Resources) -> Mapping[str, str]:
    """Return both annotations; ``unschedulable`` is the part on nodes that take no new pods."""
    return {
        names.TOTAL_RESOURCE: _json(total),
        names.UNSCHEDULABLE_RESOURCE: _json(unschedulable),
    }


def _json(amounts: Resources) -> str:
    return json.dumps(resources.text(amounts), sort_keys=True, separators=(",", ":"))
