"""A node as its manifest says: ready, or joining and not ready for the first time yet."""

from typing import Any

import msgspec
import pytest

from elasticquota.model.node import Node
from elasticquota.wire.kubernetes import nodes


CREATED = "2026-11-26T10:00:00Z"
SOON = "2026-11-26T10:00:03Z"
LATER = "2026-11-26T10:05:00Z"


def read(ready: str | None, since: Any = SOON, taints: tuple[str, ...] = ()) -> Node:
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": since}
    manifest = {
        "metadata": {"name": "n", "creationTimestamp": CREATED},
        "spec": {"taints": [{"key": key, "effect": "NoSchedule"} for key in taints]},
        "status": {"conditions": [] if ready is None else [condition]},
    }
    return nodes.read(msgspec.convert(manifest, nodes.NodeManifest))


AT_START = (
    "node.cloudprovider.kubernetes.io/uninitialized",
    "karpenter.sh/unregistered",
    "startup-taint.cluster-autoscaler.kubernetes.io/network",
    "ignore-taint.cluster-autoscaler.kubernetes.io/network",
)


@pytest.mark.parametrize(
    ("ready", "since", "taints", "joining"),
    [
        *(pytest.param(r, SOON, (), True, id=f"{r}: never") for r in (None, "False", "Unknown")),
        *(pytest.param(r, LATER, (), False, id=f"{r}: it was") for r in ("False", "Unknown")),
        *(pytest.param("False", s, (), False, id=f"since {s}") for s in (None, "", "yesterday", 7)),
        pytest.param("True", SOON, (), False, id="ready"),
        *(pytest.param("True", SOON, (taint,), True, id=taint) for taint in AT_START),
        pytest.param("True", SOON, ("nvidia.com/gpu",), False, id="a taint that stays"),
    ],
)
def test_a_node_is_joining_until_it_was_ready_once_and_is_initialized(
    ready: str | None, since: Any, taints: tuple[str, ...], joining: bool
) -> None:
    """A condition that changed long after the creation means that it was ready before."""
    found = read(ready, since, taints)
    assert (found.ready, found.joining) == (ready == "True", joining)
