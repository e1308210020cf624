"""Deletions leave nothing behind: no pod without account, no root without profile."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

import tenants
from installation import NAMESPACE, Installation
from scenes import Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster


def test_a_quota_with_live_pods_is_not_deleted_and_an_empty_one_is(pool: Pool) -> None:
    pool.quota("team", min=4, max=4)
    pods = pool.pods("team", 2)
    eventually(lambda: pool.running("team"), set(pods))
    delete = partial(pool.admin.delete, "ElasticQuota", pool.name("team"), pool.namespace)
    refused = refusal(delete)
    shown = ", ".join(f"{pool.namespace}/{pod}" for pod in pods)
    assert refused.code == 409
    assert refused.message == (
        'admission webhook "quota.elasticquota.dev" denied the request: '
        f"ElasticQuota {pool.namespace}/{pool.name('team')}: must not be deleted while it has "
        f"live pods: {shown}. Delete them first, or let them end. [EQ1111]"
    )
    pool.delete_pods(*pods)
    eventually(lambda: pool.running("team"), set())
    delete()
    assert pool.admin.find("ElasticQuota", pool.name("team"), pool.namespace) is None


def test_a_parent_quota_is_not_deleted_before_its_children(pool: Pool) -> None:
    pool.department("dept", min=8, max=16)
    pool.quota("team", parent="dept", min=4, max=8)
    refused = refusal(lambda: pool.admin.delete("ElasticQuota", pool.name("dept"), pool.namespace))
    assert refused.code == 409
    assert f"while it has children: {pool.name('team')}. " in refused.message


@pytest.fixture
def default_quota(pool: Pool, admin: User) -> Iterator[Callable[[], str]]:
    """The default quota's cpu in use."""
    manifest = pool.quota_manifest("default", min=None, max=None)
    with tenants.default_quota(admin, manifest) as name:

        def used() -> str:
            status = admin.get("ElasticQuota", name, NAMESPACE).get("status") or {}
            return str(status.get("used", {}).get("cpu", "0"))

        yield used


def test_pods_of_a_quota_that_vanished_count_in_the_default_quota(
    pool: Pool, default_quota: Callable[[], str], product: Installation
) -> None:
    pool.quota("team", min=4, max=4)
    pods = pool.pods("team", 2)
    eventually(lambda: pool.running("team"), set(pods))
    eventually(default_quota, "0")
    with product.unguarded():
        pool.admin.delete("ElasticQuota", pool.name("team"), pool.namespace)
        eventually(default_quota, "2")
        assert pool.running() == set(pods)


def test_a_root_quota_is_deleted_with_its_profile_when_the_tree_is_empty(pool: Pool) -> None:
    pool.admin.delete("ElasticQuotaProfile", "pool", pool.namespace)
    eventually(lambda: pool.admin.find("ElasticQuota", pool.root, pool.namespace), None, within=60)


def test_a_profile_in_use_is_not_deleted(pool: Pool) -> None:
    pool.quota("team", min=4, max=4)
    refused = refusal(lambda: pool.admin.delete("ElasticQuotaProfile", "pool", pool.namespace))
    assert refused.message.endswith(
        f"must not be deleted while there are quotas in its tree: {pool.name('team')}. Delete "
        "them first, or give them a parent in another tree; for a file that has them all, repeat "
        "the command. [EP1203]"
    )
    pool.admin.delete("ElasticQuota", pool.name("team"), pool.namespace)
    pool.admin.delete("ElasticQuotaProfile", "pool", pool.namespace)


def test_while_a_profile_is_missing_nothing_new_starts_in_its_tree(
    pool: Pool, new_pool: Callable[..., Pool], admin: User
) -> None:
    """The other pool has idle nodes that the waiting pod could use."""
    other = new_pool(nodes=1, cpu=8)
    pool.quota("team", min=16, max=32)
    pods = pool.pods("team", 4, cpu=4)
    eventually(lambda: pool.running("team"), set(pods))
    anywhere = pool.pod_manifest("anywhere", "team", cpu=4)
    anywhere["spec"]["nodeSelector"] = {"pool": other.namespace}
    with tenants.without_webhooks(admin):
        admin.delete("ElasticQuotaProfile", "pool", pool.namespace)
    eventually(lambda: condition(pool.root_quota(), "ProfileMissing")["status"], "True")
    admin.create(anywhere)
    pool.pod("late", "team", cpu=4)
    pool.delete_pods(pods[0])
    for name in ("anywhere", "late"):
        eventually(
            lambda name=name: condition(pool.get_pod(name), "PodScheduled")["message"],  # type: ignore[misc]
            lambda text: f"profile {pool.namespace}/pool is gone" in text,
        )
    assert pool.gated("team") == {"anywhere", "late"}
    assert pool.running("team") == set(pods[1:])
    admin.create(pool.profile_manifest())
    eventually(lambda: "late" in pool.running("team"), True)
    assert pool.gated("team") == {"anywhere"}


def test_a_root_quota_in_use_stays_and_says_that_its_profile_is_missing(
    pool: Pool, admin: User
) -> None:
    pool.quota("team", min=4, max=4)
    with tenants.without_webhooks(admin):
        admin.delete("ElasticQuotaProfile", "pool", pool.namespace)
    said = eventually(
        lambda: condition(pool.root_quota(), "ProfileMissing"),
        lambda found: found["status"] == "True",
    )
    assert said["message"] == (
        f"profile {pool.namespace}/pool is gone: no pod starts in its tree until it is back"
    )
    pool.admin.delete("ElasticQuota", pool.name("team"), pool.namespace)
    eventually(lambda: pool.admin.find("ElasticQuota", pool.root, pool.namespace), None, within=60)


def test_a_profile_that_is_created_again_takes_over_its_root(pool: Pool, admin: User) -> None:
    pool.quota("team", min=4, max=4)
    with tenants.without_webhooks(admin):
        admin.delete("ElasticQuotaProfile", "pool", pool.namespace)
    eventually(lambda: condition(pool.root_quota(), "ProfileMissing")["status"], "True")
    pool.admin.create(pool.profile_manifest())
    eventually(lambda: condition(pool.root_quota(), "ProfileMissing")["status"], "")
    pods = pool.pods("team", 2)
    eventually(lambda: pool.running("team"), set(pods))


def test_a_namespace_with_a_whole_tree_and_its_pods_can_be_deleted(pool: Pool) -> None:
    pool.department("dept", min=8, max=16)
    pool.quota("team", parent="dept", min=2, max=2)
    pool.pods("team", 4)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 2))
    pool.admin.delete("Namespace", pool.namespace)

    def left() -> Document | None:
        return pool.admin.find("Namespace", pool.namespace)

    eventually(left, None, within=60)
