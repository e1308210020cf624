"""What a malicious tenant tries while everything runs, with the token that it really has.

Named after the threats of docs/threats.md, which says where the others are tested. Threats that the
policies alone must stop are in ``policies_alone``.
"""

import json
import ssl
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import tenants
from installation import CONTROLLER, NAMESPACE, WEBHOOK, Installation, Kubectl
from scenes import GATE, HIGH, PREFIX, Pool, condition, gates, refusal
from users import Document, RefusedError, User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

RELEASE_POLICIES = [
    ("MutatingWebhookConfiguration", WEBHOOK),
    ("ValidatingWebhookConfiguration", WEBHOOK),
    ("ValidatingAdmissionPolicy", "elastic-quota-gate"),
    ("ClusterRole", "elastic-quota-admin"),
]


@pytest.fixture
def planner(admin: User, pool: Pool) -> Iterator[User]:
    user = tenants.planner(admin, pool.namespace)
    yield user
    user.close()


@pytest.fixture
def full(pool: Pool) -> Pool:
    """The quota ``team`` has room for one pod, which runs."""
    pool.quota("team", min=1, max=1)
    pool.pod("first", "team")
    eventually(lambda: pool.running("team"), {"first"})
    return pool


def test_s01_a_waiting_pod_cannot_move_to_a_quota_that_would_refuse_it(
    full: Pool, tenant: User
) -> None:
    full.department("dept", min=1, max=1)
    full.quota("closed", max=8, access={"pods": ["elsewhere"]})
    full.quota("other", max=8)
    tenant.create(full.pod_manifest("sly", "team"))

    def moved(to: str) -> str:
        change = {"metadata": {"labels": {f"{PREFIX}name": full.name(to)}}}
        try:
            tenant.patch("Pod", "sly", full.namespace, change=change)
        except RefusedError as refused:
            return refused.message
        return ""

    said = moved("dept")
    assert said.startswith(
        f'admission webhook "relabel.elasticquota.dev" denied the request: Pod {full.namespace}/sly'
    )
    assert said.endswith("[PD1301]")
    assert moved("closed").endswith("[PD1307]")
    assert gates(full.get_pod("sly")) == [GATE]
    assert moved("other") == ""
    eventually(lambda: full.running("other"), {"sly"})


def test_s05_another_scheduler_gives_no_extra_room(full: Pool, tenant: User) -> None:
    tenant.create(full.pod_manifest("sly", "team", schedulerName="my-own-scheduler"))
    assert gates(full.get_pod("sly")) == [GATE]
    eventually(
        lambda: condition(full.get_pod("sly"), "PodScheduled")["message"],
        lambda said: "QuotaExhausted" in said,
    )


def test_s06_a_quota_in_the_tree_of_another_user_is_refused(pool: Pool, planner: User) -> None:
    foreign = pool.quota_manifest("sly", min=1, max=1, labels={f"{PREFIX}tree-id": "1"})
    refused = refusal(lambda: planner.create(foreign))
    assert (refused.code, refused.message[-9:]) == (422, " [EQ1107]")


def test_s06_without_a_webhook_it_is_stored_but_in_no_tree(
    pool: Pool, admin: User, planner: User
) -> None:
    foreign = pool.quota_manifest("sly", min=1, max=1, labels={f"{PREFIX}tree-id": "1"})
    with tenants.without_webhooks(admin):
        planner.create(foreign)
    eventually(lambda: condition(pool.get("sly"), "Accepted")["reason"], "TreeMismatch")


@pytest.fixture
def other_planner(admin: User, namespace: str) -> Iterator[User]:
    """A planner of another namespace."""
    user = tenants.planner(admin, namespace)
    yield user
    user.close()


