"""The four cases of scheduler-plugins' test of its quota controller: what ``status.used`` says.

``test/integration/elasticquota_controller_test.go``: one node of 300 cpu and 3,000 bytes. There a
pod counts once it is Running; here once it has a node (C19), so the pods of these tests have none
before. There the plugin that limits usage is not switched on; here the quotas limit it.
"""

from collections.abc import Callable, Iterator

import pytest

from capacity_scenes import ALONE, CapacityScene, middle_class, node, pod, quota
from integration_scenes import IntegrationScene
from users import Document, User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

BOUND = {"cpu": "100", "memory": "1000"}
NODE = node("capacity-node", cpu="300", memory="3000", pods="300")


@pytest.fixture(scope="module", autouse=True)
def middle(admin: User) -> Iterator[None]:
    """The priority class of the pods."""
    with middle_class(admin):
        yield


@pytest.fixture(scope="module")
def values() -> Document:
    return ALONE


@pytest.fixture
def scene(integration: Callable[[str], IntegrationScene]) -> CapacityScene:
    """No node yet."""
    return CapacityScene(integration("capacity-scheduling"))


def ten(namespace: str, name: str, memory: int = 10) -> Document:
    return pod(namespace, name, cpu="10", memory=str(memory))


def reports(scene: CapacityScene, namespace: str, cpu: str, memory: str) -> None:
    eventually(lambda: scene.used(namespace), {"cpu": cpu, "memory": memory}, within=30)


def nothing(scene: CapacityScene, namespace: str) -> bool:
    return all(amount == "0" for amount in scene.used(namespace).values())


def four_pods(scene: CapacityScene, first: str, second: str) -> None:
    """Their quotas and pods: 30 cpu and 40 bytes in the first namespace, 10 and 10 in the other."""
    scene.open(quota(first, BOUND, BOUND), quota(second, BOUND, BOUND))
    scene.create(ten(first, "p1", 20), ten(first, "p2"), ten(first, "p3"), ten(second, "p4"))


def test_case_1_pods_that_begin_to_run_are_used(scene: CapacityScene) -> None:
    """The same, except that a pod counts from its node on, not from its first second."""
    first, second = "u1-ns1", "u1-ns2"
    four_pods(scene, first, second)
    stays(lambda: nothing(scene, first) and nothing(scene, second), True)
    scene.scene.apply(NODE)
    reports(scene, first, "30", "40")
    reports(scene, second, "10", "10")


def test_case_2_pods_that_finish_are_used_no_more(scene: CapacityScene, admin: User) -> None:
    """The same, for a pod that succeeded and for one that failed."""
    first, second = "u2-ns1", "u2-ns2"
    scene.scene.apply(NODE)
    four_pods(scene, first, second)
    scene.become({first: {"p1", "p2", "p3"}, second: {"p4"}})
    reports(scene, first, "30", "40")
    for name, phase in (("p1", "Succeeded"), ("p3", "Failed")):
        admin.patch("Pod", name, first, change={"status": {"phase": phase}}, subresource="status")
    reports(scene, first, "10", "10")
    reports(scene, second, "10", "10")


def test_case_3_min_and_max_may_name_different_resources(scene: CapacityScene) -> None:
    """The same: what runs is reported in both resources."""
    scene.scene.apply(NODE)
    scene.open(quota("u3-ns1", {"memory": "1000"}, {"cpu": "100"}))
    scene.create(ten("u3-ns1", "p1", 20))
    reports(scene, "u3-ns1", "10", "20")


def test_case_4_a_quota_without_max_reports_all_that_runs(scene: CapacityScene) -> None:
    """Different before the second quota exists: all together use at most the sum of min (C8).

    Their test does not switch on the plugin, which has the same limit. With the min of a second
    quota to borrow from, the four pods run and are reported as there.
    """
    first, second = "u4-ns1", "u4-ns2"
    scene.scene.apply(NODE)
    scene.open(quota(first, {"cpu": "10", "memory": "10"}))
    scene.create(ten(first, "p2"))
    reports(scene, first, "10", "10")
    scene.create(ten(first, "p1", 20), ten(first, "p3"), ten(first, "p4"))
    scene.settle({first: {"p2"}}, 2)
    scene.open(quota(second, BOUND, BOUND))
    eventually(lambda: scene.scene.names(first), {"p1", "p2", "p3", "p4"}, within=60)
    reports(scene, first, "40", "50")
