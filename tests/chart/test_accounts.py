"""Whose accounts the processes use, and who makes their rights."""

from collections.abc import Callable
from typing import Any

import pytest


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

RIGHTS = {"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

both = pytest.mark.parametrize("component", ["controller", "webhook"])


@both
def test_an_account_of_yours_is_used_wherever_the_chart_names_one(
    render: Render, component: str
) -> None:
    values = [
        f'{component}.serviceAccount={{"create": false, "name": "mine"}}',
        "flowSchema.enabled=true",
    ]
    own = f"elastic-quota-{component}"
    objects = render(*values)
    assert ("ServiceAccount", own) not in objects
    assert objects["Deployment", own]["spec"]["template"]["spec"]["serviceAccountName"] == "mine"
    named = {
        subject["name"]
        for (kind, name), document in objects.items()
        if kind.endswith("Binding") and name == own
        for subject in document.get("subjects", [])
    }
    assert named == {"mine"}
    subjects = objects["FlowSchema", "elastic-quota"]["spec"]["rules"][0]["subjects"]
    assert "mine" in [each["serviceAccount"]["name"] for each in subjects]


def test_the_policies_spare_the_account_that_the_controller_has(render: Render) -> None:
    account = '{"create": false, "name": "mine"}'
    text = str(render(f"controller.serviceAccount={account}").values())
    assert "system:serviceaccount:elastic-quota-system:mine" in text
    assert "system:serviceaccount:elastic-quota-system:elastic-quota-controller" not in text


@both
def test_an_account_has_the_annotations_and_labels_of_the_values(
    render: Render, component: str
) -> None:
    objects = render(
        f'{component}.serviceAccount.annotations={{"role": "arn"}}',
        f'{component}.serviceAccount.labels={{"use": "identity"}}',
    )
    metadata = objects["ServiceAccount", f"elastic-quota-{component}"]["metadata"]
    assert metadata["annotations"] == {"role": "arn"}
    assert metadata["labels"]["use"] == "identity"


def test_without_rights_the_chart_makes_no_role_and_no_binding(render: Render) -> None:
    values = ("dialects.yunikorn=true", "rbac.create=false")
    assert {kind for kind, _ in render(*values)} & RIGHTS == set()
    assert {kind for kind, _ in render(values[0])} >= RIGHTS


def test_the_test_pod_may_read_what_it_checks_only_while_it_runs(render: Render) -> None:
    objects = render()
    hooks = {
        key: document["metadata"]["annotations"]
        for key, document in objects.items()
        if key[1] == "elastic-quota-test"
    }
    assert {kind for kind, _ in hooks} == {"Pod", "ServiceAccount", *RIGHTS}
    for annotations in hooks.values():
        assert annotations["helm.sh/hook"] == "test"
        assert annotations["helm.sh/hook-delete-policy"] == "before-hook-creation,hook-succeeded"
    for kind in ("Role", "ClusterRole"):
        for rule in objects[kind, "elastic-quota-test"]["rules"]:
            assert rule["verbs"] == ["list"]
    off = render("helmTest.enabled=false")
    assert not any(name == "elastic-quota-test" for _, name in off)
