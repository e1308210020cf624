"""Dialects are off; one that is on brings its rights and a guard of its quotas."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import definitions
import integration_definitions
from definition_files import files
from elasticquota import names
from elasticquota.forest import nearest_names
from elasticquota.integrations.yunikorn import queues
from elasticquota.wire.integrations import queue_maps
from elasticquota.wire.kubernetes import holders
from elasticquota_config import model


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

CONTROLLER = "elastic-quota-controller"
KINDS = {
    "ack": (names.TREE_GROUP, names.TREE_PLURAL, names.TREE_VERSION, names.TREE_KIND),
    "capacity": (
        names.CAPACITY_GROUP,
        names.CAPACITY_PLURAL,
        names.CAPACITY_VERSION,
        names.CAPACITY_KIND,
    ),
}

UNITS_AND_QUEUES = ["queues", "queueunits"]

each = pytest.mark.parametrize("dialect", KINDS)


def _on(dialect: str) -> str:
    return f"dialects.{dialect}=true"


def _rules(objects: dict[tuple[str, str], Document]) -> list[Document]:
    rules: list[Document] = objects["ClusterRole", CONTROLLER]["rules"]
    return rules


@each
def test_switched_on_it_adds_rights_and_nothing_else(render: Render, dialect: str) -> None:
    off, on = render(), render(_on(dialect))
    group, plural, _, _ = KINDS[dialect]
    assert on.keys() == off.keys()
    assert [rule for rule in _rules(on) if rule not in _rules(off)] == [
        {"apiGroups": [group], "resources": [plural], "verbs": ["list", "watch"]},
        {"apiGroups": [group], "resources": [f"{plural}/status"], "verbs": ["patch"]},
    ]


@pytest.mark.parametrize("dialect", [*KINDS, "jobs"])
def test_the_processes_are_reported(render: Render, dialect: str) -> None:
    text = render(_on(dialect))["ConfigMap", "elastic-quota-config"]["data"]["config.yaml"]
    found = model.parse(text).dialects
    assert {name: getattr(found, name) for name in (*KINDS, "jobs")} == {
        name: name == dialect for name in (*KINDS, "jobs")
    }
    assert not found.yunikorn


@pytest.mark.parametrize(
    ("dialect", "plurals"),
    [("ack", ["elasticquotatrees"]), ("capacity", ["elasticquotas"]), ("jobs", UNITS_AND_QUEUES)],
)
def test_definitions_of_others_are_installed_only_when_said(
    render: Render, dialect: str, plurals: list[str]
) -> None:
    said = render(f"crds.dialects.{dialect}=true")
    added = said.keys() - render().keys()
    assert {kind for kind, _ in added} == {"CustomResourceDefinition"}
    assert sorted(said[each]["spec"]["names"]["plural"] for each in added) == plurals


@each
def test_the_definition_serves_the_names_that_the_code_asks_for(
    render: Render, dialect: str
) -> None:
    group, plural, version, kind = KINDS[dialect]
    found = render(f"crds.{_on(dialect)}")["CustomResourceDefinition", f"{plural}.{group}"]
    assert found["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    spec = found["spec"]
    assert (spec["group"], spec["names"]["kind"]) == (group, kind)
    (served,) = spec["versions"]
    assert (served["name"], served["subresources"]) == (version, {"status": {}})


def test_quotas_of_capacity_scheduling_are_judged_where_they_are_followed_and_nothing_waits(
    render: Render,
) -> None:
    webhook = _asked(render("dialects.capacity=true"), "capacity.elasticquota.dev")
    assert webhook["failurePolicy"] == "Ignore"
    (rule,) = webhook["rules"]
    assert (rule["apiGroups"], rule["resources"]) == ([names.CAPACITY_GROUP], ["elasticquotas"])
    assert rule["operations"] == ["CREATE", "UPDATE"], "a removal is always possible"
    (condition,) = webhook["matchConditions"]
    assert condition["expression"] == "oldObject == null || object.?spec != oldObject.?spec"
    roles = render("dialects.capacity=true")["ClusterRole", "elastic-quota-webhook"]["rules"]
    assert {
        "apiGroups": [names.CAPACITY_GROUP],
        "resources": ["elasticquotas"],
        "verbs": ["list"],
    } in roles
    assert all(
        names.CAPACITY_GROUP not in role["apiGroups"]
        for role in render()["ClusterRole", "elastic-quota-webhook"]["rules"]
    )


def test_keys_that_are_passed_over_are_asked_about_only_where_there_may_be_one(
    render: Render,
) -> None:
    usual = _asked(render(), "keys.elasticquota.dev")
    assert usual["failurePolicy"] == "Ignore"
    assert [rule["resources"] for rule in usual["rules"]] == [["namespaces"]]
    (condition,) = usual["matchConditions"]
    for mark in nearest_names.MARKS:
        assert f"key.contains('{mark}')" in condition["expression"]
    assert f"key != '{names.NAMESPACE_QUOTA}'" in condition["expression"], "the controller's label"
    followed = _asked(render("dialects.ack=true"), "keys.elasticquota.dev")
    assert [rule["resources"] for rule in followed["rules"]] == [
        ["namespaces"],
        ["elasticquotatrees"],
    ]


def _levels(node: Document) -> int:
    children = node["properties"]["children"]
    return 1 if children.get("maxItems") == 0 else 1 + _levels(children["items"])


def test_the_tree_is_written_out_to_ten_levels() -> None:
    definition = integration_definitions.definitions()["ack"]
    (version,) = definition["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert _levels(spec["properties"]["root"]) == integration_definitions.LEVELS == 10


DIALECTS = [each for each in files.written() if each.startswith("crds/dialects/")]


@pytest.mark.parametrize("file", DIALECTS)
def test_every_field_is_described_for_kubectl_explain(file: str) -> None:
    definition = yaml.safe_load(files.written()[file])
    (served,) = definition["spec"]["versions"]
    assert definitions.silent(served["schema"]["openAPIV3Schema"]) == []


def test_the_guard_of_kept_quotas_fails_closed_and_names_its_rule(render: Render) -> None:
    objects = render(_on("ack"))
    spec = objects["ValidatingAdmissionPolicy", "elastic-quota-kept"]["spec"]
    assert spec["failurePolicy"] == "Fail"
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert rule["resources"] == [names.QUOTA_PLURAL], "no status"
    assert rule["operations"] == ["CREATE", "UPDATE", "DELETE"]
    conditions = " ".join(found["expression"] for found in spec["matchConditions"])
    assert f"'{names.DIALECT}'" in conditions
    assert f"'system:serviceaccount:elastic-quota-system:{CONTROLLER}'" in conditions
    for validation in spec["validations"]:
        assert validation["message"].endswith(" [EQ1108]")
        assert validation["reason"] == "Forbidden"
    binding = objects["ValidatingAdmissionPolicyBinding", "elastic-quota-kept"]["spec"]
    assert binding == {"policyName": "elastic-quota-kept", "validationActions": ["Deny"]}


def test_without_a_dialect_only_the_mark_is_guarded(render: Render) -> None:
    """A quota that bears it would go when a dialect is switched on."""
    on, off = (
        objects["ValidatingAdmissionPolicy", "elastic-quota-kept"]["spec"]
        for objects in (render(_on("ack")), render())
    )
    (rule,) = off["matchConstraints"]["resourceRules"]
    assert rule["operations"] == ["CREATE", "UPDATE"]
    assert off["matchConditions"] == on["matchConditions"]
    assert off["validations"] == on["validations"][:1]


def test_quotas_of_a_dialect_that_is_off_are_no_longer_kept(render: Render) -> None:
    spec = render(_on("ack"))["ValidatingAdmissionPolicy", "elastic-quota-kept"]["spec"]
    assert spec["validations"][1]["expression"].startswith("!(variables.before in ['ack']) || ")


def test_the_guard_goes_with_its_rule(render: Render) -> None:
    found = render(_on("ack"), 'policy.disabled=["EQ1108"]')
    assert ("ValidatingAdmissionPolicy", "elastic-quota-kept") not in found


@pytest.mark.parametrize("value", ['"yes"', "1", "{}"])
def test_a_switch_is_true_or_false(refusal: Callable[..., str], value: str) -> None:
    assert "at '/dialects/ack'" in refusal(f"dialects.ack={value}")


def test_the_page_of_dialects_is_named_in_the_values(chart: Path) -> None:
    assert "docs/dialects.md" in (chart / "values.yaml").read_text()
    assert (chart.parents[1] / "docs" / "dialects.md").is_file()


def test_trees_are_judged_when_they_are_written_and_nothing_waits_for_the_answer(
    render: Render,
) -> None:
    off, on = render(), render(_on("ack"))
    webhook = _asked(on, "acktree.elasticquota.dev")
    assert (webhook["failurePolicy"], webhook["sideEffects"]) == ("Ignore", "None")
    assert webhook["rules"] == [
        {
            "apiGroups": [names.TREE_GROUP],
            "apiVersions": [names.TREE_VERSION],
            "resources": [names.TREE_PLURAL],
            "operations": ["CREATE", "UPDATE"],
            "scope": "Namespaced",
        }
    ]
    (condition,) = webhook["matchConditions"]
    assert names.TREE_PROFILE in condition["expression"]
    with pytest.raises(StopIteration):
        _asked(off, "acktree.elasticquota.dev")
    account = ("ClusterRole", "elastic-quota-webhook")
    assert [rule for rule in on[account]["rules"] if rule not in off[account]["rules"]] == [
        {"apiGroups": [names.TREE_GROUP], "resources": [names.TREE_PLURAL], "verbs": ["list"]}
    ]


QUEUES = "dialects.yunikorn=true"


def test_the_queues_of_yunikorn_bring_a_guard_two_questions_and_the_right_to_read_two_objects(
    render: Render,
) -> None:
    off, on = render(), render(QUEUES, 'dialects.yunikornNamespace="batch"')
    assert on.keys() - off.keys() == {
        ("Role", "elastic-quota-queues"),
        ("RoleBinding", "elastic-quota-queues"),
        *(
            (kind, f"elastic-quota-{guard}")
            for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
            for guard in ("creators", "applications")
        ),
    }
    more = [rule for rule in _rules(on) if rule not in _rules(off)]
    policies = {"admissionregistration.k8s.io"}
    assert {group for rule in more for group in rule["apiGroups"]} == policies, "and no more"
    role, binding = (on[kind, "elastic-quota-queues"] for kind in ("Role", "RoleBinding"))
    assert (role["metadata"]["namespace"], binding["metadata"]["namespace"]) == ("batch", "batch")
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": list(queue_maps.NAMES),
            "verbs": ["list", "watch"],
        }
    ]

    def readers(*values: str) -> set[str]:
        subjects = render(QUEUES, *values)["RoleBinding", "elastic-quota-queues"]["subjects"]
        assert {each["namespace"] for each in subjects} == {"elastic-quota-system"}
        return {each["name"] for each in subjects}

    assert readers() == {CONTROLLER, "elastic-quota-webhook"}
    assert readers('podAdmission="policy"') == {CONTROLLER}, "who places no pods asks no rules"


def _asked(objects: dict[tuple[str, str], Document], name: str) -> Document:
    webhooks = objects["ValidatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    found: Document = next(each for each in webhooks if each["name"] == name)
    return found


def test_no_configmap_but_the_two_is_asked_about_and_nothing_waits_for_the_answer(
    render: Render,
) -> None:
    webhook = _asked(
        render(QUEUES, 'dialects.yunikornNamespace="batch"'), "queues.elasticquota.dev"
    )
    assert webhook["failurePolicy"] == "Ignore"
    assert webhook["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "batch"}}
    (condition,) = webhook["matchConditions"]
    assert condition["expression"] == (
        f"object.metadata.name in ['{queue_maps.NAMES[0]}', '{queue_maps.NAMES[1]}']"
    )
    (rule,) = webhook["rules"]
    assert (rule["resources"], rule["operations"]) == (["configmaps"], ["CREATE", "UPDATE"])


def test_namespaces_are_asked_about_only_where_an_annotation_of_amounts_changes(
    render: Render,
) -> None:
    webhook = _asked(render(QUEUES), "namespace.elasticquota.dev")
    assert webhook["failurePolicy"] == "Ignore"
    (condition,) = webhook["matchConditions"]
    for key in names.QUEUE_AMOUNTS:
        assert f"'{key.removeprefix(names.YUNIKORN_PREFIX)}'" in condition["expression"]
    assert f"'{names.YUNIKORN_PREFIX}'" in condition["expression"]
    (rule,) = webhook["rules"]
    assert (rule["resources"], rule["scope"]) == (["namespaces"], "Cluster")


def test_templates_are_written_on_by_the_webhook_and_guarded_with_the_same_kinds(
    render: Render,
) -> None:
    objects = render(QUEUES)
    hooks = objects["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    (hook,) = (each for each in hooks if each["name"] == "workload.elasticquota.dev")
    assert hook["failurePolicy"] == "Ignore"
    guard = objects["ValidatingAdmissionPolicy", "elastic-quota-creators"]["spec"]
    pods, *workloads = guard["matchConstraints"]["resourceRules"]
    assert pods["resources"] == ["pods"]
    assert workloads == hook["rules"]
    # Every kind from whose template a controller of kube-system makes pods: a forged user in
    # another one would be copied on pods.
    assert {kind for rule in workloads for kind in rule["resources"]} == {
        "cronjobs",
        "daemonsets",
        "deployments",
        "jobs",
        "replicasets",
        "replicationcontrollers",
        "statefulsets",
    }
    assert guard["matchConditions"][0] == hook["matchConditions"][0]
    off = render(QUEUES, 'podAdmission="policy"')
    hooks = off["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    assert "workload.elasticquota.dev" not in [each["name"] for each in hooks]


def test_what_the_policies_go_by_is_what_the_code_reads(render: Render) -> None:
    objects = render(QUEUES)
    creators = str(objects["ValidatingAdmissionPolicy", "elastic-quota-creators"])
    assert holders.STAMP in creators
    applications = objects["ValidatingAdmissionPolicy", "elastic-quota-applications"]["spec"]
    (changed,) = (each["expression"] for each in applications["variables"])
    for labels in ({"applicationId": "a"}, {"spark-app-selector": "a"}, {holders.APPLICATION: "a"}):
        assert holders.read(labels, {}).application == "a"
        assert f"'{next(iter(labels))}'" in changed


def test_a_kept_queue_says_where_its_configuration_is(render: Render) -> None:
    objects = render(QUEUES, 'dialects.yunikornNamespace="batch"')
    spec = objects["ValidatingAdmissionPolicy", "elastic-quota-kept"]["spec"]
    follows = next(found for found in spec["variables"] if found["name"] == "follows")
    assert f"variables.before == '{queues.NAME}'" in follows["expression"]
    assert "queues.yaml in namespace batch" in follows["expression"]
