"""``doctor`` compares what profiles say about nodes with the nodes."""

import asyncio
import json
from pathlib import Path

import pytest

from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from doctor_fixture import StoredCluster
from elasticquota_cli import main as cli
from elasticquota_kube.client import paths
from stored import Document


Screen = pytest.CaptureFixture[str]
POOLS = "elasticquota.dev/pools"
ELASTIC = {
    "elasticquota.dev/capacity": json.dumps(
        {"mode": "Elastic", "max": {"cpu": "20", "memory": "80Gi"}, "scaleUpTimeout": "5m"}
    )
}


def node(name: str, kind: str = "", gpus: int = 1, **metadata: dict[str, str]) -> Document:
    labels = {"pool": "main", **({"gpu": kind} if kind else {})}
    return {
        "metadata": {"name": name, "labels": labels, **metadata},
        "status": {"allocatable": {"cpu": "8", "nvidia.com/gpu": str(gpus)}},
    }


def profile(annotations: dict[str, str]) -> Document:
    return {
        "metadata": {"name": "pool", "namespace": "sys", "annotations": annotations},
        "spec": {"quotaName": "pool", "nodeSelector": {"matchLabels": {"pool": "main"}}},
    }


def warnings(folder: Path, *nodes: Document) -> list[tuple[str, str, str]]:
    cluster = StoredCluster()
    a100 = [{"name": "a100", "nodeLabels": {"gpu": "a100"}}]
    cluster.documents = [{"apiVersion": "v1", "kind": "Node", **each} for each in nodes] + [
        {
            "apiVersion": "quota.koordinator.sh/v1alpha1",
            "kind": "ElasticQuotaProfile",
            **profile({POOLS: json.dumps(a100)}),
        }
    ]
    return [
        (each.object, each.message, each.remedy) for each in cluster.findings(folder, "warning")
    ]


def test_nodes_in_no_pool_are_named_with_what_to_do(tmp_path: Path) -> None:
    found = warnings(tmp_path, node("n-1", "a100"), node("n-2", "t4"), node("n-3"))
    assert found == [
        (
            "ElasticQuotaProfile sys/pool",
            "2 of 3 nodes are in no pool: n-2, n-3; only pods that no pool can take go there",
            "give them the labels of a pool in elasticquota.dev/pools, or name a last pool with "
            '"nodeLabels": {}',
        )
    ]


def test_a_node_without_what_is_counted_by_pool_needs_no_pool(tmp_path: Path) -> None:
    assert warnings(tmp_path, node("n-1", "a100"), node("n-2", gpus=0)) == []


async def live(folder: Path, capsys: Screen, double: ApiDouble) -> str:
    kubeconfig = str(double.kubeconfig(folder))
    await asyncio.to_thread(cli.main, ["doctor", "--kubeconfig", kubeconfig])
    shown = capsys.readouterr()
    return shown.out + shown.err


SIGNS = ("nothing", "status", "karpenter", "label", "taint")


@pytest.mark.parametrize("sign", SIGNS)
async def test_an_elastic_tree_without_a_sign_of_an_autoscaler_is_reported(
    sign: str, tmp_path: Path, capsys: Screen
) -> None:
    async with ApiDouble() as double:
        double.put(paths.PROFILES, profile(ELASTIC))
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
        double.put(paths.PROFILES, profile(ELASTIC))
        path = paths.CONFIG_MAPS.list("kube-system")
        double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="GET", path=path)
        shown = await live(tmp_path, capsys, double)
        assert "no autoscaler is seen" not in shown
        assert (
            "not checked: autoscalers (configmaps of kube-system: you may not read them)" in shown
        )
