"""How much a pod asks for, row by row of the upstream rule."""

from typing import Any

import msgspec
import pytest

from elasticquota.wire import pods


GI = 1024**3


def asks(cpu: str | None = None, memory: str | None = None) -> dict[str, Any]:
    given = {"cpu": cpu, "memory": memory}
    return {"requests": {key: value for key, value in given.items() if value is not None}}


def container(name: str, **resources: Any) -> dict[str, Any]:
    return {"name": name, "resources": asks(**resources)}


def sidecar(name: str, **resources: Any) -> dict[str, Any]:
    return {**container(name, **resources), "restartPolicy": "Always"}


def size(spec: dict[str, Any], status: dict[str, Any] | None = None) -> dict[str, int]:
    manifest = msgspec.convert({"spec": spec, "status": status or {}}, pods.PodManifest)
    return dict(pods.read(manifest).request)


ROWS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, int]]] = [
    # Running containers.
    ("nothing asked", {"containers": [{"name": "a"}]}, {}, {}),
    ("one container", {"containers": [container("a", cpu="500m")]}, {}, {"cpu": 500}),
    (
        "containers add up",
        {"containers": [container("a", cpu="1", memory="1Gi"), container("b", cpu="250m")]},
        {},
        {"cpu": 1250, "memory": GI},
    ),
    # Init containers run one at a time.
    (
        "a large init container decides",
        {"containers": [container("a", cpu="1")], "initContainers": [container("i", cpu="3")]},
        {},
        {"cpu": 3000},
    ),
    (
        "init containers do not add up",
        {
            "containers": [container("a", cpu="1")],
            "initContainers": [container("i", cpu="2"), container("j", cpu="2")],
        },
        {},
        {"cpu": 2000},
    ),
    (
        "each resource for itself",
        {
            "containers": [container("a", cpu="1", memory="2Gi")],
            "initContainers": [container("i", cpu="2", memory="1Gi")],
        },
        {},
        {"cpu": 2000, "memory": 2 * GI},
    ),
    # Sidecars run beside everything that starts after them.
    (
        "a sidecar adds to the running containers",
        {"containers": [container("a", cpu="1")], "initContainers": [sidecar("s", cpu="500m")]},
        {},
        {"cpu": 1500},
    ),
    (
        "a sidecar adds to later init containers",
        {
            "containers": [container("a", cpu="1")],
            "initContainers": [sidecar("s", cpu="1"), container("i", cpu="3")],
        },
        {},
        {"cpu": 4000},
    ),
    (
        "a sidecar does not add to earlier init containers",
        {
            "containers": [container("a", cpu="1")],
            "initContainers": [container("i", cpu="3"), sidecar("s", cpu="1")],
        },
        {},
        {"cpu": 3000},
    ),
    # Pod-level requests and overhead.
    (
        "pod-level requests replace the sum",
        {"containers": [container("a", cpu="1", memory="1Gi")], "resources": asks(cpu="4")},
        {},
        {"cpu": 4000, "memory": GI},
    ),
    (
        "overhead is added last",
        {
            "containers": [container("a", cpu="1")],
            "resources": asks(cpu="2"),
            "overhead": {"cpu": "100m"},
        },
        {},
        {"cpu": 2100},
    ),
    # A container that is being resized.
    (
        "growing counts what is asked",
        {"containers": [container("a", cpu="4")]},
        {"containerStatuses": [{"name": "a", "resources": asks(cpu="1")}]},
        {"cpu": 4000},
    ),
    (
        "shrinking counts what is held",
        {"containers": [container("a", cpu="1")]},
        {
            "containerStatuses": [
                {"name": "a", "resources": asks(cpu="3"), "allocatedResources": {"cpu": "2"}}
            ]
        },
        {"cpu": 3000},
    ),
    (
        "an infeasible resize counts what is held",
        {"containers": [container("a", cpu="400")]},
        {
            "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}],
            "containerStatuses": [
                {"name": "a", "resources": asks(cpu="1"), "allocatedResources": {"cpu": "2"}}
            ],
        },
        {"cpu": 2000},
    ),
]


@pytest.mark.parametrize(
    ("spec", "status", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_the_size_of_a_pod(
    spec: dict[str, Any], status: dict[str, Any], expected: dict[str, int]
) -> None:
    assert size(spec, status) == {**expected, "pods": 1}


def test_an_unreadable_request_counts_nothing_and_is_named() -> None:
    spec = {"containers": [container("a", cpu="1e99999999", memory="1Gi")]}
    pod = pods.read(msgspec.convert({"spec": spec}, pods.PodManifest))
    assert pod.request == {"memory": GI, "pods": 1}
    (fault,) = pod.faults
    assert fault.startswith("spec.containers[0].resources.requests.cpu: ")
