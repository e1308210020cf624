"""Queues of ACK on a live cluster: one for each leaf, served in the order that its users chose."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import workloads
from installation import NAMESPACE
from integration_scenes import IntegrationScene
from scenes import HIGH, Pool
from users import RefusedError
from waiting import eventually


pytestmark = pytest.mark.cluster

HOME = "kube-queue"
LEAVES = {"root-algorithm-text", "root-algorithm-video", "root-devops", "root-infrastructure-test"}
SOURCE = "elasticquota.dev/source"


@pytest.fixture
def scene(integration: Callable[[str], IntegrationScene]) -> IntegrationScene:
    """The tree of the documentation, followed."""
    found = integration("ack")
    found.play("1-nodes.yaml", "2-tree.yaml")
    eventually(partial(queues, found), LEAVES, within=30)
    return found


def queues(scene: IntegrationScene) -> set[str]:
    return {queue["metadata"]["name"] for queue in scene.admin.list("Queue", HOME)}


def job(name: str, namespace: str, cpus: int, priority: str | None = None) -> Any:
    """A suspended Job of one pod."""
    pod = {
        "restartPolicy": "Never",
        "tolerations": [{"operator": "Exists"}],
        "containers": [
            {
                "name": "main",
                "image": "registry.example/main:1",
                "resources": {"requests": {"cpu": str(cpus)}},
            }
        ],
        **({"priorityClassName": priority} if priority else {}),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"suspend": True, "template": {"spec": pod}},
    }


def held(scene: IntegrationScene, namespace: str) -> dict[str, bool]:
    """By name, whether the Job is suspended."""
    return {
        each["metadata"]["name"]: each["spec"]["suspend"]
        for each in scene.admin.list("Job", namespace)
    }


def line(scene: IntegrationScene, name: str) -> list[tuple[str, int]]:
    status = scene.admin.get("Queue", name, HOME).get("status") or {}
    (listed,) = status.get("queueItemDetails", {name: []}).values()
    return [(each["name"], each["position"]) for each in listed]


def worked_off(scene: IntegrationScene, name: str, policy: str) -> None:
    change = {"spec": {"queuePolicy": policy}}
    scene.admin.patch("Queue", name, HOME, change=change)


def test_seed_002_queue_association_each_leaf_has_a_queue_of_its_name(
    scene: IntegrationScene,
) -> None:
    text = scene.admin.get("Queue", "root-algorithm-text", HOME)
    assert text["metadata"]["annotations"][SOURCE] == "ack:root/algorithm/text"
    assert text["spec"]["queuePolicy"] == "Priority"
    worked_off(scene, "root-devops", "FIFO")
    scene.delete(
        {
            "kind": "ElasticQuotaTree",
            "apiVersion": "scheduling.sigs.k8s.io/v1beta1",
            "metadata": {"name": "elasticquotatree", "namespace": "kube-system"},
        }
    )
    eventually(partial(queues, scene), set(), within=60)


def test_seed_002_in_a_queue_that_blocks_no_job_passes_the_first(scene: IntegrationScene) -> None:
    worked_off(scene, "root-algorithm-video", "Block")
    quota = partial(scene.admin.get, "ElasticQuota", "root-algorithm-video", NAMESPACE)
    eventually(lambda: quota()["spec"].get("queue"), {"policy": "Strict"})
    scene.apply(job("large", "video", 10))
    eventually(lambda: held(scene, "video"), {"large": False})
    scene.apply(job("larger", "video", 12))
    eventually(lambda: line(scene, "root-algorithm-video"), [("larger", 1)])
    scene.apply_later(job("small", "video", 1))
    eventually(lambda: line(scene, "root-algorithm-video"), [("larger", 1), ("small", 2)])
    assert held(scene, "video") == {"large": False, "larger": True, "small": True}
    worked_off(scene, "root-algorithm-video", "Priority")
    eventually(lambda: held(scene, "video"), {"large": False, "larger": True, "small": False})
    scene.admin.delete_all("Job", "video")


def test_a_queue_by_age_ignores_priorities(scene: IntegrationScene) -> None:
    worked_off(scene, "root-algorithm-video", "FIFO")
    scene.apply(job("first", "video", 14, priority=HIGH))
    eventually(lambda: held(scene, "video"), {"first": False})
    scene.apply(job("second", "video", 14))
    scene.apply_later(job("urgent", "video", 14, priority=HIGH))
    eventually(lambda: line(scene, "root-algorithm-video"), [("second", 1), ("urgent", 2)])
    scene.delete(job("first", "video", 14))
    eventually(lambda: held(scene, "video"), {"second": False, "urgent": True}, within=30)
    eventually(lambda: line(scene, "root-algorithm-video"), [("urgent", 1)])
    worked_off(scene, "root-algorithm-video", "Priority")
    taken_over = {"second": True, "urgent": False}
    eventually(lambda: held(scene, "video"), taken_over, within=30)
    scene.admin.delete_all("Job", "video")


def test_q19_the_priority_of_a_unit_may_be_changed_while_it_waits_and_counts(pool: Pool) -> None:
    pool.quota("team", min=0, max=4)
    for name, pods in (("first", 4), ("second", 3), ("third", 3)):
        workloads.job(pool, "team", name, pods, job={"suspend": True})
        if name == "first":
            eventually(lambda: len(pool.running("team")), 4)

    def unit(name: str) -> Any:
        return pool.admin.get("QueueUnit", f"{name}-job-qu", pool.namespace)

    def place(name: str) -> int:
        return int(unit(name)["status"]["position"])

    def suspended(name: str) -> bool:
        return bool(pool.admin.get("Job", name, pool.namespace)["spec"]["suspend"])

    eventually(lambda: sorted((place("second"), place("third"))), [1, 2])
    later = "third" if place("second") == 1 else "second"
    change, lower = ({"spec": {"priority": priority}} for priority in (7, -7))
    pool.admin.patch("QueueUnit", f"{later}-job-qu", pool.namespace, change=change)
    taken_over = {"first": True, later: False}
    eventually(lambda: {name: suspended(name) for name in taken_over}, taken_over, within=30)
    eventually(lambda: unit(later)["status"]["phase"], "Running")
    with pytest.raises(RefusedError, match="only while the unit is Enqueued"):
        pool.admin.patch("QueueUnit", f"{later}-job-qu", pool.namespace, change=lower)
    pool.admin.delete_all("Job", pool.namespace)
