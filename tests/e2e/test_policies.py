"""What the policies allow: administrators of quotas and the cluster's own controllers."""

from collections.abc import Callable, Iterator

import pytest

import namespaces
import policies
import tenants
from installation import CONTROLLER_USER, Installation
from scenes import PREFIX, Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

KUBE_SYSTEM = "system:serviceaccount:kube-system"


@pytest.fixture(scope="module", autouse=True)
def alone(product: Installation, admin: User) -> Iterator[None]:
    with tenants.without_webhooks(admin):
        yield


@pytest.fixture(scope="module")
def home(alone: None, admin: User) -> Iterator[Pool]:
    pool = Pool(admin, namespaces.new(admin))
    pool.open(nodes=1)
    yield pool
    pool.close()


# -- administrators of quotas


def test_an_administrator_of_quotas_may_write_a_root_by_hand_and_force_and_bind(
    home: Pool, admin: User
) -> None:
    marks = {
        f"{PREFIX}is-root": "true",
        f"{PREFIX}tree-id": "7",
        f"{PREFIX}allow-force-update": "true",
    }
    notes = {
        f"{PREFIX}total-resource": '{"cpu":"1"}',
        f"{PREFIX}namespaces": '["\\u0061"]',
        f"{PREFIX}runtime": "{}",
    }
    manifest = home.quota_manifest("by-hand", min=1, max=1, labels=marks, annotations=notes)
    admin.create(manifest)
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": "8", f"{PREFIX}is-root": None}}}
    admin.patch("ElasticQuota", home.name("by-hand"), home.namespace, change=change)
    admin.delete("ElasticQuota", home.name("by-hand"), home.namespace)


def test_a_user_who_may_update_quotas_in_the_releases_namespace_is_an_administrator(
    home: Pool, admin: User
) -> None:
    planner = tenants.planner(admin, home.namespace)
    forced = home.quota_manifest(
        "forced", min=1, max=1, labels={f"{PREFIX}allow-force-update": "true"}
    )
    assert "[EQ1109]" in refusal(lambda: planner.create(forced, dry_run=True)).message
    tenants.grant(
        admin, "elastic-quota-system", "elastic-quota-admin", "planner", home=home.namespace
    )
    eventually(lambda: planner.create(forced, dry_run=True), bool)
    admin.delete("RoleBinding", "elastic-quota-admin-planner", "elastic-quota-system")
    planner.close()


# -- reserved names


@pytest.mark.parametrize("name", ["koordinator-root-quota", "koordinator-system-quota"])
def test_no_user_may_create_an_object_for_the_root_or_the_system_quota(
    home: Pool, admin: User, name: str
) -> None:
    manifest = home.quota_manifest("x", min=1, max=1)
    manifest["metadata"]["name"] = name
    refused = refusal(lambda: admin.create(manifest))
    assert refused.code == 403
    assert refused.message == (
        f'elasticquotas.scheduling.sigs.k8s.io "{name}" is forbidden: ValidatingAdmissionPolicy '
        "'elastic-quota-reserved' with binding 'elastic-quota-reserved' denied request: "
        f"metadata.name: '{name}' is reserved: that quota is built in, and the controller keeps "
        "it. Choose another name. [EQ1110]"
    )


def test_the_system_quota_that_koordinator_left_cannot_be_changed(admin: User) -> None:
    """Only finalizers and owners may be removed, for cleaning up; deleting its namespace deletes
    it.
    """
    pool = Pool(admin, namespaces.new(admin))
    name = "koordinator-system-quota"
    manifest = pool.quota_manifest("x", max=1)
    manifest["metadata"] |= {"name": name, "labels": {}, "finalizers": ["example.com/held"]}
    with tenants.speaking_as(admin, CONTROLLER_USER) as controller:
        controller.create(manifest)

    def change(**change: Document) -> Callable[[], Document]:
        return lambda: admin.patch("ElasticQuota", name, pool.namespace, change=change)

    for attempt in (
        change(spec={"max": {"cpu": "2"}}),
        change(metadata={"labels": {"a": "b"}}),
        change(metadata={"annotations": {f"{PREFIX}shared-weight": '{"cpu":1}'}}),
    ):
        assert refusal(attempt).message.endswith("Leave it as it is. [EQ1110]")
    refused = refusal(lambda: admin.delete("ElasticQuota", name, pool.namespace))
    assert refused.message.endswith(
        f"denied request: '{name}' is a reserved quota and must not be deleted; it goes with its "
        "namespace only. [EQ1110]"
    )
    admin.delete("Namespace", pool.namespace)
    eventually(
        lambda: admin.get("ElasticQuota", name, pool.namespace)["metadata"].get(
            "deletionTimestamp"
        ),
        bool,
    )
    change(metadata={"finalizers": None})()
    eventually(lambda: admin.find("Namespace", pool.namespace), None, within=60)


