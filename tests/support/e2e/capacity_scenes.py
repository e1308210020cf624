"""Nodes, quotas and pods in the amounts of scheduler-plugins' own tests of capacity scheduling.

Their amounts are tiny (50 bytes of memory, 10 thousandths of a cpu), so that no other pod of a
cluster matters. Here a node attracts a pod by its host name: a pod that names its node itself
passes by every scheduler, and is not admitted.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from integration_scenes import IntegrationScene
from scenes import HIGH, LOW
from users import Document, User
from waiting import eventually, stays


MID = "tests-mid"
MID_PRIORITY = 500
PRIORITY = {"low": LOW, "mid": MID, "high": HIGH}
_TAINT = "capacity.example.com/node"

ALONE: Final[Document] = {
    "dialects": {"capacity": True},
    "crds": {"dialects": {"capacity": True}},
    "config": {"reclaim": {"graceSeconds": 1, "delaySeconds": 1}},
}
"""Chart values: capacity scheduling is followed alone; reclaim beyond min, if there were any, would
begin after one second.
"""

Running = Mapping[str, set[str]]
"""Names of the pods that run, by namespace."""


@contextmanager
def middle_class(admin: User) -> Iterator[None]:
    """The third priority class of their tests, between those that the cluster has."""
    admin.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": MID},
            "value": MID_PRIORITY,
        }
    )
    yield
    admin.delete("PriorityClass", MID)


def node(name: str, **offered: str) -> Document:
    """A node for these tests only; each resource in the API's spelling."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": [{"key": _TAINT, "effect": "NoSchedule"}]},
        "status": {"capacity": offered, "allocatable": offered},
    }


def quota(namespace: str, low: Any = None, high: Any = None, name: str = "eq") -> Document:
    """A quota of capacity scheduling; a bound that is None is left out."""
    bounds = {"min": low, "max": high}
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {bound: amounts for bound, amounts in bounds.items() if amounts is not None},
    }


def space(name: str) -> Document:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def pod(namespace: str, name: str, priority: str = "mid", on: str = "", **request: str) -> Document:
    """A pod of ``priority`` (low, mid, high), on any node or ``on`` one."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "priorityClassName": PRIORITY[priority],
            "terminationGracePeriodSeconds": 0,
            "tolerations": [{"key": _TAINT, "operator": "Exists"}],
            **({"nodeSelector": {"kubernetes.io/hostname": on}} if on else {}),
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/main:1",
                    "resources": {"requests": request},
                }
            ],
        },
    }


class CapacityScene:
    """One scenario: its namespaces, its quotas, and its pods by namespace and name."""

    def __init__(self, scene: IntegrationScene) -> None:
        self.scene = scene
        self._namespaces: list[str] = []

    def open(self, *quotas: Document, namespaces: tuple[str, ...] = ()) -> None:
        """Make the namespaces and quotas, and wait until the quotas are followed."""
        named = [each["metadata"]["namespace"] for each in quotas]
        self._namespaces = sorted({*named, *namespaces})
        self.scene.apply(*map(space, self._namespaces), *quotas)
        followed = {"capacity", *named} if quotas else set()
        eventually(self.scene.accepted, lambda seen: followed <= seen, within=30)

    def create(self, *pods: Document) -> None:
        for each in pods:
            self.scene.admin.create(each)

    def running(self) -> dict[str, set[str]]:
        return {name: self.scene.names(name) for name in self._namespaces}

    def become(self, wanted: Running) -> None:
        """Wait until exactly these pods run.

        The stock scheduler (1.36) can miss the end of a pod that it preempted. It looks again when
        another pod ends, or after five minutes.
        """
        try:
            eventually(self.running, dict(wanted), within=30)
        except AssertionError:
            self._end_a_pod()
            eventually(self.running, dict(wanted), within=30)

    def _end_a_pod(self) -> None:
        admin, space = self.scene.admin, self._namespaces[0]
        passing = pod(space, "passing", "low")
        passing["spec"]["nodeName"] = admin.list("Pod", space)[0]["spec"]["nodeName"]
        admin.create(passing)
        admin.delete("Pod", "passing", space, grace=0)

    def settle(self, wanted: Running, seconds: float = 3.0) -> None:
        """Wait until exactly these pods run, and see that it stays so."""
        self.become(wanted)
        stays(self.running, dict(wanted), seconds)

    def used(self, namespace: str, name: str = "eq") -> dict[str, str]:
        """What the status of the quota reports, without the number of pods."""
        status = self.scene.capacity(name, namespace).get("status") or {}
        return {key: str(each) for key, each in (status.get("used") or {}).items() if key != "pods"}
