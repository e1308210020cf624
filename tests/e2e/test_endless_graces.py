"""A borrower keeps nothing by terminating without end."""

from collections.abc import Callable

import pytest

import tenants
import users
from scenes import Pool
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

ENDLESS = 10**6
SOON = 40


def silent_node(pool: Pool) -> Document:
    """No process runs its pods or ends them, so a deleted pod takes all of its grace period."""
    offered = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": pool.name("silent"), "labels": {"pool": pool.namespace}},
        "status": {
            "capacity": offered,
            "allocatable": offered,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def placed(pool: Pool) -> set[str]:
    pods = pool.admin.list("Pod", pool.namespace)
    return {pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName")}


def grace_of(pool: Pool, pod: str) -> int:
    return int(pool.get_pod(pod)["metadata"]["deletionGracePeriodSeconds"])


def test_pods_that_a_borrower_deletes_with_an_endless_grace_still_give_back(
    new_pool: Callable[..., Pool], admin: User
) -> None:
    pool = new_pool(nodes=0)
    tenant = users.tenant(admin, pool.namespace)
    tenants.await_rights(tenant, pool.namespace, "Pod")
    admin.create(silent := silent_node(pool))
    try:
        eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "16")
        pool.quota("own", min=8)
        pool.quota("bor", min=1)
        pods = pool.pods("bor", 16, terminationGracePeriodSeconds=ENDLESS)
        eventually(lambda: placed(pool), set(pods))
        for pod in pods[:12]:
            tenant.delete("Pod", pod, pool.namespace, grace=ENDLESS)
        assert {grace_of(pool, pod) for pod in pods[:12]} == {ENDLESS}
        pool.pods("own", 2)
        eventually(
            lambda: sorted(grace_of(pool, pod) for pod in pods[:12]),
            [120] * 2 + [ENDLESS] * 10,
            within=SOON,
        )
    finally:
        tenant.close()
        admin.delete("Node", silent["metadata"]["name"])
