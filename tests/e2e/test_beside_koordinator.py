"""A trial beside a running Koordinator: it decides, we report and change none of its objects.

The trial plays Koordinator as a second actor: it writes the annotations and the root quota that its
manager and its scheduler write, and runs pods that were never at our gate.
"""

import json
from collections.abc import Iterator

import pytest

import audit
import tenants
from elasticquota import names
from installation import CONTROLLER_USER, NAMESPACE
from local_cluster import cluster as local
from scenes import Pool, condition, gates
from users import Document, User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.usefixtures("product")]

KOORDINATOR = "system:serviceaccount:koordinator-system:koord-scheduler"


@pytest.fixture(scope="module")
def values() -> Document:
    return {"config": {"besideKoordinator": True}}


@pytest.fixture
def koordinator(admin: User, pool: Pool) -> Iterator[User]:
    """Koordinator's account: it may write quotas, and is an administrator of quotas for us."""
    role = tenants.role(
        admin,
        pool.name("koordinator"),
        "scheduling.sigs.k8s.io",
        ["elasticquotas"],
        ["get", "list", "create", "update", "patch"],
    )
    tenants.grant_user(admin, pool.namespace, role, KOORDINATOR)
    tenants.grant_user(admin, NAMESPACE, role, KOORDINATOR)
    with tenants.speaking_as(admin, KOORDINATOR) as account:
        tenants.await_rights(account, pool.namespace, "ElasticQuota")
        yield account
    admin.delete("ClusterRole", role)


def figures(runtime: str) -> Document:
    text = json.dumps({"cpu": runtime}, separators=(",", ":"))
    return {"metadata": {"annotations": {names.RUNTIME: text, names.REQUEST: text}}}


@pytest.fixture
def pool(admin: User, namespace: str) -> Iterator[Pool]:
    """A pool whose root quota Koordinator's manager makes, as ours does not."""
    found = Pool(admin, namespace)
    for _ in range(2):
        found.add_node()
    profile = found.profile_manifest()
    profile["metadata"]["labels"] = {names.TREE_ID: found.name("tree")}
    admin.create(profile)
    labels = {
        names.IS_ROOT: "true",
        names.IS_PARENT: "true",
        names.PROFILE: "pool",
        names.TREE_ID: found.name("tree"),
    }
    root = found.quota_manifest("root", min=15, max=1000, labels=labels)
    root["metadata"]["labels"][names.PARENT] = names.ROOT_QUOTA
    root["metadata"]["annotations"] = {names.TOTAL_RESOURCE: '{"cpu":"15"}'}
    admin.create(root)
    yield found
    found.close()


def test_what_koordinator_owns_stays_and_what_it_lets_run_is_only_reported(
    pool: Pool, koordinator: User, cluster: local.Cluster
) -> None:
    pool.quota("team", min=2, max=4)
    name = pool.name("team")
    koordinator.patch("ElasticQuota", name, pool.namespace, change=figures("999"))
    # Its scheduler runs more than max: enforcing would wait for two of them, and evict.
    pods = pool.pods("team", 6)
    eventually(lambda: len(pool.running("team")), 6)
    eventually(lambda: pool.used("team"), "6")
    eventually(lambda: condition(pool.get("team"), "Observed")["status"], "True")
    told = eventually(
        lambda: [pod for pod in pods if "QuotaWouldReclaim" in pool.events(pod)],
        lambda found: len(found) == 2,
    )
    assert all(gates(pool.get_pod(pod)) == [] for pod in told)

    def owned() -> list[object]:
        team, root = pool.get("team"), pool.root_quota()
        return [
            team["metadata"]["annotations"][names.RUNTIME],
            team["metadata"]["annotations"][names.REQUEST],
            root["metadata"]["annotations"],
            root["spec"],
        ]

    stays(
        owned,
        [
            '{"cpu":"999"}',
            '{"cpu":"999"}',
            pool.root_quota()["metadata"]["annotations"],
            {"min": {"cpu": "15"}, "max": {"cpu": "1000"}},
        ],
    )
    assert len(pool.running("team")) == 6
    ours = [
        write
        for resource in ("elasticquotas", "elasticquotaprofiles", "pods", "pods/eviction")
        for write in audit.writes(cluster.audit_log, resource, pool.namespace)
        if write.user == CONTROLLER_USER
    ]
    assert ours == []
