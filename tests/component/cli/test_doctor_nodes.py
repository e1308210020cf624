"""``doctor`` compares what profiles say about nodes with the nodes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from doctor_fixture import StoredCluster, publish
from elasticquota_cli import main as cli
from elasticquota_cli.doctor.report import Finding
from elasticquota_kube.client import paths
from stored import PREFIX, Document


Screen = pytest.CaptureFixture[str]
ELASTIC = {"mode": "Elastic", "max": {"cpu": "20", "memory": "80Gi"}, "scaleUpTimeout": "5m"}


def node(name: str, kind: str = "", gpus: int = 1, **metadata: dict[str, str]) -> Document:
    labels = {"pool": "main", **({"gpu": kind} if kind else {})}
    return {
        "metadata": {"name": name, "labels": labels, **metadata},
        "status": {
            "allocatable": {"cpu": "8", "nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def profile(**more: object) -> Document:
    selector = {"matchLabels": {"pool": "main"}}
    return {
        "metadata": {"name": "pool", "namespace": "sys"},
        "spec": {"quotaName": "pool", "nodeSelector": selector, **more},
    }


def warnings(*nodes: Document) -> list[tuple[str, str, str]]:
    cluster = StoredCluster()
    a100 = [{"name": "a100", "nodeLabels": {"gpu": "a100"}}]
    cluster.documents = [{"apiVersion": "v1", "kind": "Node", **each} for each in nodes] + [
        {
            "apiVersion": "quota.koordinator.sh/v1alpha1",
            "kind": "ElasticQuotaProfile",
            **profile(pools=a100),
        }
    ]
    return [(each.object, each.message, each.remedy) for each in cluster.findings("warning")]


def test_nodes_in_no_pool_are_named_with_what_to_do() -> None:
    found = warnings(node("n-1", "a100"), node("n-2", "t4"), node("n-3"))
    assert found == [
        (
            "ElasticQuotaProfile sys/pool",
            "2 of 3 nodes are in no pool: n-2, n-3; only pods that no pool can take go there",
            "give them the labels of a pool in spec.pools, or name a last pool with nodeLabels: {}",
        )
    ]


def test_a_node_without_what_is_counted_by_pool_needs_no_pool() -> None:
    assert warnings(node("n-1", "a100"), node("n-2", gpus=0)) == []


def out_of_service(guaranteed: int, *nodes: Document) -> list[tuple[str, str]]:
    """Level and message of the findings about a tree of these nodes and one quota."""
    cluster = StoredCluster()
    root = cluster.grown_tree(0)
    cluster.documents = [each for each in cluster.documents if each["kind"] != "Node"]
    publish(root, tree="pool", runtime={"cpu": "99"})
    publish(cluster.documents[-2], ("Ready", "True", "TreeReady", "nodes"))
    below = cluster.quota("team-a", guaranteed, 40)
    publish(below, tree="pool", parent="pool", min={"cpu": str(guaranteed)})
    cluster.documents += [{"apiVersion": "v1", "kind": "Node", **each} for each in nodes]
    return [(each.level, each.message) for each in cluster.findings()]


def test_nodes_out_of_service_are_named_as_long_as_their_tree_counts_them() -> None:
    cordoned, broken = node("n-1"), node("n-2")
    cordoned["spec"] = {"unschedulable": True}
    broken["status"]["conditions"][0]["status"] = "False"
    found = out_of_service(8, cordoned, broken, node("n-3"))
    assert found == [
        (
            "info",
            "2 of 3 nodes are out of service (cordoned, not ready, or about to be removed): n-1, "
            "n-2; the tree still shares what they offer",
        )
    ]


def test_a_guarantee_that_the_nodes_in_service_do_not_offer_is_a_warning() -> None:
    broken = node("n-2")
    broken["status"]["conditions"][0]["status"] = "Unknown"
    found = out_of_service(9, node("n-1"), broken)
    assert found == [
        (
            "warning",
            "1 of 2 nodes is out of service (cordoned, not ready, or about to be removed): n-2; "
            "the tree still shares what they offer, and the others offer only 8 cpu of the 9 that "
            "the quotas directly below are guaranteed: pods within a guarantee may wait for a node",
        )
    ]


def test_nodes_in_service_are_no_finding() -> None:
    assert out_of_service(16, node("n-1"), node("n-2")) == []


async def live(folder: Path, capsys: Screen, double: ApiDouble) -> str:
    kubeconfig = str(double.kubeconfig(folder))
    await asyncio.to_thread(cli.main, ["doctor", "--kubeconfig", kubeconfig])
    shown = capsys.readouterr()
    return shown.out + shown.err


async def test_a_cordoned_node_of_a_live_cluster_is_named(tmp_path: Path, capsys: Screen) -> None:
    async with ApiDouble() as double:
        double.put(paths.PROFILES, profile())
        double.put(paths.NODES, {**node("n-1"), "spec": {"unschedulable": True}})
        double.put(paths.NODES, node("n-2"))
        shown = await live(tmp_path, capsys, double)
        assert "1 of 2 nodes is out of service" in shown
        assert "n-1; the tree still shares what they offer" in shown


SIGNS = ("nothing", "status", "karpenter", "label", "taint")


@pytest.mark.parametrize("sign", SIGNS)
async def test_an_elastic_tree_without_a_sign_of_an_autoscaler_is_reported(
    sign: str, tmp_path: Path, capsys: Screen
) -> None:
    async with ApiDouble() as double:
        double.put(paths.PROFILES, profile(capacity=ELASTIC))
        found = node("n-1")
        match sign:
            case "status":
                place = {"name": "cluster-autoscaler-status", "namespace": "kube-system"}
                double.put(paths.CONFIG_MAPS, {"metadata": place})
            case "karpenter":
                double.serve(Kind(paths.KARPENTER_POOLS, "NodePool"))
            case "label":
                found["metadata"]["labels"]["karpenter.sh/nodepool"] = "default"
            case "taint":
                taint = {"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule"}
                found["spec"] = {"taints": [taint]}
        double.put(paths.NODES, found)
        shown = await live(tmp_path, capsys, double)
        assert ("no autoscaler is seen" in shown) is (sign == "nothing")
        if sign == "nothing":
            assert (
                "no ConfigMap kube-system/cluster-autoscaler-status, no kind "
                "nodepools.karpenter.sh, and no label, annotation or taint of Cluster Autoscaler "
                "or Karpenter on a node; pods that no present node has room for wait 300 s"
            ) in shown


async def test_without_the_right_to_read_the_signs_nothing_is_claimed(
    tmp_path: Path, capsys: Screen
) -> None:
    async with ApiDouble() as double:
        double.put(paths.PROFILES, profile(capacity=ELASTIC))
        path = paths.CONFIG_MAPS.list("kube-system")
        double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="GET", path=path)
        shown = await live(tmp_path, capsys, double)
        assert "no autoscaler is seen" not in shown
        assert (
            "not checked: autoscalers (configmaps of kube-system: you may not read them)" in shown
        )


class TestPodsOnNodesOfAnotherTree:
    """Pods run on ``node-1``, which is of the tree ``pool``; there is another tree."""

    def found(self, *, parent: str = "other", finished: bool = False, **more: Any) -> list[Finding]:
        cluster = StoredCluster()
        root = cluster.grown_tree(40)
        publish(root, tree="pool", runtime={"cpu": "40"})
        publish(cluster.documents[-2], ("Ready", "True", "TreeReady", "nodes"))
        labels = {f"{PREFIX}is-root": "true", f"{PREFIX}is-parent": "true", f"{PREFIX}tree-id": "9"}
        other = cluster.quota(
            "other", 0, {}, namespace="sys", parent="koordinator-root-quota", labels=labels
        )
        publish(other, tree="other")
        publish(cluster.quota("team-a", 4, 40, parent=parent), tree=parent, parent=parent)
        phase = "Succeeded" if finished else "Running"
        for name in ("b", "a"):
            cluster.runs(name, 1, status={"phase": phase}, **more)
        return cluster.findings()

    def test_they_are_named_with_the_profile_that_lacks_the_room(self) -> None:
        (found,) = self.found()
        assert (found.level, found.object) == ("warning", "ElasticQuotaProfile sys/pool")
        assert found.message == (
            "2 pods of other trees on its nodes (team-a/a, team-a/b; quota team-a): its tree "
            "shares less by what they hold"
        )
        assert found.remedy == (
            "delete them where that may be: new pods of these quotas wait for nodes of their own "
            "tree"
        )
        assert found.namespaces == ("sys", "team-a")

    def test_those_of_its_own_tree_are_no_finding(self) -> None:
        assert self.found(parent="pool") == []

    def test_those_that_have_ended_are_no_finding(self) -> None:
        assert self.found(finished=True) == []

    def test_those_of_no_quota_are_no_finding(self) -> None:
        """They may run anywhere."""
        assert self.found(namespace="nobody") == []
