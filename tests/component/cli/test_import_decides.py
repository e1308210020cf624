"""Imported objects, simulated with pods, lead to the decisions that their system documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[3] / "examples/import"
GPU = "nvidia.com/gpu"


def node(**allocatable: Any) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "node"},
        "status": {"allocatable": {"pods": 110, **allocatable}},
    }


def pods(namespace: str, name: str, count: int, requests: Any, **spec: Any) -> Any:
    container = {"name": "c", "resources": {"requests": requests}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": count,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [container], **spec},
            },
        },
    }


def story(name: str, low: int, high: int) -> Any:
    """A quota of the user stories; its unit is a GPU."""
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": name},
        "spec": {"min": {GPU: low}, "max": {GPU: high}},
    }


class Cluster:
    """Imported quotas, and pods that are created one after the other."""

    def __init__(self, folder: Path, capsys: Screen) -> None:
        self._folder = folder
        self._capsys = capsys

    def imported(self, dialect: str, file: Path | str, *objects: Any) -> None:
        assert cli.main(["import", dialect, "-f", str(file)]) == 0
        (self._folder / "quotas.yaml").write_text(self._capsys.readouterr().out)
        self.add("world", *objects)

    def add(self, name: str, *objects: Any) -> Path:
        path = self._folder / f"{name}.json"
        path.write_text("\n".join(map(json.dumps, objects)))
        return path

    def simulated(self, *arguments: object) -> Any:
        given = ["-f", self._folder / "quotas.yaml", "-f", self._folder / "world.json"]
        assert cli.main(["simulate", "-o", "json", *map(str, [*given, *arguments])]) == 0
        return json.loads(self._capsys.readouterr().out)


@pytest.fixture
def cluster(tmp_path: Path, capsys: Screen) -> Cluster:
    return Cluster(tmp_path, capsys)


def used(found: Any, resource: str) -> dict[str, str]:
    return {quota["name"]: quota["used"].get(resource, "0") for quota in found["quotas"]}


def test_seed_003_user_story_1_ends_at_4_and_6(cluster: Cluster) -> None:
    source = cluster.add("source", story("quota-a", 4, 6), story("quota-b", 6, 8))
    borrower = pods("quota-a", "a", 3, {GPU: 2})
    cluster.imported("capacity", source, node(**{GPU: 10}), borrower)
    assert used(cluster.simulated(), GPU) == {"capacity": "6", "quota-a": "6", "quota-b": "0"}
    owner = cluster.add("owner", pods("quota-b", "b", 6, {GPU: 1}))
    found = cluster.simulated("--what-if", owner)
    after = [quota["after"] for quota in found["quotas"]]
    assert used({"quotas": after}, GPU) == {"capacity": "10", "quota-a": "4", "quota-b": "6"}
    assert len(found["reclaims"]) == 1


def test_seed_003_restricted_preemption_a_high_priority_takes_nothing_from_another_quota(
    cluster: Cluster,
) -> None:
    first = pods("quota1", "nginx", 1, {"cpu": 1})
    high = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high-priority"},
        "value": 1000000,
    }
    cluster.imported("capacity", EXAMPLES / "capacity.yaml", node(cpu=4), first, high)
    second = pods("quota2", "nginx", 1, {"cpu": 1}, priorityClassName="high-priority")
    found = cluster.simulated("--what-if", cluster.add("second", second))
    assert found["reclaims"] == []
    assert [waiting["quota"] for waiting in found["startsWaiting"]] == ["quota2"]


def test_seed_002_how_it_works_a_leafs_min_is_reclaimed_from_leaves_above_theirs(
    cluster: Cluster,
) -> None:
    devops = pods("devops", "d", 8, {GPU: 1})
    text = pods("text1", "t", 10, {GPU: 1})
    tree = EXAMPLES / "elasticquotatree.yaml"
    cluster.imported("ack", tree, node(**{GPU: 16}), devops, text)
    found = cluster.simulated("--what-if", cluster.add("v", pods("video", "v", 2, {GPU: 1})))
    after = used({"quotas": [quota["after"] for quota in found["quotas"]]}, GPU)
    assert after["root-algorithm-video"] == "2"
    assert sum(int(after[name]) for name in ("root-devops", "root-algorithm")) == 16


def test_seed_004_run_a_workload_pods_of_finance_are_in_the_quota_of_production(
    cluster: Cluster,
) -> None:
    finance = pods("finance", "f", 3, {"cpu": 32})
    cluster.imported("yunikorn", EXAMPLES / "namespaces-in-queues.yaml", node(cpu=200), finance)
    found = cluster.simulated()
    assert used(found, "cpu")["root-production"] == "64"
    assert [waiting["quota"] for waiting in found["waiting"]] == ["root-production-finance"]
