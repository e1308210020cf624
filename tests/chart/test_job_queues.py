"""Queueing jobs is off; switched on it brings its rights and guards."""

from collections.abc import Callable
from typing import Any

import pytest

from elasticquota import names
from elasticquota.jobs.kinds import table


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

ON = "dialects.jobs=true"
CONTROLLER = "elastic-quota-controller"
UNITS = ("ValidatingAdmissionPolicy", "elastic-quota-units")
JOB_PHASES = ("ValidatingAdmissionPolicy", "elastic-quota-job-phases")
SOLVER = (
    'config.jobs.adapters=[{"group": "example.com", "versions": ["v1"], "kind": "Solver", '
    '"plural": "solvers", "pods": [{"template": "spec.template"}]}]'
)


def _kinds(rules: list[Document]) -> set[tuple[str, str]]:
    return {
        (group, resource)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def test_switched_on_it_adds_two_guards(render: Render) -> None:
    off, on = render(), render(ON)
    assert on.keys() - off.keys() == {
        UNITS,
        ("ValidatingAdmissionPolicyBinding", "elastic-quota-units"),
        JOB_PHASES,
        ("ValidatingAdmissionPolicyBinding", "elastic-quota-job-phases"),
    }
    assert off.keys() <= on.keys()


@pytest.mark.parametrize("settings", [(), (SOLVER,)])
def test_only_jobs_that_name_a_quota_or_queue_are_asked_about_and_none_waits_for_the_answer(
    render: Render, settings: tuple[str, ...]
) -> None:
    configuration = ("MutatingWebhookConfiguration", "elastic-quota-webhook")
    hooks = render(ON, *settings)[configuration]["webhooks"]
    (hook,) = (each for each in hooks if each["name"] == "job.elasticquota.dev")
    assert (hook["failurePolicy"], hook["sideEffects"]) == ("Ignore", "None")
    adapters = {(each.group, each.plural) for each in table.BUILT_IN}
    assert _kinds(hook["rules"]) == adapters | ({("example.com", "solvers")} if settings else set())
    assert {tuple(rule["operations"]) for rule in hook["rules"]} == {("CREATE",)}
    (condition,) = hook["matchConditions"]
    for key in (names.QUEUE_NAME, names.QUOTA_NAME, *names.QUOTA_ALIASES):
        assert f"'{key}'" in condition["expression"]
    off = [each["name"] for each in render()[configuration]["webhooks"]]
    assert "job.elasticquota.dev" not in off


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ([ON, "dialects.yunikorn=true"], True),
        ([ON, "dialects.yunikorn=true", 'podAdmission="policy"'], False),
        ([ON], False),
    ],
)
def test_with_access_lists_jobs_are_asked_about_whose_template_names_a_queue(
    render: Render, settings: list[str], asked: bool
) -> None:
    hooks = render(*settings)["MutatingWebhookConfiguration", "elastic-quota-webhook"]["webhooks"]
    (hook,) = (each for each in hooks if each["name"] == "job.elasticquota.dev")
    (condition,) = hook["matchConditions"]
    for key in ("yunikorn.apache.org/queue", "queue"):
        assert (f"'{key}'" in condition["expression"]) is asked
    updates = [rule["resources"] for rule in hook["rules"] if rule["operations"] == ["UPDATE"]]
    assert updates == ([["jobs"]] if asked else [])


def test_the_definitions_serve_the_names_that_the_code_and_the_peers_ask_for(
    render: Render,
) -> None:
    objects = render(f"crds.{ON}")
    for kind, plural, short in (
        (names.JOB_QUEUE_KIND, names.JOB_QUEUE_PLURAL, None),
        (names.QUEUE_UNIT_KIND, names.QUEUE_UNIT_PLURAL, ["qu", "qus"]),
    ):
        found = objects["CustomResourceDefinition", f"{plural}.{names.JOB_QUEUE_GROUP}"]
        assert found["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
        called = found["spec"]["names"]
        assert (called["kind"], called["plural"], called.get("shortNames")) == (kind, plural, short)
        (served,) = found["spec"]["versions"]
        assert (served["name"], served["subresources"]) == ("v1alpha1", {"status": {}})


@pytest.mark.parametrize("settings", [(), (SOLVER,)])
def test_the_controller_may_turn_the_switches_of_the_kinds_that_it_reads_and_of_no_other(
    render: Render, settings: tuple[str, ...]
) -> None:
    before = render()["ClusterRole", CONTROLLER]["rules"]
    after = render(ON, *settings)["ClusterRole", CONTROLLER]["rules"]
    patching = [rule for rule in after if rule not in before and "patch" in rule["verbs"]]
    expected = {(each.group, each.plural) for each in table.BUILT_IN}
    expected |= {("example.com", "solvers")} if settings else set()
    found = _kinds([r for r in patching if r["apiGroups"] != [names.JOB_QUEUE_GROUP]])
    assert found == expected
    deleting = [rule for rule in after if rule not in before and "delete" in rule["verbs"]]
    assert [rule["resources"] for rule in deleting] == [["queues"]]


@pytest.mark.parametrize("settings", [(), (SOLVER,)])
def test_the_course_of_a_job_is_guarded_for_the_same_kinds(
    render: Render, settings: tuple[str, ...]
) -> None:
    spec = render(ON, *settings)[JOB_PHASES]["spec"]
    expected = {(each.group, each.plural) for each in table.BUILT_IN}
    expected |= {("example.com", "solvers")} if settings else set()
    assert _kinds(spec["matchConstraints"]["resourceRules"]) == expected


@pytest.mark.parametrize("policy", [UNITS, JOB_PHASES])
def test_the_guards_fail_closed_spare_the_controller_and_name_their_rule(
    render: Render, policy: tuple[str, str]
) -> None:
    spec = render(ON)[policy]["spec"]
    assert spec["failurePolicy"] == "Fail"
    conditions = " ".join(found["expression"] for found in spec["matchConditions"])
    assert f"'system:serviceaccount:elastic-quota-system:{CONTROLLER}'" in conditions
    for validation in spec["validations"]:
        assert validation["message"].endswith(" [EQ1108]")
        assert validation["reason"] == "Forbidden"


def test_the_guards_go_with_their_rule(render: Render) -> None:
    found = render(ON, 'policy.disabled=["EQ1108"]')
    assert UNITS not in found
    assert JOB_PHASES not in found
