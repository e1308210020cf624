"""What a tree offers, as the annotations of its root quota (K 1.3)."""

import json
from collections.abc import Mapping
from typing import Any

from elasticquota import names, resources
from elasticquota.model.capacity_mode import SCALE_UP_TIMEOUT, CapacityMode
from elasticquota.resources import Resources


def annotations(total: Resources, unschedulable: Resources) -> Mapping[str, str]:
    """Return both annotations; ``unschedulable`` is the part on nodes that take no new pods."""
    return {
        names.TOTAL_RESOURCE: one(total),
        names.UNSCHEDULABLE_RESOURCE: one(unschedulable),
    }


def mode(found: CapacityMode) -> str:
    """Return a capacity mode as the annotation that means it, in one form (``wire`` reads it)."""
    written: dict[str, Any] = {"mode": found.mode}
    if found.mode == "Declared":
        written["total"] = resources.text(found.total)
    if found.elastic:
        written["max"] = resources.text(found.max)
        if found.largest_node is not None:
            written["largestNode"] = resources.text(found.largest_node)
        if found.scale_up_timeout != SCALE_UP_TIMEOUT:
            seconds, rest = divmod(found.scale_up_timeout, 1000)
            written["scaleUpTimeout"] = f"{found.scale_up_timeout}ms" if rest else f"{seconds}s"
    return json.dumps(written, separators=(",", ":"))


def one(amounts: Resources) -> str:
    """Return the value of one such annotation."""
    return json.dumps(resources.text(amounts), sort_keys=True, separators=(",", ":"))
