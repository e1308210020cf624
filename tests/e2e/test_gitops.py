"""A GitOps tool renders the chart without a cluster, and applies it by server-side apply.

What it applies again changes nothing, and neither does what our processes write meanwhile.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import served
from helm_program import Helm
from installation import NAMESPACE, WEBHOOK, Installation, Kubectl
from local_cluster import cluster as local
from local_cluster import product as chart
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

NAMED = ("name", "namespace")
APPLY = ("apply", "--server-side", "--field-manager=argocd-controller")
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
EVERYTHING = (
    "dialects.ack=true,dialects.capacity=true,dialects.jobs=true,dialects.createQueueNamespace=true",
    "crds.dialects.ack=true,crds.dialects.capacity=true,crds.dialects.jobs=true",
    "metrics.dashboards.enabled=true,flowSchema.enabled=true,podAdmission=webhook",
    "dialects.yunikorn=false",  # whose Role stands in another namespace, as an earlier test made it
)


@pytest.fixture(scope="module")
def helm(cluster: local.Cluster) -> Helm:
    """The real helm."""
    return Helm(cluster)


@pytest.fixture(scope="module")
def rendered(helm: Helm, product: Installation, kubectl: Kubectl) -> str:
    """What the tool has in its hands, of the running release; it does not run tests."""
    version = json.loads(kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"]
    return helm.template("--skip-tests", "--kube-version", version)


@pytest.fixture
def applied(rendered: str, kubectl: Kubectl, product: Installation) -> Iterator[str]:
    """Taken over from Helm, as in a move to GitOps, and applied once; Helm takes it back."""
    kubectl(*APPLY, "--force-conflicts", "-f", "-", stdin=rendered)
    eventually(lambda: not_filled_in(kubectl), [], within=60)
    yield rendered
    product.take_back()
    kubectl(*APPLY, "-f", "-", stdin=names_of(rendered))


def not_filled_in(kubectl: Kubectl) -> list[str]:
    """The entries of webhooks whose authority and path the webhook has yet to write again."""
    kinds = ("mutatingwebhookconfiguration", "validatingwebhookconfiguration")
    found = [json.loads(kubectl("get", kind, WEBHOOK, "-o", "json")) for kind in kinds]
    return [
        hook["name"]
        for each in found
        for hook in each["webhooks"]
        if not (hook["clientConfig"].get("caBundle") and "path" in hook["clientConfig"]["service"])
    ]


def names_of(manifests: str) -> str:
    """The objects without any field, so that the tool that applies them owns nothing more."""
    return yaml.safe_dump_all(
        {
            "apiVersion": each["apiVersion"],
            "kind": each["kind"],
            "metadata": {key: each["metadata"][key] for key in NAMED if key in each["metadata"]},
        }
        for each in yaml.safe_load_all(manifests)
        if each
    )


def state(kubectl: Kubectl, manifests: str) -> dict[str, Any]:
    """All that is declared of each object, without what only says how it is."""
    found = json.loads(kubectl("get", "-f", "-", "-o", "json", stdin=manifests))["items"]
    for each in found:
        each.pop("status", None)
        for key in ("resourceVersion", "managedFields"):
            each["metadata"].pop(key, None)
    return {f"{each['kind']} {each['metadata']['name']}": each for each in found}


def versions(kubectl: Kubectl, manifests: str) -> dict[str, str]:
    """The resource version of each object that has no status."""
    found = json.loads(kubectl("get", "-f", "-", "-o", "json", stdin=manifests))["items"]
    return {
        f"{each['kind']} {each['metadata']['name']}": each["metadata"]["resourceVersion"]
        for each in found
        if "status" not in each
    }


def test_what_is_applied_twice_changes_nothing(applied: str, kubectl: Kubectl) -> None:
    before, kept = state(kubectl, applied), versions(kubectl, applied)
    assert {"ConfigMap elastic-quota-config", f"Secret {WEBHOOK}-ca"} <= kept.keys()
    # Without force: no field is owned by another manager with another value.
    kubectl(*APPLY, "-f", "-", stdin=applied)
    assert state(kubectl, applied) == before
    assert versions(kubectl, applied) == kept


def test_what_the_webhook_writes_is_its_own_and_stays(
    applied: str, kubectl: Kubectl, admin: User, product: Installation
) -> None:
    def written() -> list[tuple[bool, bool]]:
        return [
            ("caBundle" in each["clientConfig"], "path" in each["clientConfig"]["service"])
            for kind in CONFIGURATIONS
            for each in admin.get(kind, WEBHOOK)["webhooks"]
        ]

    eventually(lambda: set(written()), {(True, True)})
    documents = [each for each in yaml.safe_load_all(applied) if each]
    shared = [each for each in documents if each["kind"] in (*CONFIGURATIONS, "Secret")]
    assert len(shared) == 3
    manifests = yaml.safe_dump_all(shared)
    before = state(kubectl, manifests)
    with product.without_webhook():
        kubectl(*APPLY, "-f", "-", stdin=manifests)
        assert state(kubectl, manifests) == before
    # New processes have read their Secret and the configurations, and found nothing to write.
    assert state(kubectl, manifests) == before
    assert before[f"Secret {WEBHOOK}-ca"]["data"]
    assert set(written()) == {(True, True)}


@served.since(36)
def test_a_rendering_that_sees_the_cluster_gives_the_same_bytes(
    helm: Helm, product: Installation, kubectl: Kubectl
) -> None:
    """So a lookup, which finds nothing offline, has no say."""
    version = json.loads(kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"]
    settings = [word for each in EVERYTHING for word in ("--set", each)]
    offline = helm.template("--kube-version", version, *settings)
    assert helm.template("--dry-run=server", *settings) == offline


def test_the_examples_of_the_catalog_are_accepted(product: Installation, admin: User) -> None:
    about = yaml.safe_load((chart.CHART / "Chart.yaml").read_text())
    examples = yaml.safe_load(about["annotations"]["artifacthub.io/crdsExamples"])
    for each in examples:
        assert each["metadata"]["namespace"] == NAMESPACE
        admin.create(each, dry_run=True)