def test_s10_a_quota_becomes_the_child_of_another_users_quota_only_with_consent(
    pool: Pool, admin: User, other_planner: User, namespace: str
) -> None:
    pool.department("dept", min=4, max=8, access={"children": []})
    foreign = pool.quota_manifest("sly", max=8, parent="dept")
    foreign["metadata"]["namespace"] = namespace
    refused = refusal(lambda: other_planner.create(foreign))
    assert (refused.code, refused.message[-9:]) == (403, " [EQ1113]")
    own = pool.quota_manifest("own", max=8)
    own["metadata"]["namespace"] = namespace
    admin.create(own)
    below = {"metadata": {"labels": {f"{PREFIX}parent": pool.name("dept")}}}
    refused = refusal(
        lambda: other_planner.patch("ElasticQuota", pool.name("own"), namespace, change=below)
    )
    assert (refused.code, refused.message[-9:]) == (403, " [EQ1113]")
    opens = {"spec": {"access": {"children": ["*"]}}}
    refused = refusal(
        lambda: other_planner.patch("ElasticQuota", pool.name("dept"), pool.namespace, change=opens)
    )
    assert refused.code == 403


def test_s10_without_a_webhook_it_is_stored_but_its_pods_are_not_admitted(
    pool: Pool, admin: User, other_planner: User, namespace: str
) -> None:
    pool.department("dept", min=4, max=8, access={"children": []})
    foreign = pool.quota_manifest("sly", min=1, max=8, parent="dept")
    foreign["metadata"]["namespace"] = namespace
    with tenants.without_webhooks(admin):
        other_planner.create(foreign)

    def reason() -> str:
        found = admin.get("ElasticQuota", pool.name("sly"), namespace)
        return str(condition(found, "Accepted")["reason"])

    eventually(reason, "ParentRefuses")
    other_planner.create(pool.pod_manifest("greedy", "sly", namespace=namespace))
    eventually(
        lambda: condition(admin.get("Pod", "greedy", namespace), "PodScheduled")["message"],
        lambda said: "QuotaNotAccepted" in said and "[EQ1113]" in said,
    )
    opens = {"spec": {"access": {"children": [namespace]}}}
    admin.patch("ElasticQuota", pool.name("dept"), pool.namespace, change=opens)
    eventually(lambda: admin.get("Pod", "greedy", namespace)["status"]["phase"], "Running")
    admin.delete("Pod", "greedy", namespace, grace=0)


def test_s07_a_forged_status_is_corrected_and_never_used(full: Pool, admin: User) -> None:
    """An administrator may write it; a policy stops all other users."""
    room: dict[str, Any] = {"runtime": {"cpu": "1000"}, "used": {"cpu": "0"}}
    full.pod("second", "team")
    admin.patch(
        "ElasticQuota",
        full.name("team"),
        full.namespace,
        change={"status": room},
        subresource="status",
    )
    eventually(lambda: full.used("team"), "1")
    eventually(lambda: full.status("team")["runtime"]["cpu"], "1")
    stays(lambda: full.gated("team"), {"second"})


def test_s08_pods_that_cannot_be_evicted_get_no_more_than_min(pool: Pool, tenant: User) -> None:
    pool.quota("team", min=1, max=8)
    for number in range(2):
        labels = {f"{PREFIX}preemptible": "false"}
        tenant.create(pool.pod_manifest(f"stubborn-{number}", "team", labels=labels))
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))
    stays(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))


def test_s09_a_tenant_cannot_write_a_quota_into_the_namespace_of_another(
    pool: Pool, planner: User, namespace: str
) -> None:
    manifest = pool.quota_manifest("sly", min=1, max=1)
    manifest["metadata"]["namespace"] = namespace
    refused = refusal(lambda: planner.create(manifest))
    assert (refused.code, "cannot create resource" in refused.message) == (403, True)


def test_s17_a_pod_can_be_debugged_when_the_quota_is_full(
    full: Pool, admin: User, tenant: User
) -> None:
    may = tenants.role(admin, full.name("debugs"), "", ["pods/ephemeralcontainers"], ["patch"])
    tenants.grant(admin, full.namespace, may, "tenant")
    debugger = {"name": "debugger", "image": "registry.example/tools:1"}
    change: Document = {"spec": {"ephemeralContainers": [debugger]}}
    eventually(
        lambda: tenant.patch(
            "Pod", "first", full.namespace, change=change, subresource="ephemeralcontainers"
        ),
        bool,
    )
    admin.delete("ClusterRole", may)
    eventually(lambda: full.used("team"), "1")


