"""Each policy asks about no more than its rule needs, fails closed, and says what to do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from elasticquota import names
from elasticquota.pod_groups import table
from elasticquota.wire.quota import koordinator_annotations


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

QUOTA = (names.QUOTA_GROUP, names.QUOTA_PLURAL)
QUOTA_STATUS = (names.QUOTA_GROUP, f"{names.QUOTA_PLURAL}/status")
PROFILE = (names.PROFILE_GROUP, names.PROFILE_PLURAL)
PROFILE_STATUS = (names.PROFILE_GROUP, f"{names.PROFILE_PLURAL}/status")
POD = ("", "pods")
ADDED_CONTAINERS = ("", "pods/ephemeralcontainers")
(GROUP_VERSIONS,) = (
    row.object.versions for row in table.BUILT_IN if row.object and row.name == "kubernetes"
)
GROUPS = [("scheduling.k8s.io", plural) for plural in ("podgroups", "compositepodgroups")]
WORKLOADS: dict[tuple[str, str], tuple[str, ...]] = dict.fromkeys(
    [
        ("", "replicationcontrollers"),
        *(
            ("apps", f"{kind}s")
            for kind in ("deployment", "replicaset", "statefulset", "daemonset")
        ),
        ("batch", "jobs"),
        ("batch", "cronjobs"),
    ],
    ("CREATE", "UPDATE"),
)

EVERYWHERE, MANAGED = False, True


class Row(NamedTuple):
    """What a policy is about; asked maps resources to operations."""

    code: str
    asked: dict[tuple[str, str], tuple[str, ...]]
    managed: bool
    """Only pods of namespaces that the webhook looks at too."""


POLICIES = {
    "namespaces": Row("EQ1004", {QUOTA: ("CREATE", "UPDATE")}, EVERYWHERE),
    "tree": Row("EQ1107", {QUOTA: ("UPDATE",), PROFILE: ("UPDATE",)}, EVERYWHERE),
    "marks": Row(
        "EQ1108",
        {QUOTA: ("CREATE", "UPDATE"), QUOTA_STATUS: ("UPDATE",), PROFILE_STATUS: ("UPDATE",)},
        EVERYWHERE,
    ),
    "kept": Row("EQ1108", {QUOTA: ("CREATE", "UPDATE")}, EVERYWHERE),
    "force": Row("EQ1109", {QUOTA: ("CREATE", "UPDATE")}, EVERYWHERE),
    "reserved": Row("EQ1110", {QUOTA: ("CREATE", "UPDATE", "DELETE")}, EVERYWHERE),
    "placing": Row("EQ1113", {QUOTA: ("CREATE", "UPDATE", "DELETE")}, EVERYWHERE),
    "equal-keys": Row(
        "EQ1114", {QUOTA: ("CREATE", "UPDATE"), PROFILE: ("CREATE", "UPDATE")}, EVERYWHERE
    ),
    "object-size": Row(
        "EQ1115", {QUOTA: ("CREATE", "UPDATE"), PROFILE: ("CREATE", "UPDATE")}, EVERYWHERE
    ),
    "pod-labels": Row("PD1302", {POD: ("UPDATE",)}, MANAGED),
    "gate": Row("PD1303", {POD: ("UPDATE",)}, EVERYWHERE),
    "node-name": Row("PD1304", {POD: ("CREATE",)}, MANAGED),
    "bound-pods": Row("PD1307", {POD: ("CREATE", "UPDATE")}, MANAGED),
    "root-labels": Row("EP1201", {PROFILE: ("CREATE", "UPDATE")}, EVERYWHERE),
    "system-pods": Row("PD1308", {POD: ("CREATE", "UPDATE")}, MANAGED),
    "preemption": Row("PD1309", dict.fromkeys([POD, *GROUPS], ("CREATE",)), MANAGED),
    "schedulers": Row("PD1310", {POD: ("CREATE",), **WORKLOADS}, MANAGED),
    "pod-size": Row("PD1311", {POD: ("UPDATE",), ADDED_CONTAINERS: ("UPDATE",)}, MANAGED),
}
WARNS = "schedulers"
"""The policy that only warns, whatever the values say."""

OURS = "controller-pods"
"""The policy for the controller itself."""
DEFINITIONS = "definitions"
OF_NO_RULE = (OURS, DEFINITIONS)

every = pytest.mark.parametrize("policy", POLICIES)
KEY = re.compile(r"'((?:quota\.scheduling\.koordinator\.sh|elasticquota\.dev)/[^'\\]+)")


def _policies(render: Render, *values: str, release: str = "elastic-quota") -> dict[str, Document]:
    """The specs of the policies of rules by their names without the release's."""
    return {
        short: found["spec"]
        for (kind, name), found in render(*values, release=release).items()
        if kind == "ValidatingAdmissionPolicy"
        and (short := name.removeprefix(f"{release}-")) not in OF_NO_RULE
    }


