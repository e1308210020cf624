"""Who may place quotas below another, and remove such as bind a namespace, has a verb on it."""

from collections.abc import Iterator

import pytest

import tenants
from scenes import PREFIX, Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

ROOT = "koordinator-root-quota"
MARK = "elasticquota.dev/placed-below"


@pytest.fixture(scope="module")
def values() -> Document:
    """The default: only quotas of the release's namespace are listed below the default root."""
    return {"config": {"defaultTree": {"childNamespaces": []}}}


@pytest.fixture
def planner(admin: User, namespace: str) -> Iterator[User]:
    """The planner of the namespace of a team, which is not the pool's."""
    user = tenants.planner(admin, namespace)
    yield user
    user.close()


def manifest(pool: Pool, namespace: str, name: str, parent: str = "", **notes: str) -> Document:
    labels = {f"{PREFIX}parent": parent} if parent else {}
    metadata = {"name": pool.name(name), "namespace": namespace, "labels": labels}
    return {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {**metadata, "annotations": notes},
        "spec": {"max": {"cpu": 4}},
    }


def accepted(admin: User, made: Document) -> str:
    meta = made["metadata"]
    found = admin.get("ElasticQuota", meta["name"], meta["namespace"])
    return str(condition(found, "Accepted")["status"])


def grant(admin: User, namespace: str, parent: str) -> None:
    """The planner of the namespace may place quotas below ``parent``, by a ClusterRoleBinding."""
    name = f"placing-{namespace}-{parent}"[:63]
    rule = {
        "apiGroups": ["scheduling.sigs.k8s.io"],
        "resources": ["elasticquotas"],
        "resourceNames": [parent],
        "verbs": ["add-child"],
    }
    rbac = "rbac.authorization.k8s.io"
    metadata = {"name": name}
    admin.create(
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": metadata, "rules": [rule]}
    )
    admin.create(
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": "planner", "namespace": namespace}],
        }
    )


