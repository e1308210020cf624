"""Seed 003 on a live cluster: capacity scheduling's quotas are followed; its user stories are
played.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

import served
from installation import NAMESPACE
from integration_scenes import CAPACITY, IntegrationScene
from scenes import HIGH, LOW, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

GPU = "nvidia.com/gpu"


@pytest.fixture
def scene(integration: Callable[[str], IntegrationScene]) -> IntegrationScene:
    """Ten GPUs."""
    found = integration("capacity-scheduling")
    found.play("1-nodes.yaml")
    return found


def limits(namespace: str, low: int, high: int, name: str = "quota") -> Any:
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"min": {GPU: low}, "max": {GPU: high}},
    }


def space(name: str) -> Any:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def node_of_ten() -> Any:
    """One node, so that free GPUs are free for a pod of any size."""
    offered = {GPU: "10", "cpu": "32", "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "capacity-ten", "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "spec": {"taints": [{"key": "kwok.x-k8s.io/node", "effect": "NoSchedule"}]},
        "status": {"capacity": offered, "allocatable": offered},
    }


def pod(namespace: str, name: str, gpus: int, priority: str = LOW) -> Any:
    amounts = {GPU: str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "priorityClassName": priority,
            "tolerations": [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}],
            "containers": [
                {
                    "name": "main",
                    "image": "example.com/main:1.0",
                    "resources": {"requests": amounts, "limits": amounts},
                }
            ],
        },
    }


def used(scene: IntegrationScene, namespace: str) -> str:
    status = scene.capacity("quota", namespace).get("status") or {}
    return str((status.get("used") or {}).get(GPU, "0"))


def runs(scene: IntegrationScene, wanted: Mapping[str, set[str]]) -> None:
    """Wait until exactly these pods run."""
    eventually(
        lambda: {namespace: scene.names(namespace) for namespace in wanted}, dict(wanted), within=60
    )


def test_seed_003_user_story_1_a_borrows_from_b_and_b_reclaims(scene: IntegrationScene) -> None:
    scene.play("2-quotas.yaml")
    eventually(scene.accepted, {"capacity", "user-a", "user-b"}, within=30)
    assert scene.limits("user-a", GPU) == ("4", "6")
    scene.play("3-within-min.yaml")
    runs(scene, {"user-a": {"a-1", "a-2"}, "user-b": {"b-1"}})
    first, second = scene.documents("4-a-borrows.yaml")
    scene.apply(first)
    scene.apply_later(second)
    runs(scene, {"user-a": {"a-1", "a-2", "a-3"}, "user-b": {"b-1"}})
    assert scene.waiting("user-a") == 1, "figure 3: only 2 of the 3 that it asks for"
    eventually(lambda: (used(scene, "user-a"), used(scene, "user-b")), ("6", "3"))
    scene.play("5-b-asks-3.yaml")
    eventually(partial(scene.names, "user-b"), {"b-1", "b-2"}, within=60)
    eventually(lambda: (used(scene, "user-a"), used(scene, "user-b")), ("4", "6"), within=30)
    scene.play("6-b-asks-1.yaml")
    eventually(partial(scene.waiting, "user-b"), 1)
    assert (used(scene, "user-a"), used(scene, "user-b")) == ("4", "6"), "figure 4: no further"


def test_seed_003_user_story_2_evicts_from_others_within_min_and_from_itself_beyond(
    integration: Callable[[str], IntegrationScene],
) -> None:
    scene = integration("capacity-scheduling")
    scene.apply(node_of_ten(), *map(space, ("s2-a", "s2-b", "s2-c")))
    scene.apply(limits("s2-a", 3, 4), limits("s2-b", 4, 6), limits("s2-c", 3, 4))
    eventually(scene.accepted, {"capacity", "s2-a", "s2-b", "s2-c"}, within=30)
    for name in ("one", "two", "three", "four"):
        scene.apply(pod("s2-a", name, 1))
    for name in ("one", "two", "three"):
        scene.apply(pod("s2-b", name, 1), pod("s2-c", name, 1))
    three = {"one", "two", "three"}
    runs(scene, {"s2-a": {*three, "four"}, "s2-b": three, "s2-c": three})
    scene.apply(pod("s2-b", "four", 1))
    runs(scene, {"s2-b": {*three, "four"}, "s2-c": three})
    eventually(lambda: len(scene.names("s2-a")), 3, within=30)
    # Figures 7 to 9: A uses 2, C uses 3, B uses 5 in two pods and asks for one more.
    scene.admin.delete_all("Pod", "s2-a")
    scene.admin.delete_all("Pod", "s2-b")
    eventually(lambda: (scene.names("s2-a"), scene.names("s2-b")), (set(), set()))
    scene.apply(pod("s2-a", "five", 2), pod("s2-b", "pod-a", 2), pod("s2-b", "pod-b", 3, HIGH))
    runs(scene, {"s2-a": {"five"}, "s2-b": {"pod-a", "pod-b"}, "s2-c": three})
    scene.apply(pod("s2-b", "pod-c", 1, HIGH))
    runs(scene, {"s2-a": {"five"}, "s2-b": {"pod-b", "pod-c"}, "s2-c": three})


@served.since(34)
@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (
            {"min": {GPU: 5}, "max": {GPU: 4}},
            f"spec.min: Invalid value: {GPU}: 5 must be less than or equal to 4, its max; lower "
            "min or raise max",
        ),
        ({"min": {GPU: -1}}, f"spec.min[{GPU}]: Invalid value: -1: must be greater than or equal"),
        ({"max": {GPU: "much"}}, "must be a quantity such as 500m, 2 or 16Gi"),
        ({"max": {GPU: "1e99999999"}}, "must be a quantity such as 500m, 2 or 16Gi"),
    ],
)
def test_seed_003_proposal_the_schema_refuses_min_above_max_and_bad_amounts(
    scene: IntegrationScene, bounds: Any, said: str
) -> None:
    assert said in refused_limits(scene, bounds)


@served.before(34)
@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (
            {"min": {GPU: 5}, "max": {GPU: 4}},
            f"spec.min.{GPU}: 5 must be less than or equal to 4, its max; lower min or raise max",
        ),
        ({"min": {GPU: -1}}, f"spec.min.{GPU} in body should be greater than or equal to 0"),
        ({"min": {GPU: "-1"}}, f"spec.min.{GPU} in body should match"),
        ({"max": {GPU: "much"}}, f"spec.max.{GPU} in body should match"),
        ({"max": {GPU: "1e99999999"}}, f"spec.max.{GPU} in body should match"),
    ],
)
def test_before_1_34_pattern_and_webhook_refuse_what_later_the_schema_refuses(
    scene: IntegrationScene, bounds: Any, said: str
) -> None:
    assert said in refused_limits(scene, bounds)


def refused_limits(scene: IntegrationScene, bounds: Any) -> str:
    """Return the answer to an object with these bounds."""
    scene.apply(space("refused"))
    manifest = limits("refused", 1, 2) | {"spec": bounds}
    with pytest.raises(AssertionError, match="is invalid") as found:
        scene.apply(manifest)
    return str(found.value)


def test_seed_003_proposal_a_second_quota_in_a_namespace_is_refused(
    scene: IntegrationScene,
) -> None:
    """``test_capacity_refusals`` has one that was stored before."""
    scene.apply(space("twice"), limits("twice", 1, 2))
    with pytest.raises(AssertionError, match="one quota counts in a namespace, and twice has quo"):
        scene.apply(limits("twice", 5, 6, name="second"))
    eventually(scene.accepted, {"capacity", "twice"}, within=30)
    assert scene.limits("twice", GPU) == ("1", "2")


def test_seed_003_proposal_an_edit_is_followed_and_so_is_the_end_of_its_namespace(
    scene: IntegrationScene,
) -> None:
    scene.apply(space("brief"), limits("brief", 1, 2))
    eventually(scene.accepted, {"capacity", "brief"}, within=30)
    scene.apply(limits("brief", 2, 3))
    eventually(partial(scene.limits, "brief", GPU), ("2", "3"))
    assert scene.limits("capacity", GPU) == ("2", "2")
    scene.admin.delete("Namespace", "brief")
    eventually(scene.kept, {}, within=60)


def test_a_kept_quota_names_the_object_to_edit_instead(
    scene: IntegrationScene, admin: User
) -> None:
    scene.apply(space("guarded"), limits("guarded", 1, 2))
    eventually(scene.accepted, {"capacity", "guarded"}, within=30)
    change = {"spec": {"max": {GPU: "9"}}}
    for name, whom in (
        ("guarded", "ElasticQuota guarded/quota of scheduling.x-k8s.io"),
        ("capacity", "all ElasticQuotas of scheduling.x-k8s.io"),
    ):
        patch = partial(admin.patch, "ElasticQuota", name, NAMESPACE, change=change)
        found = refusal(patch)
        assert f"keeps this quota in step with {whom}. Edit that instead" in found.message


def test_both_kinds_are_requested_by_their_groups(
    scene: IntegrationScene, kubectl: Callable[..., str]
) -> None:
    scene.apply(space("named"), limits("named", 1, 2))
    eventually(scene.accepted, {"capacity", "named"}, within=30)
    theirs = json.loads(kubectl("get", CAPACITY, "-A", "-o", "json"))["items"]
    assert [found["metadata"]["name"] for found in theirs] == ["quota"]
    ours = kubectl("get", "elasticquotas.scheduling.sigs.k8s.io", "-n", NAMESPACE)
    assert "named" in ours