def _bindings(render: Render, *values: str, release: str = "elastic-quota") -> dict[str, Document]:
    """The specs of their bindings; that of the policy that always warns by its name alone."""
    return {
        name.removeprefix(f"{release}-").replace(f"{WARNS}-warning", WARNS): found["spec"]
        for (kind, name), found in render(*values, release=release).items()
        if kind == "ValidatingAdmissionPolicyBinding"
        and name.removeprefix(f"{release}-") not in OF_NO_RULE
    }


def test_these_are_all(render: Render) -> None:
    denied = 'policy.preemption="deny"'
    assert _policies(render).keys() == _bindings(render, denied).keys() == POLICIES.keys()
    assert _policies(render, release="mine").keys() == POLICIES.keys()


@every
def test_it_asks_about_what_its_rule_is_about(render: Render, policy: str) -> None:
    asked: dict[tuple[str, str], tuple[str, ...]] = {}
    for rule in _policies(render)[policy]["matchConstraints"]["resourceRules"]:
        (group,) = rule["apiGroups"]
        assert rule["scope"] == "Namespaced"
        if group == "scheduling.k8s.io":
            assert tuple(rule["apiVersions"]) == GROUP_VERSIONS
        else:
            assert rule["apiVersions"] == ["v1alpha1" if "." in group else "v1"]
        for resource in rule["resources"]:
            asked[group, resource] = tuple(rule["operations"])
    assert asked == POLICIES[policy].asked


def test_no_policy_looks_at_what_keeps_a_cluster_alive(render: Render) -> None:
    """Status of pods, nodes and leases come by the thousand, most of all when things go wrong."""
    for spec in _policies(render).values():
        rules = str(spec["matchConstraints"]["resourceRules"])
        assert not re.search(
            r"\*|pods/(?!ephemeral)|nodes|leases|coordination|authentication", rules
        )


def test_only_the_controllers_own_writes_of_pods_are_looked_at(render: Render) -> None:
    found = render(release="mine")
    spec = found["ValidatingAdmissionPolicy", f"mine-{OURS}"]["spec"]
    (condition,) = spec["matchConditions"]
    assert condition["expression"].startswith(
        "request.userInfo.username == "
        "'system:serviceaccount:elastic-quota-system:mine-controller' && !("
    )
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["pods", "pods/status"], ["UPDATE"])
    assert spec["failurePolicy"] == "Fail"
    assert found["ValidatingAdmissionPolicyBinding", f"mine-{OURS}"]["spec"] == {
        "policyName": f"mine-{OURS}",
        "validationActions": ["Deny"],
    }
    every_code = ", ".join(f'"{row.code}"' for row in POLICIES.values())
    assert ("ValidatingAdmissionPolicy", f"mine-{OURS}") in render(
        f"policy.disabled=[{every_code}]", release="mine"
    )
    off = render("policy.controllerPods=false", release="mine")
    assert not any(name == f"mine-{OURS}" for _, name in off)


def test_definitions_go_only_once_that_is_written_on_them(render: Render) -> None:
    found = render(release="mine")
    spec = found["ValidatingAdmissionPolicy", f"mine-{DEFINITIONS}"]["spec"]
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["customresourcedefinitions"], ["DELETE"])
    (condition,) = spec["matchConditions"]
    assert set(re.findall(r"'([^']+)'", condition["expression"])) == {
        f"{names.QUOTA_PLURAL}.{names.QUOTA_GROUP}",
        f"{names.PROFILE_PLURAL}.{names.PROFILE_GROUP}",
    }
    off = render("policy.definitions=false", release="mine")
    assert not any(name == f"mine-{DEFINITIONS}" for _, name in off)


