"""``doctor`` checks the real installation with the rights of the user who runs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import policies
from doctor_report import doctor, of_installation
from installation import Kubectl
from local_cluster import cluster as local
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster


def resource_quota(pool: Pool, admin: User, cpu: str) -> None:
    admin.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "small", "namespace": pool.namespace},
            "spec": {"hard": {"requests.cpu": cpu}},
        }
    )


@pytest.fixture
def squeezed(pool: Pool, admin: User) -> str:
    """A ResourceQuota leaves a quota less than min: the finding of the doctor about it."""
    pool.quota("team", min=4, max=6)
    eventually(lambda: pool.status("team").get("tree"), pool.root)
    eventually(
        lambda: condition(admin.get("ElasticQuotaProfile", "pool", pool.namespace), "Ready"),
        lambda ready: ready["status"] == "True",
    )
    pool.pods("team", 1)
    eventually(lambda: len(pool.running("team")), 1)
    resource_quota(pool, admin, "3")
    return (
        f"{pool.namespace} may ask for 3 cpu (ResourceQuota {pool.namespace}/small), less than "
        "its min 4: 1 cpu of the guarantee go unused"
    )


def test_an_administrator_sees_the_resource_quota_finding_and_no_other(
    squeezed: str, pool: Pool, cluster: local.Cluster, kubectl: Kubectl
) -> None:
    # Another test may have disturbed the installation just before.
    eventually(lambda: of_installation(doctor(cluster.kubeconfig)[1]), [], within=60)
    code, found = doctor(cluster.kubeconfig, "-n", pool.namespace)
    assert code == 1
    assert [each["message"] for each in found["findings"] if each["level"] == "error"] == [squeezed]
    assert found["notes"] == []
    kubectl("delete", "resourcequota", "small", "-n", pool.namespace)
    assert doctor(cluster.kubeconfig, "-n", pool.namespace)[0] == 0


def test_a_binding_that_is_gone_is_an_error_until_it_is_back(
    pool: Pool, cluster: local.Cluster, admin: User
) -> None:
    eventually(lambda: of_installation(doctor(cluster.kubeconfig)[1]), [], within=60)
    with policies.unbound(admin, "gate"):
        code, report = doctor(cluster.kubeconfig)
        (found,) = of_installation(report)
    assert code == 1
    assert found["object"] == f"{policies.BINDING} elastic-quota-gate"
    assert of_installation(doctor(cluster.kubeconfig)[1]) == []


def test_a_tenant_sees_the_finding_and_what_could_not_be_checked(
    squeezed: str, pool: Pool, tenant: User, kubectl: Kubectl, tmp_path: Path
) -> None:
    kubectl.of(tenant, tmp_path)
    code, found = doctor(tmp_path / "kubeconfig", "-n", pool.namespace)
    assert [each["message"] for each in found["findings"] if each["level"] == "error"] == [squeezed]
    assert code == 1
    assert (
        "not checked: the leader (configmaps: you may not read them; leases: you may not read "
        "them)" in found["notes"]
    )


def test_a_cordoned_node_is_named_with_what_the_others_offer(
    pool: Pool, cluster: local.Cluster
) -> None:
    pool.quota("team", min=16, max=16)
    eventually(lambda: pool.status("team").get("tree"), pool.root)
    pool.cordon(min(pool.nodes()))

    def warning() -> str:
        _, found = doctor(cluster.kubeconfig, "-n", pool.namespace)
        of_profile = (each for each in found["findings"] if "Profile" in each["object"])
        return next((each["message"] for each in of_profile if each["level"] == "warning"), "")

    message = eventually(warning, lambda text: "out of service" in text)
    assert message.startswith("1 of 2 nodes is out of service")
    assert "the others offer only 8 cpu of the 16" in message


@pytest.fixture
def left_behind(admission: None, admin: User) -> Iterator[str]:
    """A webhook configuration with the label of the chart, and without a bundle."""
    hook = {
        "name": "left.elasticquota.dev",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Ignore",
        "clientConfig": {"url": "https://127.0.0.1:1/nobody"},
        "rules": [
            {
                "apiGroups": ["nobody.elasticquota.dev"],
                "apiVersions": ["v1"],
                "resources": ["nothings"],
                "operations": ["CREATE"],
            }
        ],
    }
    kind = "ValidatingWebhookConfiguration"
    label = {"app.kubernetes.io/part-of": "elastic-quota-operator"}
    admin.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": "left-behind", "labels": label},
            "webhooks": [hook],
        }
    )
    yield f"{kind} left-behind"
    admin.delete(kind, "left-behind")


def test_a_webhook_that_cannot_be_called_is_reported(
    left_behind: str, cluster: local.Cluster
) -> None:
    code, found = doctor(cluster.kubeconfig, "-n", "kube-public")
    (told,) = (each for each in found["findings"] if each["object"] == left_behind)
    assert code == 1
    assert told["message"] == (
        "1 of 1 webhooks have no caBundle: requests for left.elasticquota.dev are not checked "
        "(failurePolicy Ignore)"
    )
