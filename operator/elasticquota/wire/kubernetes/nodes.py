"""Node manifest -> Node.

The API server guarantees the shape of a node. A part with another shape counts as absent.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from elasticquota.model import moments
from elasticquota.model.fault import Fault
from elasticquota.model.node import Node, Taint
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta


_MOST_CONDITIONS: Final = 256
_MOST_TAINTS: Final = 256
_REGISTERED: Final = 60_000
"""Milliseconds after its creation in which a node first says that it is not ready. Its condition
keeps the time until the node is ready, so a later time means that it was ready before."""
_INITIALIZED: Final = frozenset(
    {"node.cloudprovider.kubernetes.io/uninitialized", "karpenter.sh/unregistered"}
)
"""Taints of new nodes, which the cloud's controller or Karpenter removes."""
_STARTUP: Final = (
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
)
"""Prefixes of taints by which Cluster Autoscaler takes a node as one that is starting."""
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
    ignored: list[Fault] = []  # a node has no owner to whom a fault could be reported
    allocatable = fields.mapping(status.allocatable, "status.allocatable", ignored)
    conditions = fields.sequence(status.conditions, "status.conditions", ignored, _MOST_CONDITIONS)
    taints = _taints(fields.sequence(spec.taints, "spec.taints", ignored, _MOST_TAINTS))
    ready: Mapping[str, Any] = next((each for each in conditions if _is_ready_condition(each)), {})
    is_ready = ready.get("status") == "True"
    was_ready = is_ready or (bool(ready) and _changed_late(ready, manifest.metadata.created))
    return Node(
        name=manifest.metadata.name,
        created=manifest.metadata.created,
        labels=manifest.metadata.labels or {},
        allocatable=amounts.read_any(allocatable, "status.allocatable", ignored),
        unschedulable=spec.unschedulable is True,
        ready=is_ready,
        joining=not was_ready or any(_is_of_start(taint.key) for taint in taints),
        taints=taints,
    )


def _taints(written: Sequence[Any]) -> tuple[Taint, ...]:
    """Sorted, because the order of taints has no meaning."""
    found = [
        Taint(*(str(each.get(part) or "") for part in ("key", "value", "effect")))
        for each in written
        if isinstance(each, dict)
    ]
    return tuple(sorted(found))


def _is_ready_condition(condition: object) -> bool:
    return isinstance(condition, dict) and condition.get("type") == "Ready"


def _changed_late(condition: Mapping[str, Any], created: str) -> bool:
    """Whether the condition changed after the node had registered; also if it does not say when."""
    changed, began = (
        moments.read(fields.text(condition.get("lastTransitionTime"))),
        moments.read(created),
    )
    return changed is None or began is None or changed - began > _REGISTERED


def _is_of_start(taint: str) -> bool:
    return taint in _INITIALIZED or taint.startswith(_STARTUP)