@pytest.mark.parametrize(
    "setting", ["", "check-capacity.autoscaling.x-k8s.io"], ids=["alone", "with a class"]
)
def test_its_condition_lets_exactly_those_writes_go_that_every_validation_allows(
    render: Render, setting: str
) -> None:
    """A write that a condition lets go is converted twice, one that is validated eight times."""
    found = render(f'config.provisioning.className="{setting}"')
    spec = found["ValidatingAdmissionPolicy", f"elastic-quota-{OURS}"]["spec"]
    (condition,) = spec["matchConditions"]
    who = "system:serviceaccount:elastic-quota-system:elastic-quota-controller"
    allowed = " && ".join(f"({each['expression'].strip()})" for each in spec["validations"])
    assert _words(condition["expression"]) == _words(
        f"request.userInfo.username == '{who}' && !({allowed})"
    )


def _words(expression: str) -> str:
    return " ".join(expression.split()).replace("( ", "(")


def test_pods_that_name_no_reserved_quota_are_not_looked_at_for_that(render: Render) -> None:
    (expression,) = _policies(render)["bound-pods"]["matchConstraints"]["objectSelector"][
        "matchExpressions"
    ]
    assert expression == {
        "key": names.QUOTA_NAME,
        "operator": "In",
        "values": [names.ROOT_QUOTA, names.SYSTEM_QUOTA, names.DEFAULT_QUOTA],
    }


@every
def test_it_fails_closed_and_denies(render: Render, policy: str) -> None:
    denied = 'policy.preemption="deny"'
    spec = _policies(render, denied)[policy]
    assert spec["failurePolicy"] == "Fail"
    assert spec["matchConstraints"]["matchPolicy"] == "Equivalent"
    assert _bindings(render, denied, release="mine")[policy] == {
        "policyName": f"mine-{policy}",
        "validationActions": ["Warn" if policy == WARNS else "Deny"],
    }


def test_other_schedulers_that_run_are_a_value(render: Render) -> None:
    (found,) = _policies(render, 'policy.schedulers=["volcano"]')[WARNS]["validations"]
    assert "variables.written in ['default-scheduler', 'volcano']" in found["expression"]
    (usual,) = _policies(render)[WARNS]["validations"]
    assert "variables.written in ['default-scheduler']" in usual["expression"]


def test_schedulers_whose_pods_get_the_stock_one_are_no_reason_to_warn(render: Render) -> None:
    gone = 'dialects.capacitySchedulers=["gone"]'
    (found,) = _policies(render, "dialects.capacity=true", gone)[WARNS]["validations"]
    assert "variables.written in ['default-scheduler', 'gone']" in found["expression"]
    (off,) = _policies(render, gone)[WARNS]["validations"]
    assert "variables.written in ['default-scheduler']" in off["expression"]


def test_what_pods_that_may_preempt_ask_for_is_reported_unless_a_value_says_otherwise(
    render: Render,
) -> None:
    warning = {"policyName": "elastic-quota-preemption", "validationActions": ["Warn"]}
    assert _bindings(render)["preemption-warning"] == warning
    assert "preemption" not in _bindings(render), "an object of two actions is not edited"
    assert "preemption" not in _policies(render, 'policy.preemption="off"')
    assert not any("preempt" in name for name in _bindings(render, 'policy.preemption="off"'))


