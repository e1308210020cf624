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


@pytest.mark.parametrize("ready", [None, "False", "Unknown"])
def test_a_node_that_was_never_ready_is_joining(ready: str | None) -> None:
    found = read(ready)
    assert (found.ready, found.joining) == (False, True)


@pytest.mark.parametrize("ready", ["False", "Unknown"])
def test_a_node_that_was_ready_is_not_joining_again(ready: str) -> None:
    """Its condition changed after it was created."""
    found = read(ready, LATER)
    assert (found.ready, found.joining) == (False, False)


@pytest.mark.parametrize("since", [None, "", "yesterday", 7])
def test_a_node_that_does_not_say_since_when_is_not_joining(since: Any) -> None:
    assert not read("False", since).joining


def test_a_ready_node_is_not_joining() -> None:
    assert not read("True").joining


@pytest.mark.parametrize(
    "taint",
    [
        "node.cloudprovider.kubernetes.io/uninitialized",
        "karpenter.sh/unregistered",
        "startup-taint.cluster-autoscaler.kubernetes.io/network",
        "ignore-taint.cluster-autoscaler.kubernetes.io/network",
    ],
)
def test_a_ready_node_that_is_being_initialized_is_joining(taint: str) -> None:
    found = read("True", taints=(taint,))
    assert (found.ready, found.joining) == (True, True)


def test_a_taint_that_stays_is_no_sign_of_joining() -> None:
    assert not read("True", taints=("nvidia.com/gpu",)).joining
