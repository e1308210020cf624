"""``examples/autoscaled``: two teams on a pool that begins without a node and may grow to 20."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

import audit
from installation import Kubectl
from local_cluster import cluster as local
from scenes import GATE, condition, gates
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

EXAMPLE = Path(__file__).parents[3] / "examples" / "autoscaled"
PAGE = " ".join((EXAMPLE / "README.md").read_text(encoding="utf-8").split())
SPACES = ("research", "serving", "burst-system")


class Example:
    """The objects of the example, as its reader sees them."""

    def __init__(self, cluster: local.Cluster, admin: User, kubectl: Kubectl) -> None:
        self.admin = admin
        self.kubectl = kubectl
        self._audit_log = cluster.audit_log
        self._since = audit.end(cluster.audit_log)

    def apply(self, *files: str) -> None:
        for file in files:
            self.kubectl("apply", "-f", str(EXAMPLE / file))
            for each in yaml.safe_load_all((EXAMPLE / file).read_text(encoding="utf-8")):
                if each["kind"] == "Namespace":
                    name = each["metadata"]["name"]
                    eventually(partial(self._has_account, name), True)

    def _has_account(self, namespace: str) -> bool:
        return self.admin.find("ServiceAccount", "default", namespace) is not None

    def column(self, quota: str, namespace: str) -> str:
        """What the column CPU shows."""
        found = self.admin.get("ElasticQuota", quota, namespace)["status"]
        return str(found["summary"]["cpu"])

    def nodes(self) -> int:
        return len(self.admin.list("Node", labelSelector="pool=burst"))

    def pods(self, namespace: str) -> list[Document]:
        return [
            pod
            for pod in self.admin.list("Pod", namespace)
            if "deletionTimestamp" not in pod["metadata"]
        ]

    def running(self, namespace: str) -> int:
        return sum(pod["status"]["phase"] == "Running" for pod in self.pods(namespace))

    def gated(self, namespace: str) -> list[Document]:
        return [pod for pod in self.pods(namespace) if GATE in gates(pod)]

    def events(self, namespace: str, reason: str) -> list[Document]:
        """Of pods; their quota and their owner have events of the same reason."""
        about = f"reason={reason},involvedObject.kind=Pod"
        return self.admin.list("Event", namespace, fieldSelector=about)

    def evictions(self) -> int:
        """Since the example began: other tests of the cluster have namespaces of these names."""
        return sum(
            write.code == 201
            for space in SPACES
            for write in audit.writes(self._audit_log, "pods/eviction", space, since=self._since)
        )

    def close(self) -> None:
        for name in SPACES[:2]:
            self.admin.delete_all("Deployment", name)
            eventually(partial(self.admin.delete_all, "Pod", name), None, within=60)
            eventually(partial(self.admin.list, "Pod", name), [], within=60)
            self.admin.delete_all("ElasticQuota", name)
        self.admin.delete("ElasticQuotaProfile", "burst", "burst-system")
        self.admin.delete("ConfigMap", "simulated-autoscaler", "kube-system")
        for node in self.admin.list("Node", labelSelector="pool=burst"):
            self.admin.delete("Node", node["metadata"]["name"])
        for name in SPACES:
            self.admin.delete("Namespace", name)


@pytest.fixture
def example(cluster: local.Cluster, admin: User, kubectl: Kubectl) -> Iterator[Example]:
    made = Example(cluster, admin, kubectl)
    yield made
    made.close()


def test_the_example_does_what_its_page_says(example: Example) -> None:
    example.apply("1-autoscaler.yaml", "2-profile.yaml")
    eventually(
        lambda: condition(example.admin.get("ElasticQuota", "burst", "burst-system"), "Accepted")[
            "status"
        ],
        "True",
    )
    example.apply("3-quotas.yaml")
    eventually(lambda: example.column("burst", "burst-system"), "0/80/80..-")

    # Only admitted demand makes the cluster grow, and the tree shows its nodes.
    example.apply("4-research.yaml")
    eventually(lambda: example.running("research"), 24, within=60)
    assert len(example.gated("research")) == 6
    assert example.nodes() == 12
    eventually(lambda: example.column("research", "research"), "48/48/40..48")
    eventually(lambda: example.column("burst", "burst-system"), "48/80/80..-")
    eventually(
        lambda: [each["message"] for each in example.events("research", "QuotaAdmitted")],
        lambda found: any("waiting for nodes (0 of at most 80 cpu, " in each for each in found),
    )
    assert "waiting for nodes (0 of at most 80 cpu, 0 of at most 320Gi memory)" in PAGE
    assert "pod triggered scale-up: [{burst 0->12 (max: 20)}]" in PAGE
    asked = {
        each["involvedObject"]["name"] for each in example.events("research", "TriggeredScaleUp")
    }
    waiting = {pod["metadata"]["name"] for pod in example.gated("research")}
    assert asked.isdisjoint(waiting)

    # A guarantee is met by new nodes before any pod is evicted.
    example.apply("5-serving.yaml")
    eventually(lambda: example.running("serving"), 16, within=60)
    assert example.nodes() == 20
    assert example.running("research") == 24
    assert example.evictions() == 0
    eventually(lambda: example.column("burst", "burst-system"), "80/80/80..-")

    # At the ceiling it is met by reclaim.
    example.kubectl("scale", "deployment/web", "-n", "serving", "--replicas=20")
    eventually(lambda: example.running("serving"), 20, within=60)
    assert example.running("research") == 20
    assert example.evictions() == 4
    reclaimed = eventually(
        lambda: example.events("research", "QuotaReclaim"), lambda found: len(found) == 4
    )
    why = "more than its current share of 40; quota serving reclaims this room for pod serving/"
    assert all(why in each["message"] for each in reclaimed)
    assert why in PAGE

    # After the work the nodes go, and no pod is evicted for it.
    example.kubectl("scale", "deployment/sweep", "-n", "research", "--replicas=0")
    example.kubectl("scale", "deployment/web", "-n", "serving", "--replicas=2")
    eventually(example.nodes, lambda count: count <= 2, within=90)
    assert example.running("serving") == 2
    assert example.evictions() == 4
    eventually(lambda: example.column("burst", "burst-system"), "4/80/80..-")