def test_an_administrator_places_a_quota_without_a_parent_anywhere_and_a_team_does_not(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    refused = refusal(lambda: planner.create(manifest(pool, namespace, "sly")))
    assert refused.code == 403
    assert f"you may not create quotas below '{ROOT}'" in refused.message
    assert f"Ask for the verb 'add-child' on elasticquotas '{ROOT}'" in refused.message
    made = admin.create(manifest(pool, namespace, "team"))
    assert made["metadata"]["annotations"][MARK] == ROOT
    eventually(lambda: accepted(admin, made), "True")
    change = {"metadata": {"annotations": None}}
    kept = admin.patch("ElasticQuota", pool.name("team"), namespace, change=change)
    assert kept["metadata"]["annotations"][MARK] == ROOT


def test_the_permission_is_for_one_parent_and_the_mark_is_not_forged(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    pool.department("dept", min=4, max=8, access={"children": []})
    pool.department("other", min=4, max=8)
    for parent in ("dept", "other"):
        below = manifest(pool, namespace, "sly", pool.name(parent))
        refused = refusal(lambda: planner.create(below))  # noqa: B023 - called at once
        assert f"you may not create quotas below '{pool.name(parent)}'" in refused.message
    forged = manifest(pool, namespace, "sly", pool.name("dept"), **{MARK: pool.name("dept")})
    with tenants.without_webhooks(admin):
        refused = refusal(lambda: planner.create(forged))
        assert f"metadata.annotations[{MARK}]: you may not place quotas below" in refused.message
        refused = refusal(lambda: planner.create(manifest(pool, namespace, "sly")))
        assert f"you may not create quotas below '{ROOT}'" in refused.message
    grant(admin, namespace, pool.name("dept"))
    own = manifest(pool, namespace, "own", pool.name("dept"))
    # The webhook marks before it judges, and the grant may be seen between the two.
    eventually(
        lambda: planner.create(own, dry_run=True)["metadata"].get("annotations", {}),
        lambda annotations: MARK in annotations,
    )
    made = planner.create(own)
    assert made["metadata"]["annotations"][MARK] == pool.name("dept")
    eventually(lambda: accepted(admin, made), "True")
    refused = refusal(lambda: planner.create(manifest(pool, namespace, "sly", pool.name("other"))))
    assert refused.message.endswith("[EQ1113]")


def test_a_planner_does_not_leave_a_max_by_removing_the_quota_of_its_namespace(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    pool.department("dept", min=4, max=8)
    own = manifest(pool, namespace, "team", pool.name("dept"))
    own["spec"]["namespaces"] = [namespace]
    admin.create(own)
    for attempt in (
        lambda: planner.patch(
            "ElasticQuota", pool.name("team"), namespace, change={"spec": {"namespaces": []}}
        ),
        lambda: planner.delete("ElasticQuota", pool.name("team"), namespace),
        lambda: planner.patch(
            "ElasticQuota",
            pool.name("team"),
            namespace,
            change={"metadata": {"annotations": {f"{PREFIX}namespaces": "[]"}}},
        ),
    ):
        refused = refusal(attempt)
        assert (
            f"whose pods would leave '{pool.name('dept')}' and every max above" in refused.message
        )
    lower = {"spec": {"max": {"cpu": 3}}}
    planner.patch("ElasticQuota", pool.name("team"), namespace, change=lower)
    admin.delete("ElasticQuota", pool.name("team"), namespace)

    own = manifest(pool, namespace, "rooted", ROOT)
    own["spec"]["namespaces"] = [namespace]
    with tenants.without_webhooks(admin):
        admin.create(own)
        refused = refusal(lambda: planner.delete("ElasticQuota", pool.name("rooted"), namespace))
        assert f"binds a namespace, whose pods would leave '{ROOT}'" in refused.message
    admin.delete("ElasticQuota", pool.name("rooted"), namespace)


def test_a_quota_waits_for_its_parent_by_the_permission_on_all_parents(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    early = manifest(pool, namespace, "early", pool.name("later"))
    early["spec"]["namespaces"] = [namespace]
    pool.department("dept", min=4, max=8)
    for parent in ("later", "dept"):
        grant(admin, namespace, pool.name(parent))
    below = manifest(pool, namespace, "below", pool.name("dept"))
    eventually(lambda: planner.create(below, dry_run=True)["kind"], "ElasticQuota")
    refused = refusal(lambda: planner.create(early))
    assert (refused.code, refused.message[-9:]) == (403, " [EQ1113]")
    assert "you may not create quotas that wait for their place" in refused.message

    made = admin.create(early)
    assert made["metadata"]["annotations"][MARK] == pool.name("later")
    eventually(lambda: accepted(admin, made), "False")
    admin.create(pool.pod_manifest("waits", "early", namespace=namespace))
    eventually(
        lambda: condition(admin.get("Pod", "waits", namespace), "PodScheduled")["message"],
        lambda text: "ParentNotFound" in text,
    )
    pool.department("later", min=4, max=8, access={"children": []})
    eventually(lambda: accepted(admin, made), "True")
    eventually(lambda: admin.get("Pod", "waits", namespace)["status"]["phase"], "Running")
    admin.delete("Pod", "waits", namespace, grace=0)
    eventually(lambda: admin.find("Pod", "waits", namespace), None)
    admin.delete("ElasticQuota", pool.name("early"), namespace)


def test_a_planner_does_not_wait_below_a_quota_that_waits_whatever_its_list_says(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    """The pods that run in the namespace would leave the max of the default quota."""
    pool.department("w", parent="later", access={"children": [namespace]})
    below = manifest(pool, namespace, "below", pool.name("w"))
    refused = refusal(lambda: planner.create(below))
    assert f"'{pool.name('w')}' is in no tree, and you may not create quotas" in refused.message
    pool.department("later", min=4, max=8)
    eventually(lambda: planner.create(below, dry_run=True)["kind"], "ElasticQuota")


def test_a_planner_does_not_remove_a_quota_that_waits_for_its_parent(
    pool: Pool, admin: User, planner: User, namespace: str
) -> None:
    early = manifest(pool, namespace, "early", pool.name("later"))
    early["spec"]["namespaces"] = [namespace]
    admin.create(early)
    refused = refusal(lambda: planner.delete("ElasticQuota", pool.name("early"), namespace))
    assert f"whose pods would leave '{pool.name('later')}'" in refused.message
    admin.delete("ElasticQuota", pool.name("early"), namespace)
