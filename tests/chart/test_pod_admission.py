"""Exactly one gates new pods: the webhook, or a policy of the API server."""

import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import yaml

from elasticquota import names


Document = dict[str, Any]
Objects = dict[tuple[str, str], Document]
Render = Callable[..., Objects]
Template = Callable[..., "subprocess.CompletedProcess[str]"]

SERVED = ("--api-versions", "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")


@pytest.fixture
def objects(template: Template) -> Callable[..., Objects]:
    """Rendered for a cluster that serves the policy, unless other flags are given."""

    def render(*values: str, flags: Sequence[str] = SERVED) -> Objects:
        done = template(*values, flags=flags)
        assert done.returncode == 0, done.stderr
        documents = [document for document in yaml.safe_load_all(done.stdout) if document]
        return {(each["kind"], each["metadata"]["name"]): each for each in documents}

    return render


def by_whom(found: Objects) -> set[str]:
    """Who holds pods, in the words of everything that must agree on it."""
    hooks = found["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    asked = [hook["name"] for hook in hooks]
    config = yaml.safe_load(found["ConfigMap", "elastic-quota-config"]["data"]["config.yaml"])
    policy = "webhook" if "pod.elasticquota.dev" in asked else "policy"
    made = {
        kind
        for kind, name in found
        if "Mutating" in kind and "AdmissionPolicy" in kind and name == "elastic-quota-gate"
    }
    guarded = ("ValidatingAdmissionPolicyBinding", "elastic-quota-namespace-labels") in found
    assert bool(made) is guarded
    assert len(made) in (0, 2)
    assert "quota.elasticquota.dev" in asked
    return {policy, config["podAdmission"], "policy" if made else "webhook"}


def test_auto_takes_the_policy_where_it_is_served_and_else_the_webhook(
    objects: Callable[..., Objects],
) -> None:
    assert by_whom(objects()) == {"policy"}
    assert by_whom(objects(flags=())) == {"webhook"}
    beta = ("--api-versions", "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy")
    assert by_whom(objects(flags=beta)) == {"webhook"}


def test_placement_rules_are_asked_by_the_webhook_unless_a_user_wants_the_policy(
    objects: Callable[..., Objects],
) -> None:
    assert by_whom(objects("dialects.yunikorn=true")) == {"webhook"}
    chosen = objects("dialects.yunikorn=true", 'podAdmission="policy"')
    assert by_whom(chosen) == {"policy"}


@pytest.mark.parametrize("flags", [(), SERVED], ids=["offline", "served"])
@pytest.mark.parametrize("whom", ["webhook", "policy"])
def test_a_choice_holds_whatever_is_served(
    objects: Callable[..., Objects], whom: str, flags: Sequence[str]
) -> None:
    assert by_whom(objects(f'podAdmission="{whom}"', flags=flags)) == {whom}


def test_the_policy_looks_at_new_pods_of_the_namespaces_that_the_webhook_looks_at(
    render: Render,
) -> None:
    values = ('config.systemNamespaces=["kube-system", "ingress"]',)
    hooks = render(*values)["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    (hook,) = [each for each in hooks if each["name"] == "pod.elasticquota.dev"]
    spec = render('podAdmission="policy"', *values)[
        "MutatingAdmissionPolicy", "elastic-quota-gate"
    ]["spec"]
    looked_at = spec["matchConstraints"]
    assert looked_at["namespaceSelector"] == hook["namespaceSelector"]
    assert looked_at["resourceRules"] == hook["rules"]
    assert looked_at["matchPolicy"] == hook["matchPolicy"]


def test_the_policy_fails_closed_and_looks_again(render: Render) -> None:
    policy = render('podAdmission="policy"')["MutatingAdmissionPolicy", "elastic-quota-gate"][
        "spec"
    ]
    assert (policy["failurePolicy"], policy["reinvocationPolicy"]) == ("Fail", "IfNeeded")


def test_its_names_are_spelt_as_in_the_code(render: Render) -> None:
    found = render('podAdmission="policy"')
    policy = found["MutatingAdmissionPolicy", "elastic-quota-gate"]["spec"]
    said = {each["name"]: each["expression"] for each in policy["variables"]}
    assert f"labels['{names.QUOTA_NAME}']" in said["written"]
    for name in names.RESERVED_QUOTAS:
        assert f"'{name}'" in said["named"]
    for name in ("bound", "quota"):
        assert f"'{names.NAMESPACE_QUOTA}'" in said[name]
    (mutation,) = policy["mutations"]
    expression = mutation["jsonPatch"]["expression"]
    assert expression.count(f"{{'name': '{names.GATE}'}}") == 2
    assert expression.count(f"'{names.QUOTA_NAME}'") == 2
    guard = found["ValidatingAdmissionPolicy", "elastic-quota-namespace-labels"]["spec"]
    assert f"'{names.NAMESPACE_QUOTA}'" in guard["validations"][0]["expression"]
    assert guard["failurePolicy"] == "Fail"
    (condition,) = guard["matchConditions"]
    assert condition["expression"] == (
        "request.userInfo.username == "
        "'system:serviceaccount:elastic-quota-system:elastic-quota-controller'"
    )


def test_the_policy_replaces_the_schedulers_that_are_listed_and_no_other(
    objects: Callable[..., Objects],
) -> None:
    def replaced(*values: str) -> bool:
        spec = objects(*values)["MutatingAdmissionPolicy", "elastic-quota-gate"]["spec"]
        expression = spec["mutations"][0]["jsonPatch"]["expression"]
        return "in ['gone'] ? [JSONPatch{op: 'replace', path: '/spec/schedulerName'" in expression

    gone = 'dialects.capacitySchedulers=["gone"]'
    assert replaced("dialects.capacity=true", gone)
    assert not replaced(gone)
    assert not replaced("dialects.capacity=true")
