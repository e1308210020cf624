"""What ``import`` prints for Kueue, HNC, Volcano and KAI Scheduler, on a live cluster.

The manifests of each example are applied unchanged. Then pods start and wait as the objects of the
other system say.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
import yaml

import command_line
from installation import Kubectl
from scenes import condition
from users import User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long]

EXAMPLES = Path(__file__).parents[2] / "examples" / "import"
GPU = "nvidia.com/gpu"
QUOTA = "quota.scheduling.koordinator.sh/name"
NODE = "import-others"


class Imported:
    """A node of the default tree, and the quotas of one example."""

    def __init__(self, admin: User, kubectl: Kubectl) -> None:
        self._admin = admin
        self._kubectl = kubectl
        self._printed = ""
        self._spaces: list[str] = []

    def open(self, system: str, *spaces: str, **offered: str) -> None:
        """Apply what is printed for the example, and wait until each quota is accepted."""
        resources = {
            "pods": "110",
            **{key.replace("gpu", GPU): each for key, each in offered.items()},
        }
        self._admin.create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": NODE, "annotations": {"kwok.x-k8s.io/node": "fake"}},
                "spec": {"taints": [{"key": "kwok.x-k8s.io/node", "effect": "NoSchedule"}]},
                "status": {"capacity": resources, "allocatable": resources},
            }
        )
        for name in spaces:
            # Another test may have deleted it a moment ago.
            eventually(partial(self._admin.find, "Namespace", name), None, within=60)
            self._admin.create(
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            )
            self._spaces.append(name)
        self._printed = command_line.printed(
            "import", system, "-f", str(EXAMPLES / f"{system}.yaml")
        )
        self._kubectl("apply", "-f", "-", stdin=self._printed)
        for quota in yaml.safe_load_all(self._printed):
            eventually(partial(self._accepted, quota["metadata"]["name"]), "True", within=30)

    def close(self) -> None:
        for name in self._spaces:
            self.remove(name)
            self._admin.delete("Namespace", name)
        documents = list(yaml.safe_load_all(self._printed))
        backwards = yaml.safe_dump_all(reversed(documents))
        self._kubectl("delete", "--ignore-not-found", "-f", "-", stdin=backwards)
        self._admin.delete("Node", NODE)

    def pods(
        self,
        namespace: str,
        count: int,
        requests: Mapping[str, str],
        prefix: str = "p",
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """Create pods."""
        for number in range(count):
            container = {
                "name": "main",
                "image": "example.com/main:1.0",
                "resources": {"requests": dict(requests), "limits": dict(requests)},
            }
            metadata = {"name": f"{prefix}-{number}", "namespace": namespace}
            self._admin.create(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {**metadata, "labels": dict(labels or {})},
                    "spec": {
                        "tolerations": [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}],
                        "containers": [container],
                    },
                }
            )

    def remove(self, namespace: str) -> None:
        """Delete all pods of a namespace."""
        eventually(partial(self._admin.delete_all, "Pod", namespace), None, within=60)

    def started(self, namespace: str, prefix: str = "p") -> int:
        """How many of the pods are on the node."""
        return sum(
            pod["spec"].get("nodeName") == NODE
            for pod in self._admin.list("Pod", namespace)
            if pod["metadata"]["name"].startswith(f"{prefix}-")
        )

    def _accepted(self, name: str) -> str:
        return str(
            condition(self._admin.get("ElasticQuota", name, "kube-system"), "Accepted")["status"]
        )


@pytest.fixture
def imported(admission: None, admin: User, kubectl: Kubectl) -> Iterator[Imported]:
    found = Imported(admin, kubectl)
    yield found
    found.close()


def starts(imported: Imported, namespace: str, count: int, prefix: str = "p") -> None:
    """So many pods start, and no more."""
    eventually(partial(imported.started, namespace, prefix), count, within=30)
    stays(partial(imported.started, namespace, prefix), count)


def test_kueue_a_queue_borrows_up_to_its_limit_and_what_is_not_lent_stays_free(
    imported: Imported,
) -> None:
    imported.open("kueue", "team-a", "team-b", "students", cpu="20", memory="80Gi", gpu="4")
    imported.pods("team-a", 20, {"cpu": "1", "memory": "1Gi"})
    starts(imported, "team-a", 18)  # all that the cohort has, without the 2 that are not lent
    imported.pods("students", 2, {"cpu": "1", "memory": "1Gi"})
    starts(imported, "students", 2)  # lendingLimit 0: they were free
    imported.remove("team-a")
    imported.pods("team-b", 13, {"cpu": "1", "memory": "1Gi"})
    starts(imported, "team-b", 12)  # nominalQuota 8 and borrowingLimit 4
    imported.pods("team-a", 1, {GPU: "1"}, "gpu")
    imported.pods("team-b", 1, {GPU: "1"}, "gpu")
    starts(imported, "team-b", 1, "gpu")
    starts(imported, "team-a", 0, "gpu")  # its ClusterQueue covers no GPUs


def test_hnc_a_limit_holds_for_all_namespaces_below_together(imported: Imported) -> None:
    imported.open("hnc", "department", "team-one", "team-two", cpu="32", memory="128Gi")
    imported.pods("team-one", 5, {"cpu": "1"})
    starts(imported, "team-one", 4)  # its own limit
    imported.pods("department", 3, {"cpu": "1"})
    starts(imported, "department", 3)
    imported.pods("team-two", 6, {"cpu": "1"})
    starts(imported, "team-two", 5)  # 12 for the department without 4 and 3


def test_volcano_a_queue_stays_within_its_capability_and_a_guarantee_is_not_lent(
    imported: Imported,
) -> None:
    imported.open("volcano", "training", "serving", cpu="16", memory="64Gi")
    imported.pods("training", 13, {"cpu": "1", "memory": "1Gi"})
    starts(imported, "training", 12)  # capability 12
    imported.pods("serving", 4, {"cpu": "1", "memory": "1Gi"})
    starts(imported, "serving", 4)  # guarantee 4
    imported.pods("serving", 4, {"cpu": "1", "memory": "1Gi"}, "r", {QUOTA: "research"})
    eventually(partial(imported.started, "serving", "r"), 4, within=90)  # deserved 4, reclaimed


def test_kai_a_queue_gets_its_quota_back_from_one_that_is_over_its_own(imported: Imported) -> None:
    imported.open("kai", "projects", cpu="32", memory="128G", gpu="8")
    imported.pods("projects", 9, {GPU: "1"}, "v", {QUOTA: "vision"})
    starts(imported, "projects", 8, "v")  # limit 8
    imported.pods("projects", 3, {GPU: "1"}, "l", {QUOTA: "language"})
    eventually(partial(imported.started, "projects", "l"), 2, within=90)  # quota 2
    eventually(partial(imported.started, "projects", "v"), 6, within=90)  # quota 6
