"""A pool whose nodes the simulated autoscaler makes, in a tree as large as it may become."""

import json
from typing import Any, Final

from scenes import Pool, condition
from users import Document, User
from waiting import eventually


CONFIG: Final = "simulated-autoscaler"
GROUP: Final = "kwok-nodegroup"


class AutoscaledPool(Pool):
    """Begins without nodes. One group of nodes at a time: the tests of a file use it in turn."""

    def __init__(self, admin: User, namespace: str) -> None:
        super().__init__(admin, namespace)
        self._capacity: Document = {}

    def open_group(self, most: int, *, unneeded: float = 600.0) -> None:
        """Let the autoscaler make at most so many nodes of 4 cpu, and make the tree."""
        most_of_all = {"cpu": str(most * 4), "memory": f"{most * 16}Gi"}
        self._capacity = {"mode": "Elastic", "max": most_of_all}
        group = {
            "name": self.namespace,
            "max": most,
            "labels": {"pool": self.namespace},
            "allocatable": {"cpu": "4", "memory": "16Gi"},
        }
        self.setting(groups=json.dumps([group]), unneededSeconds=str(unneeded))
        self.open(0)

    def setting(self, **data: str) -> None:
        """Change keys of the autoscaler's ConfigMap."""
        if self.admin.find("ConfigMap", CONFIG, "kube-system") is None:
            self.admin.create(
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": CONFIG, "namespace": "kube-system"},
                }
            )
        self.admin.patch("ConfigMap", CONFIG, "kube-system", change={"data": data})

    def profile_manifest(self, **spec: Any) -> Document:
        found = super().profile_manifest(**spec)
        found["spec"]["capacity"] = self._capacity
        return found

    def has_no_machines(self) -> None:
        """The autoscaler cannot make nodes from now on."""
        self.setting(stockOut=self.namespace)

    def has_machines(self) -> None:
        self.setting(stockOut="")

    def close(self) -> None:
        """Delete the pods, then the group, then its nodes."""
        super().close()
        if self.admin.find("ConfigMap", CONFIG, "kube-system"):
            self.admin.delete("ConfigMap", CONFIG, "kube-system")
        for name in self.nodes():
            if self.admin.find("Node", name):
                self.admin.delete("Node", name)

    def unschedulable(self, quota: str | None = None) -> set[str]:
        """Names of the pods that the scheduler refuses, which an autoscaler sees."""
        return self._pods(
            quota, lambda pod: condition(pod, "PodScheduled")["reason"] == "Unschedulable"
        )

    def triggers(self) -> set[str]:
        """Names of the pods for which nodes were made."""
        found = self.admin.list("Event", self.namespace, fieldSelector="reason=TriggeredScaleUp")
        return {event["involvedObject"]["name"] for event in found}

    def await_nodes(self, count: int) -> set[str]:
        """Wait until there are so many nodes, and return their names."""
        return eventually(self.nodes, lambda found: len(found) == count, within=30)