def test_s20_pods_of_a_deployment_wait_like_other_pods(full: Pool, tenant: User) -> None:
    """A controller of the cluster creates them, and that makes no difference."""
    tenant.create(full.deployment_manifest("many", "team", 3))
    eventually(lambda: len(full.gated("team")), 3)
    assert full.running("team") == {"first"}


def test_s21_a_tenant_cannot_mark_its_running_pod_as_finished(full: Pool, tenant: User) -> None:
    change: Document = {"status": {"phase": "Succeeded"}}
    patch = partial(tenant.patch, "Pod", "first", full.namespace, change=change)
    refused = refusal(lambda: patch(subresource="status"))
    assert (refused.code, "pods/status" in refused.message) == (403, True)
    patch()  # the phase is no field of the pod itself
    assert full.running("team") == {"first"}


def test_s21_a_pod_that_terminates_slowly_keeps_its_room(full: Pool, tenant: User) -> None:
    slow = {"metadata": {"finalizers": ["example.com/held"]}}
    tenant.patch("Pod", "first", full.namespace, change=slow)
    full.pod("second", "team")
    tenant.delete("Pod", "first", full.namespace, grace=0)
    eventually(lambda: full.status("team")["pods"], {"admitted": 1, "gated": 1})
    assert full.gated("team") == {"second"}
    tenant.patch("Pod", "first", full.namespace, change={"metadata": {"finalizers": None}})
    eventually(lambda: full.running("team"), {"second"})


def test_s22_priority_reclaims_nothing_from_other_quotas(pool: Pool, tenant: User) -> None:
    pool.quota("owner", min=8, max=16)
    pool.quota("greedy", min=8, max=16)
    owned = pool.pods("owner", 8)
    eventually(lambda: pool.running("owner"), set(owned))
    for number in range(9):
        tenant.create(pool.pod_manifest(f"vip-{number}", "greedy", priority=HIGH))
    eventually(lambda: (len(pool.running("greedy")), len(pool.gated("greedy"))), (8, 1))
    assert pool.running("owner") == set(owned)


def test_s23_hundreds_of_waiting_pods_reduce_no_guarantee(pool: Pool, tenant: User) -> None:
    pool.quota("owner", min=8, max=16)
    pool.quota("greedy", min=8, max=16)
    for number in range(100):
        tenant.create(pool.pod_manifest(f"fake-{number}", "greedy", cpu=8))
    eventually(lambda: pool.status("greedy")["pods"]["gated"], 98)
    owned = pool.pods("owner", 8)
    eventually(lambda: pool.running("owner"), set(owned), within=30)


def test_s24_a_tenant_cannot_move_a_node_between_trees(pool: Pool, tenant: User) -> None:
    node = min(pool.nodes())
    change: Document = {"metadata": {"labels": {"pool": "mine"}}}
    refused = refusal(lambda: tenant.patch("Node", node, change=change))
    assert (refused.code, "nodes" in refused.message) == (403, True)


def test_s24_a_user_who_may_write_quotas_cannot_make_a_tree_of_nodes(
    pool: Pool, planner: User
) -> None:
    mine = pool.profile_manifest(quotaName=pool.name("mine"), nodeSelector={})
    mine["metadata"]["name"] = "mine"
    refused = refusal(lambda: planner.create(mine))
    assert (refused.code, "elasticquotaprofiles" in refused.message) == (403, True)


