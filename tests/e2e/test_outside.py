"""Pods that bypass the webhook are counted, shown, and evicted when they exceed the quota."""

import pytest

from scenes import PREFIX, Pool, condition, gates
from waiting import eventually


pytestmark = pytest.mark.cluster

# The chart excludes this namespace, so its pods never reach the webhook.
PAST_THE_WEBHOOK = "kube-node-lease"


def test_a_pod_that_bypassed_the_webhook_is_counted_and_shown(pool: Pool) -> None:
    pool.quota("team", min=4, max=4)
    stray = pool.name("stray")
    pool.pod(stray, "team", cpu=3, namespace=PAST_THE_WEBHOOK)
    try:
        assert gates(pool.admin.get("Pod", stray, PAST_THE_WEBHOOK)) == []
        eventually(lambda: pool.used("team"), "3")
        pool.pods("team", 2)
        eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))
        eventually(lambda: pool.status("team")["summary"]["cpu"], "4/4/4..4")
    finally:
        pool.admin.delete("Pod", stray, PAST_THE_WEBHOOK, grace=0)
    eventually(lambda: len(pool.running("team")), 2)


def test_a_pod_with_a_node_name_is_counted_and_over_use_is_reclaimed(pool: Pool) -> None:
    pool.quota("team", min=2, max=2)
    node = min(pool.nodes())
    pool.pod("bold", "team", cpu=1, nodeName=node)
    pool.pods("team", 2, prefix="meek")
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    assert "bold" in pool.running("team")
    pool.pod("bolder", "team", cpu=1, nodeName=node)
    eventually(lambda: condition(pool.get("team"), "Overused")["status"], "True")
    eventually(lambda: pool.used("team"), "2")


def test_pods_of_the_system_namespaces_shrink_the_pool_and_are_not_evicted(pool: Pool) -> None:
    pool.quota("team", min=8, max=16)
    name = pool.name("agent")
    affinity = {"nodeSelector": {"pool": pool.namespace}}
    pool.pod(name, None, cpu=4, namespace="kube-system", **affinity)
    try:
        assert gates(pool.admin.get("Pod", name, "kube-system")) == []
        eventually(lambda: pool.admin.get("Pod", name, "kube-system")["spec"].get("nodeName"), bool)
        pool.pods("team", 16)
        eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (12, 4))
        eventually(lambda: pool.status("team")["runtime"]["cpu"], "12")
    finally:
        pool.admin.delete("Pod", name, "kube-system", grace=0)
    eventually(lambda: len(pool.running("team")), 16)


def test_an_unknown_quota_label_never_escapes_the_quota_of_the_namespace(pool: Pool) -> None:
    pool.quota("team", min=1, max=1, annotations={f"{PREFIX}namespaces": f'["{pool.namespace}"]'})
    pool.pod("first", None)
    eventually(pool.running, {"first"})
    pool.pod("sly", None, labels={f"{PREFIX}name": "no-such-quota"})
    eventually(pool.gated, {"sly"})
    eventually(lambda: pool.status("team")["pods"], {"admitted": 1, "gated": 1})