@every
def test_pods_of_the_system_are_not_its_business(render: Render, policy: str) -> None:
    values = ('config.systemNamespaces=["kube-system", "ingress"]',)
    constraints = _policies(render, *values)[policy]["matchConstraints"]
    if not POLICIES[policy].managed:
        assert constraints.keys() == {"matchPolicy", "resourceRules"}
        return
    webhooks = render(*values)["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    (webhook,) = (found for found in webhooks if found["name"] == "pod.elasticquota.dev")
    assert constraints["namespaceSelector"] == webhook["namespaceSelector"]
    assert "ingress" in str(constraints["namespaceSelector"])


@every
def test_every_refusal_is_a_sentence_with_the_code_of_the_rule(render: Render, policy: str) -> None:
    code = POLICIES[policy].code
    for validation in _policies(render)[policy]["validations"]:
        assert validation["reason"] == "Forbidden"
        assert validation["message"].endswith(f" [{code}]")
        assert validation["message"].isprintable()
        said = validation.get("messageExpression", f"[{code}]'")
        assert re.findall(r"\[((?:EQ|PD|EP)\d{4})\]", said) == [code]
        assert said.endswith(f"[{code}]'")
        # It is evaluated without an authorizer; what asks one fails there.
        assert not re.search(r"authorizer|variables\.(administrator|entitled)", said)


@every
def test_keys_are_spelt_as_in_the_code(render: Render, policy: str) -> None:
    known = {value for value in vars(names).values() if isinstance(value, str)}
    assert set(KEY.findall(str(_policies(render)[policy]).replace("\\'", "'"))) <= known


def test_every_figure_that_is_published_is_guarded(render: Render) -> None:
    guarded = set(KEY.findall(str(_policies(render)["marks"]).replace('"', "'")))
    figures = {
        names.RUNTIME,
        names.REQUEST,
        names.CHILD_REQUEST,
        names.GUARANTEED,
        names.ALLOCATED,
        names.NON_PREEMPTIBLE_REQUEST,
        names.NON_PREEMPTIBLE_USED,
    }
    assert koordinator_annotations.__doc__ is not None
    assert "the seven annotations" in koordinator_annotations.__doc__
    roots = {
        names.IS_ROOT,
        names.PROFILE,
        names.IGNORE_DEFAULT_TREE,
        names.TOTAL_RESOURCE,
        names.UNSCHEDULABLE_RESOURCE,
        names.PRESENT_RESOURCE,
    }
    assert guarded == figures | roots


@pytest.mark.parametrize(
    "policy", ["namespaces", "tree", "marks", "force", "reserved", "root-labels"]
)
def test_the_controller_writes_quotas_as_it_must(render: Render, policy: str) -> None:
    user = "system:serviceaccount:elastic-quota-system:mine-controller"
    conditions = _policies(render, release="mine")[policy]["matchConditions"]
    assert {
        "name": "not-the-controller",
        "expression": f"request.userInfo.username != '{user}'",
    } in conditions


@pytest.mark.parametrize(
    "policy", ["pod-labels", "gate", "node-name", "bound-pods", "system-pods", "preemption"]
)
def test_a_break_glass_group_is_left_out_of_what_is_about_pods(render: Render, policy: str) -> None:
    conditions = _policies(render, 'policy.breakGlassGroups=["on call"]')[policy]["matchConditions"]
    assert {
        "name": "not-a-break-glass-group",
        "expression": "!request.userInfo.groups.exists(group, group in ['on call'])",
    } in conditions
    assert "break-glass" not in str(_policies(render)[policy])


def test_who_makes_pods_of_daemonsets_is_a_value(render: Render) -> None:
    value = 'policy.daemonSetControllers=["system:serviceaccount:kruise-system:kruise-manager"]'
    for policy in ("node-name", "system-pods"):
        assert "['system:serviceaccount:kruise-system:kruise-manager']" in str(
            _policies(render, value)[policy]
        ).replace('"', "'")


@every
def test_it_can_be_left_out_by_its_code(render: Render, policy: str) -> None:
    code = POLICIES[policy].code
    value = f'policy.disabled=["{code}"]'
    left = {name for name, row in POLICIES.items() if row.code != code}
    denied = 'policy.preemption="deny"'
    assert _policies(render, value).keys() == _bindings(render, value, denied).keys() == left


def test_every_code_can_be_left_out_and_no_other(chart: Path) -> None:
    schema = json.loads((chart / "values.schema.json").read_text())
    codes = schema["properties"]["policy"]["properties"]["disabled"]["items"]["enum"]
    assert codes == sorted({row.code for row in POLICIES.values()})


def test_the_readme_has_a_line_for_each(chart: Path) -> None:
    readme = (chart / "README.md").read_text()
    rows = re.findall(r"^\| `RELEASE-([a-z-]+)` \| ((?:EQ|PD|EP)\d{4}) \|", readme, re.MULTILINE)
    assert dict(rows) == {policy: row.code for policy, row in POLICIES.items()}


def test_profiles_are_written_by_another_role_than_quotas(render: Render) -> None:
    """A namespace that may share its part of a tree may not take nodes for it."""
    objects = render("rbac.aggregateToAdmin=true")
    admin = objects["ClusterRole", "elastic-quota-admin"]
    profiles = objects["ClusterRole", "elastic-quota-profile-admin"]
    writers = [
        name
        for name, role in (("admin", admin), ("profile-admin", profiles))
        for rule in role["rules"]
        if names.PROFILE_PLURAL in rule["resources"] and "create" in rule["verbs"]
    ]
    assert writers == ["profile-admin"]
    assert not any("aggregate" in label for label in profiles["metadata"]["labels"])