def test_s27_no_label_on_a_namespace_exempts_its_pods(
    full: Pool, admin: User, tenant: User
) -> None:
    """Namespaces are exempt by name, and the API server owns the label with the name."""
    escape = {"kubernetes.io/metadata.name": "kube-system", "control-plane": "true"}
    change: Document = {"metadata": {"labels": escape}}
    refused = refusal(lambda: tenant.patch("Namespace", full.namespace, change=change))
    assert (refused.code, "namespaces" in refused.message) == (403, True)
    admin.patch("Namespace", full.namespace, change=change)
    labels = admin.get("Namespace", full.namespace)["metadata"]["labels"]
    assert labels["kubernetes.io/metadata.name"] == full.namespace
    tenant.create(full.pod_manifest("second", "team"))
    assert gates(full.get_pod("second")) == [GATE]


def test_s32_a_tenant_gets_no_token_of_the_operator(pool: Pool, planner: User) -> None:
    for account in (CONTROLLER, WEBHOOK):
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        ask = partial(planner.post, "ServiceAccount", account, NAMESPACE, "token", request)
        assert refusal(ask).code == 403
    assert refusal(lambda: planner.get("Secret", f"{WEBHOOK}-ca", NAMESPACE)).code == 403


@pytest.mark.parametrize(("kind", "name"), RELEASE_POLICIES)
def test_s33_a_tenant_cannot_remove_a_policy_or_webhook(
    pool: Pool, planner: User, kind: str, name: str
) -> None:
    change: Document = {"metadata": {"labels": {"a": "b"}}}
    assert refusal(lambda: planner.patch(kind, name, change=change)).code == 403
    assert refusal(lambda: planner.delete(kind, name)).code == 403


def test_s34_a_burst_of_pods_never_exceeds_the_quota(pool: Pool, tenant: User) -> None:
    pool.quota("team", min=4, max=4)
    tenant.create(pool.deployment_manifest("burst", "team", 200))
    most, deadline = 0, time.monotonic() + 120
    created = 0
    while created < 200 and time.monotonic() < deadline:
        found = pool.admin.list("Pod", pool.namespace, labelSelector="app=burst")
        created = len(found)
        most = max(most, sum(GATE not in gates(pod) for pod in found))
    eventually(lambda: len(pool.running("team")), 4)
    assert (created, most <= 4) == (200, True)


def test_s25_a_pod_that_is_nested_as_deeply_as_can_be_stored_waits_and_counts_like_any_other(
    full: Pool, tenant: User, product: Installation, kubectl: Kubectl
) -> None:
    before = {name: pod["status"] for name, pod in product.pods(CONTROLLER).items()}
    levels = 9_995
    nest = '{"f:a":' * levels + "{}" + "}" * levels
    manifest = full.pod_manifest("deep", "team")
    text = json.dumps({**manifest, "metadata": {**manifest["metadata"], "managedFields": "?"}})
    entry = {"manager": "x", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    fields = json.dumps([entry | {"time": "2026-01-01T00:00:00Z", "fieldsV1": "!"}])
    text = text.replace('"?"', fields.replace('"!"', nest))
    assert post(tenant, f"/api/v1/namespaces/{full.namespace}/pods", text.encode()) == 201
    try:
        eventually(lambda: full.status("team")["pods"], {"admitted": 1, "gated": 1})
        full.delete_pods("first")
        eventually(lambda: full.status("team")["pods"], {"admitted": 1, "gated": 0})
    finally:  # the official client cannot read it either
        kubectl("delete", "pod", "deep", "-n", full.namespace, "--now")
    after = {name: pod["status"] for name, pod in product.pods(CONTROLLER).items()}
    assert {name: restarts(status) for name, status in after.items()} == {
        name: restarts(status) for name, status in before.items()
    }


def restarts(status: Document) -> int:
    return sum(found["restartCount"] for found in status["containerStatuses"])


def post(user: User, path: str, body: bytes) -> int:
    """The API server's answer to a raw body; the official client cannot write it."""
    found = user.configuration
    asking = urllib.request.Request(
        found.host + path,
        body,
        {
            "Content-Type": "application/json",
            "Authorization": found.api_key["authorization"],
        },
    )
    trust = ssl.create_default_context(cafile=found.ssl_ca_cert)
    with urllib.request.urlopen(asking, context=trust) as answer:
        return int(answer.status)
