"""A tree that grows: pods within their share are pending without a node, all others are gated."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import served
from installation import Installation
from open_schema import without_schema
from scenes import HIGH, LOW, PREFIX, Pool, condition, refusal
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

GENEROUS = 60
PROFILE_CRD = "elasticquotaprofiles.quota.koordinator.sh"
ELASTIC = {"mode": "Elastic", "max": {"cpu": "8", "memory": "64Gi"}}


def unschedulable(pool: Pool, quota: str) -> set[str]:
    """The pods that the scheduler has refused: those that an autoscaler reads."""
    return {
        pod["metadata"]["name"]
        for pod in pool.admin.list(
            "Pod", pool.namespace, labelSelector=f"{PREFIX}name={pool.name(quota)}"
        )
        if condition(pod, "PodScheduled")["reason"] == "Unschedulable"
    }


def present(pool: Pool) -> Any:
    annotations = pool.root_quota()["metadata"]["annotations"]
    return json.loads(annotations.get("elasticquota.dev/present-resource", "null"))


def reason(pool: Pool, quota: str, type_: str) -> str:
    return str(condition(pool.get(quota), type_)["reason"])


def test_a_pool_of_no_nodes_shows_an_autoscaler_what_is_within_the_quotas_and_grows(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=0, capacity=ELASTIC)
    pool.quota("own", min=4, max=4)
    pool.quota("other")
    own = pool.pods("own", 6)
    eventually(lambda: len(unschedulable(pool, "own")), 4, within=GENEROUS)
    assert len(pool.gated("own")) == 2
    first = min(unschedulable(pool, "own"))
    told = eventually(lambda: pool.events(first).get("QuotaAdmitted", ""), bool)
    assert told.endswith("WaitingForNodes: waiting for nodes (0 of at most 8 cpu).")
    said = "4 admitted pods: waiting for nodes (0 of at most 8 cpu)"
    eventually(lambda: condition(pool.get("own"), "WaitingForNodes")["message"], said)
    profile = pool.admin.get("ElasticQuotaProfile", "pool", pool.namespace)
    assert condition(profile, "Ready")["status"] == "True"
    assert profile["status"]["capacity"]["summary"] == "Elastic 0/8 cpu"
    for _ in range(2):
        pool.add_node(cpu=2)
    eventually(lambda: len(pool.running("own")), 4, within=GENEROUS)
    eventually(lambda: condition(pool.get("own"), "WaitingForNodes")["status"], "")
    eventually(lambda: present(pool)["cpu"], "4")
    assert pool.root_quota()["spec"]["min"]["cpu"] == "8"
    stays(lambda: pool.gated("own"), set(own) - pool.running("own"))


def test_a_guarantee_is_met_by_a_node_to_come_and_no_borrower_is_evicted(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=1, cpu=4, capacity=ELASTIC)
    pool.quota("own", min=4)
    pool.quota("bor")
    borrowed = pool.pods("bor", 4)
    eventually(lambda: pool.running("bor"), set(borrowed), within=GENEROUS)
    own = pool.pods("own", 4)
    eventually(lambda: unschedulable(pool, "own"), set(own), within=GENEROUS)
    stays(lambda: pool.running("bor"), set(borrowed))
    pool.add_node(cpu=4)
    eventually(lambda: pool.running("own"), set(own), within=GENEROUS)
    assert pool.running("bor") == set(borrowed)


def test_a_node_that_is_being_initialized_is_one_to_come_also_for_a_guarantee(
    new_pool: Callable[..., Pool],
) -> None:
    """It is the last that may come, and takes no pod yet: no reason to evict one elsewhere."""
    pool = new_pool(nodes=1, cpu=4, capacity=ELASTIC)
    pool.quota("own", min=4)
    pool.quota("bor")
    borrowed = pool.pods("bor", 4)
    eventually(lambda: pool.running("bor"), set(borrowed), within=GENEROUS)
    joins = pool.add_node(cpu=4, taint="node.cloudprovider.kubernetes.io/uninitialized")
    eventually(lambda: present(pool)["cpu"], "8")
    own = pool.pods("own", 4)
    eventually(lambda: unschedulable(pool, "own"), set(own), within=GENEROUS)
    stays(lambda: pool.running("bor"), set(borrowed), seconds=8)
    pool.admin.patch("Node", joins, change={"spec": {"taints": []}})
    eventually(lambda: pool.running("own"), set(own), within=GENEROUS)
    assert pool.running("bor") == set(borrowed)


def test_a_pod_too_large_for_the_tree_starts_when_its_max_is_raised(
    new_pool: Callable[..., Pool],
) -> None:
    """Nothing else changes: no node, no quota and not the pod."""
    pool = new_pool(nodes=1, cpu=4, capacity=ELASTIC)
    pool.quota("own", max=16)
    pool.pod("large", "own", cpu=12)
    eventually(
        lambda: condition(pool.get_pod("large"), "PodScheduled").get("message", ""),
        lambda text: text.endswith("[ExceedsMax]"),
    )
    pool.set_capacity({"max": {"cpu": "16"}})
    eventually(lambda: unschedulable(pool, "own"), {"large"}, within=GENEROUS)


def test_a_pod_of_high_priority_preempts_no_pod_while_a_node_is_to_come(
    new_pool: Callable[..., Pool],
) -> None:
    """The scheduler would preempt at once, and the autoscaler would never see the pod."""
    pool = new_pool(nodes=1, cpu=4, capacity=ELASTIC)
    pool.quota("own", min=4)
    pool.quota("other")
    own = pool.pods("own", 4, priority=LOW)
    eventually(lambda: pool.running("own"), set(own), within=GENEROUS)
    pool.pod("urgent", "other", cpu=2, priority=HIGH)
    eventually(lambda: unschedulable(pool, "other"), {"urgent"}, within=GENEROUS)
    stays(lambda: pool.running("own"), set(own))
    pool.add_node(cpu=4)
    eventually(lambda: pool.running("other"), {"urgent"}, within=GENEROUS)
    assert pool.running("own") == set(own)


def test_a_pod_for_which_no_node_came_in_time_keeps_no_present_node_from_others(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=1, cpu=2, capacity={**ELASTIC, "scaleUpTimeout": "10s"})
    pool.quota("own", min=6)
    pool.quota("other")
    pool.pod("large", "own", cpu=6)
    eventually(lambda: unschedulable(pool, "own"), {"large"}, within=GENEROUS)
    others = pool.pods("other", 3)
    eventually(lambda: reason(pool, "own", "Unscheduled"), "NoNodeCame", within=GENEROUS)
    eventually(lambda: len(pool.running("other")), 2, within=GENEROUS)
    stays(lambda: len(pool.gated("other") & set(others)), 1)
    eventually(
        lambda: pool.events("large")["QuotaUnscheduled"],
        lambda said: "no node came for it within 10 s" in said,
    )
    assert unschedulable(pool, "own") == {"large"}
    pool.add_node(cpu=8)
    eventually(lambda: pool.running("own"), {"large"}, within=GENEROUS)
    eventually(lambda: reason(pool, "own", "Unscheduled"), "")


def test_a_node_that_an_autoscaler_removes_gets_no_new_pods(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=1, cpu=8, capacity=ELASTIC)
    (node,) = pool.nodes()
    taint = {"key": "ToBeDeletedByClusterAutoscaler", "value": "1", "effect": "NoSchedule"}
    pool.admin.patch("Node", node, change={"spec": {"taints": [taint]}})
    eventually(lambda: present(pool), {})
    pool.quota("own")
    pool.pod("first", "own")
    eventually(lambda: unschedulable(pool, "own"), {"first"}, within=GENEROUS)
    told = eventually(lambda: pool.events("first").get("QuotaAdmitted", ""), bool)
    assert "waiting for nodes (0 of at most 8 cpu)" in told


def test_a_declared_total_counts_whatever_the_nodes_are(new_pool: Callable[..., Pool]) -> None:
    pool = new_pool(nodes=1, cpu=8, capacity={"mode": "Declared", "total": {"cpu": "3"}})
    pool.quota("own")
    pool.pods("own", 5)
    eventually(lambda: len(pool.running("own")), 3, within=GENEROUS)
    assert len(pool.gated("own")) == 2
    assert pool.root_quota()["spec"]["min"] == {"cpu": "3"}


def test_a_capacity_that_cannot_be_read_is_refused_and_the_last_good_one_stays_in_force(
    new_pool: Callable[..., Pool], product: Installation
) -> None:
    pool = new_pool(nodes=0, capacity=ELASTIC)
    kept = pool.root_quota()["spec"]["tree"]
    assert kept == {"capacity": ELASTIC}
    wrong = {"max": {"memory": None}}
    refused = refusal(lambda: pool.set_capacity(wrong))
    assert (
        "spec.capacity.max: Invalid value: must name cpu and memory in mode Elastic, because nodes "
        "to come offer only what it names [EP1201]" in served.without_values(refused.message)
    )
    probe = pool.profile_manifest(capacity={"mode": "elastic"})
    with without_schema(pool.admin, PROFILE_CRD, probe):
        with product.unguarded():
            pool.set_capacity(wrong)
            ready = eventually(
                lambda: condition(
                    pool.admin.get("ElasticQuotaProfile", "pool", pool.namespace), "Ready"
                ),
                lambda found: found["reason"] == "InvalidSpec",
                within=GENEROUS,
            )
        assert "mode Elastic stays in force" in ready["message"]
        leader = product.leader()
        with product.restarted(leader):
            product.kill(leader)
        product.settle()
        pool.quota("own")
        pool.pods("own", 9)
        eventually(lambda: len(unschedulable(pool, "own")), 8, within=GENEROUS)
        assert pool.root_quota()["spec"]["min"]["cpu"] == "8"
        assert pool.root_quota()["spec"]["tree"] == kept
        pool.set_capacity(None)
    eventually(lambda: pool.root_quota()["spec"]["min"].get("cpu", "0"), "0", within=GENEROUS)
    assert "tree" not in pool.root_quota()["spec"]
