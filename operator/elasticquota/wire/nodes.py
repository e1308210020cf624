"""Node manifest -> Node."""

import msgspec

from elasticquota.model.node import Node
from elasticquota.wire import amounts
from elasticquota.wire.metadata import ObjectMeta


class NodeSpec(msgspec.Struct, gc=False):
    unschedulable: bool | None = None


class NodeCondition(msgspec.Struct, gc=False):
    type: str = ""
    status: str = ""


class NodeStatus(msgspec.Struct, gc=False):
    allocatable: amounts.Written | None = None
    conditions: list[NodeCondition] | None = None


class NodeManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: NodeSpec | None = None
    status: NodeStatus | None = None


def read(manifest: NodeManifest) -> Node:
    """The node as reported; an unreadable allocatable entry counts 0."""
    status = manifest.status or NodeStatus()
    ready = any(
        condition.type == "Ready" and condition.status == "True"
        for condition in status.conditions or []
    )
    return Node(
        name=manifest.metadata.name,
        created=manifest.metadata.created,
        labels=manifest.metadata.labels or {},
        allocatable=amounts.read(status.allocatable, "status.allocatable", []),
        unschedulable=bool(manifest.spec and manifest.spec.unschedulable),
        ready=ready,
    )
