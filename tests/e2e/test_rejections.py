"""A bad quota is refused with the whole reason in one line: what, which numbers, what to do."""

import pytest

import served
from scenes import PREFIX, Pool, refusal
from users import User


pytestmark = pytest.mark.cluster

DENIED = 'admission webhook "quota.elasticquota.dev" denied the request: '


def test_a_child_with_more_min_than_its_parent_has_left(pool: Pool) -> None:
    pool.department("dept", min=12, max=16)
    pool.quota("team-x", parent="dept", min=5, max=16)
    pool.quota("team-y", parent="dept", min=4, max=16)
    refused = refusal(lambda: pool.quota("team-z", parent="dept", min=6, max=16))
    dept = pool.name("dept")
    assert refused.code == 422
    assert refused.fields == ("spec.min.cpu",)
    assert refused.message == (
        f"{DENIED}ElasticQuota {pool.namespace}/{pool.name('team-z')}: spec.min.cpu: 6 must be "
        f"less than or equal to 3, the unreserved min of parent '{dept}' (min 12, children "
        f"reserve 9: {pool.name('team-x')} 5, {pool.name('team-y')} 4). Lower it, or raise the "
        f"min of '{dept}'. [EQ1104]"
    )


def test_a_quota_that_changes_trees(pool: Pool) -> None:
    pool.quota("team", min=1, max=1)
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": "1"}}}
    refused = refusal(
        lambda: pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=change)
    )
    assert refused.code == 422
    assert refused.fields == (f"metadata.labels[{PREFIX}tree-id]",)
    assert refused.message.endswith("[EQ1107]")


def test_a_pod_in_a_parent_quota(pool: Pool) -> None:
    pool.department("dept", min=4, max=8)
    pool.quota("team", parent="dept", min=1, max=1)
    refused = refusal(lambda: pool.pod("lost", "dept"))
    assert refused.code == 403
    assert refused.message.startswith(
        f'admission webhook "pod.elasticquota.dev" denied the request: Pod {pool.namespace}/lost: '
    )
    assert refused.message.endswith("[PD1301]")


@served.since(34)
def test_min_above_max_by_the_schema_alone(pool: Pool) -> None:
    refused = refusal(lambda: pool.quota("team", min=4, max=2))
    assert refused.code == 422
    assert "cpu: 4 must be less than or equal to 2, its max" in refused.message


def test_a_tenant_who_may_edit_pods_may_not_write_quotas(pool: Pool, tenant: User) -> None:
    refused = refusal(lambda: tenant.create(pool.quota_manifest("own", min=1, max=1)))
    assert refused.code == 403


def test_a_chain_is_created_and_deleted_quickly_through_all_replicas(pool: Pool) -> None:
    for _ in range(3):
        pool.department("level-0", min=8, max=8)
        for level in range(1, 10):
            pool.department(f"level-{level}", parent=f"level-{level - 1}", min=8, max=8)
        for level in reversed(range(10)):
            pool.admin.delete("ElasticQuota", pool.name(f"level-{level}"), pool.namespace)
