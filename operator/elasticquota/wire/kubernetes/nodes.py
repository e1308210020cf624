"""Node manifest -> Node.

The API server guarantees the shape of a node; what does not have it offers nothing.
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
    unschedulable: Any = None
    taints: Any = None


class NodeStatus(msgspec.Struct, gc=False):
    allocatable: Any = None
    conditions: Any = None


class NodeManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: NodeSpec | _NoMap | None = None
    status: NodeStatus | _NoMap | None = None


def read(manifest: NodeManifest) -> Node:
    """The node as reported; an unreadable allocatable entry counts 0."""
    spec = manifest.spec if isinstance(manifest.spec, NodeSpec) else NodeSpec()
    status = manifest.status if isinstance(manifest.status, NodeStatus) else NodeStatus()
    unheard: list[str] = []  # a node has no owner who could be told
    allocatable = fields.mapping(status.allocatable, "status.allocatable", unheard)
    conditions = fields.sequence(status.conditions, "status.conditions", unheard, _MOST_CONDITIONS)
    return Node(
        name=manifest.metadata.name,
        created=manifest.metadata.created,
        labels=manifest.metadata.labels or {},
        allocatable=amounts.read_any(allocatable, "status.allocatable", unheard),
        unschedulable=spec.unschedulable is True,
        ready=any(_says_ready(condition) for condition in conditions),
        taints=_taints(fields.sequence(spec.taints, "spec.taints", unheard, _MOST_TAINTS)),
    )


def _taints(written: Sequence[Any]) -> tuple[Taint, ...]:
    """Sorted: the order in which they were put on says nothing."""
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
