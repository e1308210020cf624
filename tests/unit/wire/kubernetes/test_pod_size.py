"""How much a pod asks for, row by row of the upstream rule."""

from typing import Any

import msgspec
import pytest

import pod_sizes
from elasticquota import resources
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import pods


def read(spec: dict[str, Any], status: dict[str, Any] | None = None) -> Pod:
    return pods.read(msgspec.convert({"spec": spec, "status": status or {}}, pods.PodManifest))


def asking(**requests: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "resources": {"requests": requests}}]}


@pytest.mark.parametrize("row", pod_sizes.ROWS, ids=lambda row: row.name)
def test_a_pod_asks_for_what_upstream_says(row: pod_sizes.Row) -> None:
    """Where the versions of Kubernetes differ, for the larger amount of each resource."""
    pod = read(row.spec, row.status)
    sizes = map(resources.parse, (row.size, row.since_37))
    assert resources.text(pod.request) == resources.text({**resources.maximum(*sizes), "pods": 1})
    assert pod.faults == ()


def test_sidecars_that_are_not_resized_add_to_an_init_container_with_a_state() -> None:
    """While a resize is infeasible: what a container has is not taken for nothing."""
    asked = {"requests": {"cpu": "1"}}
    spec = {
        "containers": [],
        "initContainers": [
            {"name": "sidecar", "resources": asked, "restartPolicy": "Always"},
            {"name": "init", "resources": asked},
        ],
    }
    states = [
        {"name": "sidecar", "resources": asked, "allocatedResources": {"cpu": "1"}},
        {"name": "init", "resources": asked, "allocatedResources": {"cpu": "5"}},
    ]
    pending = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    pod = read(spec, {"initContainerStatuses": states, "conditions": [pending]})
    assert pod.request["cpu"] == 6000


def test_the_first_word_on_a_resize_counts() -> None:
    pending = {"type": "PodResizePending", "status": "True"}
    status = {
        "conditions": [pending | {"reason": "Infeasible"}, pending | {"reason": "Deferred"}],
        "containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}],
    }
    assert read(asking(cpu="4"), status).request["cpu"] == 1000


STATES = "containerStatuses"


@pytest.mark.parametrize(
    ("spec", "status", "where"),
    [
        (
            {"initContainers": asking(cpu="x")["containers"]},
            {},
            "initContainers[0].resources.requests.cpu: ",
        ),
        ({"overhead": {"cpu": "x"}}, {}, "overhead.cpu: "),
        ({"resources": {"requests": {"cpu": "x"}}}, {}, "resources.requests.cpu: "),
        ({"resources": {"limits": {"cpu": "x"}}}, {}, "resources.limits.cpu: "),
        (
            asking(cpu="1"),
            {STATES: [{"name": "main", "resources": {"requests": {"cpu": "x"}}}]},
            "containers[0]: status.resources.requests.cpu: ",
        ),
        (
            asking(cpu="1"),
            {STATES: [{"name": "main", "resources": {}, "allocatedResources": {"cpu": "x"}}]},
            "containers[0]: status.allocatedResources.cpu: ",
        ),
    ],
)
def test_a_fault_says_where_it_stands(
    spec: dict[str, Any], status: dict[str, Any], where: str
) -> None:
    (fault,) = map(str, read(spec, status).faults)
    assert fault.startswith(f"spec.{where}")


def test_pods_of_one_shape_share_one_size_and_huge_ones_are_not_remembered() -> None:
    spec = asking(cpu="1", memory="1Gi")
    settled = {"name": "main", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    waiting, running = read(spec), read(spec, {"containerStatuses": [settled]})
    assert waiting.request is running.request
    assert read(asking(cpu="2")).request is not waiting.request
    huge = [read({"containers": spec["containers"] * 40}).request for _ in range(2)]
    assert huge[0] == huge[1]
    assert huge[0] is not huge[1]


def test_a_name_in_the_state_that_is_no_container_changes_nothing() -> None:
    status = {"containerStatuses": [{"name": "gone", "resources": {"requests": {"cpu": "8"}}}]}
    assert read(asking(cpu="1"), status).request["cpu"] == 1000
