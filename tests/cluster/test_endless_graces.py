"""Who borrows keeps nothing by taking for ever to leave."""

import pytest

from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

ENDLESS = 10**6
SOON = 90


def deleted_for_ever(who: User, pool: Pool, pods: list[str]) -> None:
    """By the tenant, who waits for nothing; a finalizer keeps kwok from ending them at once."""
    for pod in pods:
        who.delete("Pod", pod, pool.namespace, grace=ENDLESS)


def grace_of(pool: Pool, pod: str) -> int:
    return int(pool.get_pod(pod)["metadata"].get("deletionGracePeriodSeconds", 0))


def test_pods_that_a_borrower_deletes_with_an_endless_grace_still_give_back(
    pool: Pool, tenant: User, admin: User
) -> None:
    pool.quota("own", min=8)
    pool.quota("bor", min=1)
    slow = {"finalizers": ["example.com/slow"]}
    pods = []
    for number in range(16):
        manifest = pool.pod_manifest(f"bor-{number}", "bor")
        manifest["metadata"].update(slow)
        manifest["spec"]["terminationGracePeriodSeconds"] = ENDLESS
        admin.create(manifest)
        pods.append(f"bor-{number}")
    try:
        eventually(lambda: pool.running("bor"), set(pods))
        deleted_for_ever(tenant, pool, pods[:12])
        pool.pods("own", 8)
        short = eventually(
            lambda: [pod for pod in pods[:12] if 0 < grace_of(pool, pod) < ENDLESS],
            lambda found: len(found) >= 4,
            within=SOON,
        )
        assert {grace_of(pool, pod) for pod in short} == {120}
    finally:
        for pod in pods:
            if admin.find("Pod", pod, pool.namespace):
                admin.patch("Pod", pod, pool.namespace, change={"metadata": {"finalizers": None}})
    assert condition(pool.get("own"), "Accepted")["status"] == "True"
