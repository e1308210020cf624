"""The chart lints and renders with every set of values that people use, one object each."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

SETS: dict[str, tuple[str, ...]] = {
    "default": (),
    "one replica": ("controller.replicas=1", "webhook.replicas=1"),
    "high availability": (
        "controller.replicas=3",
        "webhook.replicas=3",
        'webhook.pods.failurePolicy="Fail"',
        'controller.priorityClassName="system-cluster-critical"',
        'webhook.priorityClassName="system-cluster-critical"',
        'webhook.podLabels={"team": "platform"}',
        'image.pullSecrets=[{"name": "registry"}]',
    ),
    "local cluster": (
        'webhook.service={"port": 31443, "type": "ExternalName", "externalName": "localhost"}',
        'controller.nodeSelector={"pool": "system"}',
        'webhook.nodeSelector={"pool": "system"}',
        'controller.tolerations=[{"operator": "Exists"}]',
        'webhook.tolerations=[{"operator": "Exists"}]',
    ),
    "dialects": ("dialects.ack=true", "dialects.capacity=true", "crds.dialects.ack=true"),
    "definitions from elsewhere": ("crds.install=false",),
    "break glass": ('policy.breakGlassGroups=["on call", "ops"]',),
    "pods held by policy": ('podAdmission="policy"',),
    "other name": ('fullnameOverride="quotas"',),
    "turns of our own": ("flowSchema.enabled=true",),
}

CLUSTER_WIDE = {
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "FlowSchema",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "PriorityLevelConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
}

every_set = pytest.mark.parametrize("values", SETS.values(), ids=SETS.keys())


@every_set
def test_the_chart_lints_strictly(
    helm: Callable[..., "subprocess.CompletedProcess[str]"], chart: Path, values: tuple[str, ...]
) -> None:
    settings = [word for value in values for word in ("--set-json", value)]
    done = helm("lint", "--strict", str(chart), *settings)
    assert done.returncode == 0, done.stdout
    assert "1 chart(s) linted, 0 chart(s) failed" in done.stdout


@every_set
def test_objects_are_labelled_and_in_the_namespace_of_the_release(
    render: Render, values: tuple[str, ...]
) -> None:
    for (kind, name), document in render(*values).items():
        namespace = document["metadata"].get("namespace")
        assert namespace == (None if kind in CLUSTER_WIDE else "elastic-quota-system"), name
        if kind != "CustomResourceDefinition":
            labels = document["metadata"]["labels"]
            assert labels["app.kubernetes.io/instance"] == "elastic-quota"
            assert labels["app.kubernetes.io/managed-by"] == "Helm"


@every_set
def test_every_name_that_an_object_refers_to_is_rendered(
    render: Render, values: tuple[str, ...]
) -> None:
    objects = render(*values)
    for (kind, _), document in objects.items():
        match kind:
            case "Deployment":
                pod = document["spec"]["template"]["spec"]
                assert ("ServiceAccount", pod["serviceAccountName"]) in objects
                for volume in pod["volumes"]:
                    assert ("ConfigMap", volume["configMap"]["name"]) in objects
            case "ClusterRoleBinding" | "RoleBinding":
                assert (document["roleRef"]["kind"], document["roleRef"]["name"]) in objects
                for subject in document["subjects"]:
                    assert (subject["kind"], subject["name"]) in objects
                    assert subject["namespace"] == "elastic-quota-system"
            case "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration":
                for webhook in document["webhooks"]:
                    reference = webhook["clientConfig"]["service"]
                    service = objects["Service", reference["name"]]
                    assert reference["namespace"] == service["metadata"]["namespace"]
                    assert reference["port"] in [port["port"] for port in service["spec"]["ports"]]
            case "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding":
                bound = kind.removesuffix("Binding")
                assert (bound, document["spec"]["policyName"]) in objects


def test_names_are_those_of_the_release(render: Render) -> None:
    assert sorted(name for kind, name in render() if kind == "Deployment") == [
        "elastic-quota-controller",
        "elastic-quota-webhook",
    ]
    assert ("Deployment", "mine-webhook") in render(release="mine")
    assert ("Deployment", "quotas-webhook") in render('fullnameOverride="quotas"')


def test_a_single_replica_has_no_disruption_budget_that_would_block_a_drain(
    render: Render,
) -> None:
    for component in ("controller", "webhook"):
        budget = ("PodDisruptionBudget", f"elastic-quota-{component}")
        spec = render()[budget]["spec"]
        assert spec["minAvailable"] == 1
        assert spec["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
        assert budget not in render(f"{component}.replicas=1")
        assert budget not in render(f"{component}.podDisruptionBudget.enabled=false")


def test_turns_of_our_own_at_the_api_server_are_there_only_when_asked_for(
    render: Render,
) -> None:
    kinds = {"FlowSchema", "PriorityLevelConfiguration"}
    assert not any(kind in kinds for kind, _ in render())
    objects = render('fullnameOverride="q"', "flowSchema.enabled=true")
    assert sorted(name for kind, name in objects if kind in kinds) == [
        "q",
        "q",
        "q-controller-lease",
    ]
    schema = objects["FlowSchema", "q"]["spec"]
    assert ("PriorityLevelConfiguration", schema["priorityLevelConfiguration"]["name"]) in objects
    accounts = [subject["serviceAccount"] for subject in schema["rules"][0]["subjects"]]
    assert [account["name"] for account in accounts] == ["q-controller", "q-webhook"]
    assert all(("ServiceAccount", account["name"]) in objects for account in accounts)
    lease = objects["FlowSchema", "q-controller-lease"]["spec"]
    assert lease["matchingPrecedence"] < schema["matchingPrecedence"]
    assert lease["priorityLevelConfiguration"]["name"] == "leader-election"


def test_an_external_service_keeps_its_selector_for_the_node_that_serves_it(
    render: Render,
) -> None:
    service = render(*SETS["local cluster"])["Service", "elastic-quota-webhook"]["spec"]
    assert service["type"] == "ExternalName"
    assert service["externalName"] == "localhost"
    assert service["selector"]["app.kubernetes.io/component"] == "webhook"
    assert service["ports"][0]["port"] == 31443


def test_notes_warn_when_reclaim_is_paused(
    helm: Callable[..., "subprocess.CompletedProcess[str]"], chart: Path
) -> None:
    dry = ("install", "eq", str(chart), "--dry-run=client")
    assert "Reclaim is PAUSED" not in helm(*dry).stdout
    assert "Reclaim is PAUSED" in helm(*dry, "--set", "config.reclaim.paused=true").stdout
