"""Node manifest -> Node.

The API server guarantees the shape of a node. A part with another shape counts as absent.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from elasticquota.model.node import Node, Taint
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta


_MOST_CONDITIONS: Final = 256
_MOST_TAINTS: Final = 256
_NoMap = str | int | float | bool | list[Any]


class NodeSpec(msgspec.Struct, gc=False):
    """The part of a node's spec that is read."""

    unschedulable: Any = None
    taints: Any = None


class NodeStatus(msgspec.Struct, gc=False):
    """The part of a node's status that is read."""

    allocatable: Any = None
    conditions: Any = None


class NodeManifest(msgspec.Struct, gc=False):
    """The part of a Node that is read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: NodeSpec | _NoMap | None = None
    status: NodeStatus | _NoMap | None = None


def read(manifest: NodeManifest) -> Node:
    """Return the node as reported; an unreadable allocatable entry counts as 0."""
    spec = manifest.spec if isinstance(manifest.spec, NodeSpec) else NodeSpec()
    status = manifest.status if isinstance(manifest.status, NodeStatus) else NodeStatus()
    ignored: list[str] = []  # a node has no owner to whom a fault could be reported
    allocatable = fields.mapping(status.allocatable, "status.allocatable", ignored)
    conditions = fields.sequence(status.conditions, "status.conditions", ignored, _MOST_CONDITIONS)
    return Node(
        name=manifest.metadata.name,
        created=manifest.metadata.created,
        labels=manifest.metadata.labels or {},
        allocatable=amounts.read_any(allocatable, "status.allocatable", ignored),
        unschedulable=spec.unschedulable is True,
        ready=any(_says_ready(condition) for condition in conditions),
        taints=_taints(fields.sequence(spec.taints, "spec.taints", ignored, _MOST_TAINTS)),
    )


def _taints(written: Sequence[Any]) -> tuple[Taint, ...]:
    """Sorted, because the order of taints has no meaning."""
    found = [
        Taint(*(str(each.get(part) or "") for part in ("key", "value", "effect")))
        for each in written
        if isinstance(each, dict)
    ]
    return tuple(sorted(found))


def _says_ready(condition: object) -> bool:
    return (
        isinstance(condition, dict)
        and condition.get("type") == "Ready"
        and condition.get("status") == "True"
    )
