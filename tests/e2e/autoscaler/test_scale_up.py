"""What the quotas admit makes a cluster grow, and nothing else does.

The autoscaler is a simulation of ours (``local_cluster.autoscaler``) that does what Cluster
Autoscaler's documentation says: it makes nodes for pods that the scheduler refuses. API server,
scheduler, controller manager and the operator are real.
"""

from pathlib import Path

import pytest

import audit
from autoscaled import AutoscaledPool
from local_cluster import cluster as local
from scenes import condition
from waiting import eventually, stays


pytestmark = pytest.mark.cluster


def evicted(log: Path, pool: AutoscaledPool) -> set[str]:
    writes = audit.writes(log, "pods/eviction", pool.namespace)
    return {write.name for write in writes if write.code == 201}


def test_only_admitted_demand_makes_the_cluster_grow(elastic: AutoscaledPool) -> None:
    elastic.open_group(10)
    elastic.quota("team", min=0, max=8)
    pods = elastic.pods("team", 10, cpu=2)
    running = eventually(lambda: elastic.running("team"), lambda names: len(names) == 4, within=30)
    waiting = set(pods) - running
    assert elastic.gated("team") == waiting
    assert len(elastic.nodes()) == 2
    assert elastic.triggers() <= running
    said = [condition(elastic.get_pod(name), "PodScheduled")["message"] for name in waiting]
    assert all("QuotaExhausted" in text for text in said)
    stays(lambda: len(elastic.nodes()), 2)


def test_a_pool_without_nodes_starts_and_its_tree_grows_with_its_nodes(
    elastic: AutoscaledPool,
) -> None:
    elastic.open_group(5)
    elastic.has_no_machines()
    elastic.quota("team", min=4, max=20)
    pods = elastic.pods("team", 4, cpu=2)
    eventually(lambda: elastic.unschedulable("team"), set(pods), within=30)
    admitted = eventually(lambda: elastic.events(pods[0])["QuotaAdmitted"], bool)
    assert "waiting for nodes (" in admitted
    eventually(lambda: condition(elastic.get("team"), "WaitingForNodes")["status"], "True")
    eventually(lambda: "NotTriggerScaleUp" in elastic.events(pods[0]), True)
    assert elastic.nodes() == set()
    elastic.has_machines()
    eventually(lambda: elastic.running("team"), set(pods), within=30)
    assert len(elastic.nodes()) == 2
    eventually(
        lambda: elastic.root_quota()["metadata"]["annotations"][
            "elasticquota.dev/present-resource"
        ],
        lambda text: '"cpu":"8"' in text.replace(" ", ""),
    )
    eventually(lambda: condition(elastic.get("team"), "WaitingForNodes")["status"], "")


def test_a_guarantee_is_met_by_more_nodes_before_any_pod_is_evicted(
    elastic: AutoscaledPool, cluster: local.Cluster
) -> None:
    elastic.open_group(6)
    elastic.quota("owner", min=12, max=24)
    elastic.quota("guest", min=0, max=12)
    guests = elastic.pods("guest", 6, cpu=2)
    eventually(lambda: elastic.running("guest"), set(guests), within=30)
    assert len(elastic.nodes()) == 3
    owners = elastic.pods("owner", 6, cpu=2)
    eventually(lambda: elastic.running("owner"), set(owners), within=30)
    assert elastic.running("guest") == set(guests)
    assert len(elastic.nodes()) == 6
    assert evicted(cluster.audit_log, elastic) == set()


def test_at_the_ceiling_a_guarantee_is_met_by_reclaim(
    elastic: AutoscaledPool, cluster: local.Cluster
) -> None:
    elastic.open_group(4)
    elastic.quota("owner", min=8, max=16)
    elastic.quota("guest", min=0, max=16)
    guests = elastic.pods("guest", 8, cpu=2)
    eventually(lambda: elastic.running("guest"), set(guests), within=30)
    owners = elastic.pods("owner", 4, cpu=2)
    eventually(lambda: elastic.running("owner"), set(owners), within=60)
    assert len(elastic.running("guest")) == 4
    assert len(evicted(cluster.audit_log, elastic)) == 4
    assert len(elastic.nodes()) == 4


def test_after_the_work_the_nodes_go_and_no_pod_is_evicted_for_it(
    elastic: AutoscaledPool, cluster: local.Cluster
) -> None:
    elastic.open_group(6, unneeded=2.0)
    elastic.quota("team", min=4, max=24)
    stay = elastic.pods("team", 1, prefix="stay", cpu=4)
    # It needs a whole node, and the others would be spread over all of them.
    eventually(lambda: elastic.running("team"), set(stay), within=30)
    work = elastic.pods("team", 10, prefix="work", cpu=2)
    eventually(lambda: elastic.running("team"), {*stay, *work}, within=30)
    assert len(elastic.nodes()) == 6
    elastic.delete_pods(*work)
    (left,) = elastic.await_nodes(1)
    assert elastic.get_pod(stay[0])["spec"]["nodeName"] == left
    assert elastic.running("team") == set(stay)
    assert evicted(cluster.audit_log, elastic) == set()
    elastic.delete_pods(*stay)
    elastic.await_nodes(0)
    again = elastic.pods("team", 1, prefix="again", cpu=2)
    eventually(lambda: elastic.running("team"), set(again), within=30)
