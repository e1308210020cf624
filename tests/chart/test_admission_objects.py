"""The API server asks the webhook what it must ask, and nothing that would hurt the cluster."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

import writer_fixture
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.wire.kubernetes import new_workloads
from elasticquota.wire.quota import koordinator_annotations
from elasticquota_webhooks.cache import live_nodes, live_pods, live_quotas
from elasticquota_webhooks.server import webhook_paths


Document = dict[str, Any]
GROUPS = {
    names.QUOTA_PLURAL: names.QUOTA_GROUP,
    names.PROFILE_PLURAL: names.PROFILE_GROUP,
    "namespaces": "",
    "pods": "",
    "pods/resize": "",
}
Render = Callable[..., dict[tuple[str, str], Document]]

about_pods = pytest.mark.parametrize(
    ("kind", "name"), [("Mutating", "pod"), ("Validating", "relabel"), ("Validating", "resize")]
)


def _webhooks(render: Render, kind: str, *values: str) -> dict[str, Document]:
    found = render(*values)[f"{kind}WebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    return {webhook["name"]: webhook for webhook in found}


def _asked(kind: str, webhook: Document) -> tuple[str, str, list[str]]:
    (rule,) = webhook["rules"]
    (resource,) = rule["resources"]
    assert rule["apiGroups"] == [GROUPS[resource]]
    assert rule["scope"] == ("Cluster" if resource == "namespaces" else "Namespaced")
    assert "path" not in webhook["clientConfig"]["service"], "an upgrade would take the token out"
    return webhook_paths.ROUTES[kind][webhook["name"]], resource, rule["operations"]


def test_what_is_asked_where(render: Render) -> None:
    mutating, validating = _webhooks(render, "Mutating"), _webhooks(render, "Validating")
    assert {name: _asked("mutating", webhook) for name, webhook in mutating.items()} == {
        "quota.elasticquota.dev": ("/mutate/elasticquota", "elasticquotas", ["CREATE"]),
        "tree.elasticquota.dev": ("/mutate/elasticquota", "elasticquotas", ["UPDATE"]),
        "profile.elasticquota.dev": (
            "/mutate/profile",
            "elasticquotaprofiles",
            ["CREATE", "UPDATE"],
        ),
        "pod.elasticquota.dev": ("/mutate/pod", "pods", ["CREATE"]),
    }
    dry_run = validating.pop("dryrun.elasticquota.dev")
    assert {name: _asked("validating", webhook) for name, webhook in validating.items()} == {
        "quota.elasticquota.dev": (
            "/validate/elasticquota",
            "elasticquotas",
            ["CREATE", "UPDATE", "DELETE"],
        ),
        "profile.elasticquota.dev": (
            "/validate/profile",
            "elasticquotaprofiles",
            ["CREATE", "UPDATE", "DELETE"],
        ),
        "keys.elasticquota.dev": ("/validate/keys", "namespaces", ["CREATE", "UPDATE"]),
        "relabel.elasticquota.dev": ("/validate/pod", "pods", ["UPDATE"]),
        "resize.elasticquota.dev": ("/validate/resize", "pods/resize", ["UPDATE"]),
    }

    asked = {each for rule in dry_run["rules"] for each in rule["resources"]}
    assert asked == new_workloads.KINDS.keys()


def test_pods_and_what_makes_them_are_asked_about_in_a_dry_run_only(render: Render) -> None:
    webhook = _webhooks(render, "Validating")["dryrun.elasticquota.dev"]
    assert {(*rule["operations"], rule["scope"]) for rule in webhook["rules"]} == {
        ("CREATE", "Namespaced")
    }
    assert webhook["failurePolicy"] == "Ignore"
    (condition,) = webhook["matchConditions"]
    assert condition["expression"] == "request.?dryRun.orValue(false)"


@pytest.mark.parametrize("kind", ["Mutating", "Validating"])
def test_the_chart_leaves_the_certificate_to_the_webhook(render: Render, kind: str) -> None:
    for webhook in _webhooks(render, kind).values():
        assert webhook["clientConfig"].keys() == {"service"}
        assert webhook["sideEffects"] == "None"
        assert webhook["matchPolicy"] == "Equivalent"


def test_quotas_and_profiles_fail_closed_in_every_namespace(render: Render) -> None:
    asked = itertools.product(("Mutating", "Validating"), ("quota", "profile"))
    for kind, name in asked:
        webhook = _webhooks(render, kind)[f"{name}.elasticquota.dev"]
        assert webhook["failurePolicy"] == "Fail"
        assert webhook["timeoutSeconds"] == 10
        assert not webhook.keys() & {"namespaceSelector", "objectSelector"}


def test_of_quotas_only_the_figures_for_koordinator_are_not_asked_about(render: Render) -> None:
    webhook = _webhooks(render, "Validating")["quota.elasticquota.dev"]
    (condition,) = webhook["matchConditions"]
    left_out = re.findall("'([a-z-]+)'", condition["expression"])
    all_figures = writer_fixture.with_all_figures(Key("team", "a"), {"cpu": 1000})
    written = koordinator_annotations.difference(all_figures, {})
    assert {f"quota.scheduling.koordinator.sh/{name}" for name in left_out} == written.keys()
    assert all(path in condition["expression"] for path in (".?spec", ".?labels", ".?annotations"))


def test_an_edit_is_changed_only_where_it_leaves_out_the_tree_or_moves(render: Render) -> None:
    webhook = _webhooks(render, "Mutating")["tree.elasticquota.dev"]
    assert (webhook["failurePolicy"], webhook["timeoutSeconds"]) == ("Fail", 10)
    (condition,) = webhook["matchConditions"]
    tree = f"metadata.?labels[?'{names.TREE_ID}'].orValue('')"
    mark = f"metadata.?annotations[?'{names.PLACED_BELOW}'].orValue('')"
    parent = f"metadata.?labels[?'{names.PARENT}'].orValue('')"
    labels, annotations = (
        [key.partition("/")[2] for key in found.values() if key != names.PARENT]
        for found in (names.EQUAL_LABELS, names.EQUAL_ANNOTATIONS)
    )
    named, noted = (
        f"metadata.?{place}[?'quota.scheduling.koordinator.sh/' + name].orValue('')"
        for place in ("labels", "annotations")
    )
    assert condition["expression"] == (
        f"object.{tree} == '' && oldObject.{tree} != '' || object.{mark} != oldObject.{mark} "
        f"|| object.{parent} != oldObject.{parent} "
        "|| has(object.spec) && type(object.spec) == map && "
        f"{list(names.EQUAL_KEYS)}.exists(field, field in object.spec) "
        "&& (object.spec != oldObject.?spec.orValue({}) "
        f"|| {labels}.exists(name, object.{named} != oldObject.{named}) "
        f"|| {annotations}.exists(name, object.{noted} != oldObject.{noted}))"
    )


def test_a_profile_is_asked_about_where_it_has_a_field_that_a_key_says_too(render: Render) -> None:
    (condition,) = _webhooks(render, "Mutating")["profile.elasticquota.dev"]["matchConditions"]
    (field,) = names.EQUAL_KEYS_OF_PROFILES
    assert condition["expression"] == (
        f"has(object.spec) && type(object.spec) == map && '{field}' in object.spec"
    )


@about_pods
def test_pods_fail_open_unless_asked_otherwise(render: Render, kind: str, name: str) -> None:
    webhook = _webhooks(render, kind)[f"{name}.elasticquota.dev"]
    assert webhook["failurePolicy"] == "Ignore"
    assert webhook["timeoutSeconds"] == 3
    strict = _webhooks(render, kind, 'webhook.pods.failurePolicy="Fail"')
    assert strict[f"{name}.elasticquota.dev"]["failurePolicy"] == "Fail"


def test_new_pods_are_looked_at_again_after_others_changed_them(render: Render) -> None:
    webhook = _webhooks(render, "Mutating")["pod.elasticquota.dev"]
    assert webhook["reinvocationPolicy"] == "IfNeeded"


@about_pods
def test_pods_of_the_system_and_of_the_operator_itself_are_never_asked_about(
    render: Render, kind: str, name: str
) -> None:
    def excluded(*values: str) -> list[str]:
        webhook = _webhooks(render, kind, *values)[f"{name}.elasticquota.dev"]
        (expression,) = webhook["namespaceSelector"]["matchExpressions"]
        assert expression["key"] == "kubernetes.io/metadata.name"
        assert expression["operator"] == "NotIn"
        found: list[str] = expression["values"]
        return found

    assert excluded() == ["kube-system", "kube-node-lease", "elastic-quota-system"]
    assert excluded('config.systemNamespaces=["elastic-quota-system", "ingress"]') == [
        "elastic-quota-system",
        "ingress",
        "kube-node-lease",
    ]


def test_the_gate_and_the_quota_label_are_spelt_as_in_the_code(render: Render) -> None:
    policy = render()["ValidatingAdmissionPolicy", "elastic-quota-gate"]["spec"]
    (rule,) = policy["validations"]
    gated = next(c for c in policy["matchConditions"] if c["name"] == "pod-waits-at-our-gate")
    for expression in (gated["expression"], rule["expression"]):
        assert f"gate.name == '{names.GATE}'" in expression
    assert names.GATE in rule["message"]
    assert f"labels['{names.QUOTA_NAME}']" in rule["messageExpression"]
    conditions = _webhooks(render, "Mutating")["pod.elasticquota.dev"]["matchConditions"]
    assert f"'{names.MIRROR_POD}'" in str(conditions)
    assert f"'{names.QUOTA_NAME}' in object.metadata.labels" in str(conditions)
    gets, waits = _webhooks(render, "Validating")["relabel.elasticquota.dev"]["matchConditions"]
    label = f"metadata.?labels[?'{names.QUOTA_NAME}'].orValue('')"
    assert gets["expression"] == f"object.{label} != oldObject.{label}"
    assert f"gate.name == '{names.GATE}'" in waits["expression"]
    resize = _webhooks(render, "Validating")["resize.elasticquota.dev"]["matchConditions"]
    assert f"gate.name == '{names.GATE}'" in str(resize)
    assert f"'{names.MIRROR_POD}'" in str(resize)


def test_the_policy_fails_closed_and_excepts_the_controller(render: Render) -> None:
    policy = render(release="mine")["ValidatingAdmissionPolicy", "mine-gate"]["spec"]
    assert policy["failurePolicy"] == "Fail"
    excepted = next(c for c in policy["matchConditions"] if c["name"] == "not-the-controller")
    assert excepted["expression"] == (
        "request.userInfo.username != 'system:serviceaccount:elastic-quota-system:mine-controller'"
    )
    binding = render(release="mine")["ValidatingAdmissionPolicyBinding", "mine-gate"]["spec"]
    assert binding == {"policyName": "mine-gate", "validationActions": ["Deny"]}


def test_break_glass_groups_are_excepted_when_given(render: Render) -> None:
    def conditions(*values: str) -> dict[str, str]:
        policy = render(*values)["ValidatingAdmissionPolicy", "elastic-quota-gate"]["spec"]
        return {item["name"]: item["expression"] for item in policy["matchConditions"]}

    assert "not-a-break-glass-group" not in conditions()
    assert conditions('policy.breakGlassGroups=["on call", "ops"]')["not-a-break-glass-group"] == (
        "!request.userInfo.groups.exists(group, group in ['on call', 'ops'])"
    )


def test_reading_pods_and_then_catching_up_ends_well_before_the_api_server_gives_up(
    render: Render,
) -> None:
    patience = _webhooks(render, "Validating")["quota.elasticquota.dev"]["timeoutSeconds"]
    assert 0.75 * patience >= live_pods.SECONDS + live_quotas.SECONDS
    assert 0.75 * patience >= live_nodes.SECONDS