def test_the_default_quota_is_written_in_the_releases_namespace_only(
    home: Pool, admin: User
) -> None:
    manifest = home.quota_manifest("x", max=1)
    manifest["metadata"] |= {"name": "koordinator-default-quota", "labels": {}}
    refused = refusal(lambda: admin.create(manifest, dry_run=True))
    assert refused.code == 403
    assert refused.message == (
        policies.refusal(
            "reserved", 'elasticquotas.scheduling.sigs.k8s.io "koordinator-default-quota"'
        )
        + "metadata.name: 'koordinator-default-quota' is reserved: it may be written only in "
        "namespace 'elastic-quota-system', by those who may update elasticquotas in namespace "
        "elastic-quota-system. Choose another name. [EQ1110]"
    )
    with tenants.default_quota(admin, manifest) as name:
        stored = admin.get("ElasticQuota", name, "elastic-quota-system")
        assert stored["spec"]["max"] == {"cpu": "1"}


def test_a_default_quota_stored_elsewhere_is_ignored_and_goes_with_its_namespace(
    home: Pool, admin: User
) -> None:
    name = "koordinator-default-quota"
    manifest = home.quota_manifest("x", max=1)
    namespace = namespaces.new(admin)
    manifest["metadata"] |= {"name": name, "labels": {}, "namespace": namespace}
    with tenants.speaking_as(admin, CONTROLLER_USER) as controller:
        controller.create(manifest)
    verdict = eventually(
        lambda: condition(admin.get("ElasticQuota", name, namespace), "Accepted"),
        lambda found: found["status"] == "False",
    )
    assert verdict["reason"] == "ReservedName"
    refused = refusal(lambda: admin.delete("ElasticQuota", name, namespace))
    assert refused.message.endswith("it goes with its namespace only. [EQ1110]")
    refused = refusal(lambda: admin.delete_all("ElasticQuota", namespace))
    assert refused.message.endswith("it goes with its namespace only. [EQ1110]")
    admin.delete("Namespace", namespace)
    eventually(lambda: admin.find("Namespace", namespace), None, within=60)


# -- labels that a profile writes on its root


def test_the_labels_of_a_profile_cannot_move_its_root(home: Pool, admin: User) -> None:
    key = f"{PREFIX}parent"
    manifest = home.profile_manifest(quotaName="second", quotaLabels={key: home.name("team")})
    manifest["metadata"]["name"] = "second"
    refused = refusal(lambda: admin.create(manifest, dry_run=True))
    assert refused.message == (
        policies.refusal("root-labels", 'elasticquotaprofiles.quota.koordinator.sh "second"')
        + f"spec.quotaLabels[{key}] must not be set: the profile itself says where its root quota "
        "stands. Leave the label out. [EP1201]"
    )
    manifest["spec"]["quotaLabels"] = {f"{PREFIX}ignore-default-tree": "true", "team": "a"}
    admin.create(manifest, dry_run=True)


# -- the cluster's own controllers


def test_the_garbage_collector_may_remove_an_owner_of_a_root_quota(home: Pool, admin: User) -> None:
    account = admin.get("ServiceAccount", "default", home.namespace)["metadata"]
    owner = {"apiVersion": "v1", "kind": "ServiceAccount", "name": "default", "uid": account["uid"]}
    with tenants.speaking_as(admin, f"{KUBE_SYSTEM}:generic-garbage-collector") as collector:
        for owners in ([owner], []):
            change = {"metadata": {"ownerReferences": owners}}
            collector.patch("ElasticQuota", home.root, home.namespace, change=change)


def test_the_daemonset_controller_creates_and_adopts_pods(home: Pool, admin: User) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1"}
    made = home.pod_manifest("made", None)
    made["metadata"]["ownerReferences"] = [owner]
    orphan = home.pod("orphan", None)
    with tenants.speaking_as(admin, f"{KUBE_SYSTEM}:daemon-set-controller") as controller:
        controller.create(made, dry_run=True)
        change = {"metadata": {"ownerReferences": [owner]}}
        controller.patch("Pod", orphan["metadata"]["name"], home.namespace, change=change)


def test_a_node_creates_mirror_pods_of_its_static_pods(home: Pool, admin: User) -> None:
    kubelet = tenants.role(admin, home.name("kubelet"), "", ["pods"], ["create"])
    node = min(home.nodes())
    tenants.grant_user(admin, home.namespace, kubelet, f"system:node:{node}")
    manifest = home.pod_manifest("static", None, nodeName=node)
    manifest["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "1"
    with tenants.speaking_as(admin, f"system:node:{node}", "system:nodes") as kubelet_of_it:
        eventually(lambda: kubelet_of_it.create(manifest, dry_run=True), bool)
    admin.delete("ClusterRole", kubelet)


def test_the_policies_ignore_pods_of_the_system(home: Pool, admin: User) -> None:
    """The policies about pods exclude namespaces whose pods belong to the system quota."""
    name = home.name("agent")
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1"}
    manifest = home.pod_manifest(name, None, namespace="kube-system", nodeSelector={"pool": "none"})
    manifest["metadata"]["ownerReferences"] = [owner]
    admin.create(manifest, dry_run=True)
    del manifest["metadata"]["ownerReferences"]
    admin.create(manifest)
    change = {"metadata": {"labels": {f"{PREFIX}name": "any", f"{PREFIX}preemptible": "false"}}}
    admin.patch("Pod", name, "kube-system", change=change)
    admin.delete("Pod", name, "kube-system", grace=0)
